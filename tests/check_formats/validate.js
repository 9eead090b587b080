// SARIF against its schema and GitHub's required fields; GitLab Code Quality and our JSON for their form.
const fs = require('fs');
const path = require('path');

const work = process.argv[2];
const schemas = path.join(work, 'node_modules/@microsoft/jest-sarif/lib/schemas');
const schema = JSON.parse(fs.readFileSync(path.join(schemas, fs.readdirSync(schemas).find((f) => f.startsWith('sarif-2.1.0')))));
const draft04 = (schema.$schema || '').includes('draft-04');
const Ajv = draft04 ? require('ajv-draft-04') : require('ajv').default;
// The schema has patterns that are no valid Unicode expressions.
const ajv = new Ajv({strict: false, allErrors: true, unicodeRegExp: false});
require('ajv-formats').default(ajv);
const validate = ajv.compile(schema);

let failed = 0;
const seen = {};
function bad(file, what) {
  console.error(`${file}: ${what}`);
  failed += 1;
}
const files = fs.readdirSync(path.join(work, 'out')).sort();
let sarifs = 0;
for (const file of files) {
  const text = fs.readFileSync(path.join(work, 'out', file), 'utf8');
  if (file.endsWith('.sarif')) {
    sarifs += 1;
    const sarif = JSON.parse(text);
    if (!validate(sarif)) bad(file, ajv.errorsText(validate.errors));
    for (const run of sarif.runs) {
      for (const rule of run.tool.driver.rules) {
        for (const key of ['shortDescription', 'fullDescription', 'help']) {
          if (!rule[key] || !rule[key].text || rule[key].text.length > 1024) bad(file, `${rule.id}: ${key}`);
        }
      }
      const prints = new Set();
      for (const result of run.results) {
        const place = result.locations && result.locations[0] && result.locations[0].physicalLocation;
        if (!result.message.text) bad(file, 'empty message');
        if (!place || !place.artifactLocation.uri || !(place.region.startLine >= 1)) bad(file, 'no location');
        const print = result.partialFingerprints && result.partialFingerprints.primaryLocationLineHash;
        if (!print || prints.has(print)) bad(file, `fingerprint ${print}`);
        prints.add(print);
        if (run.tool.driver.rules[result.ruleIndex].id !== result.ruleId) bad(file, 'ruleIndex');
      }
    }
  } else if (file.endsWith('.gitlab.json')) {
    const prints = new Set();
    for (const entry of JSON.parse(text)) {
      for (const key of ['description', 'check_name', 'fingerprint', 'severity', 'location']) {
        if (!entry[key]) bad(file, `no ${key}`);
      }
      if (prints.has(entry.fingerprint)) bad(file, 'fingerprint twice');
      if (entry.location.path.startsWith('./')) bad(file, 'path');
      prints.add(entry.fingerprint);
    }
  } else if (file.endsWith('.json')) {
    const report = JSON.parse(text);
    if (report.schema_version !== 1 || !Array.isArray(report.findings)) bad(file, 'form');
  }
  seen[path.extname(file)] = (seen[path.extname(file)] || 0) + 1;
}
if (sarifs === 0) bad('out', 'no SARIF written');
console.log(JSON.stringify(seen));
process.exit(failed ? 1 : 0);
