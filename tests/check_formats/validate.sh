#!/bin/sh
# validate.sh PROGRAM CASES WORK: runs `check` on each case and validates what it writes: SARIF against the official
# schema and GitHub's required fields, JUnit against junit.xsd, GitLab and JSON for their form. 77: skipped.
set -eu
program=$1 cases=$2 work=$3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work/out"
rm -f "$work"/out/*
for case in "$cases"/*/; do
  name=$(basename "$case")
  set --
  for file in "$case"*; do
    case $(basename "$file") in
      expected.yaml | *.tf) ;;
      gpuadvise.yaml) set -- "$@" --config "$file" ;;
      *) set -- "$@" "$file" ;;
    esac
  done
  code=0
  (cd "$work" && "$program" check "$@" --format json --output "sarif=out/$name.sarif" --output "junit=out/$name.xml" \
    --output "gitlab=out/$name.gitlab.json" --output "github=out/$name.github" --output "markdown=out/$name.md" \
    --output "tap=out/$name.tap" >"out/$name.json") || code=$?
  if [ "$code" -gt 2 ]; then
    echo "$name: exit $code" >&2
    exit 1
  fi
done
if ! command -v xmllint >/dev/null; then
  echo "skipped: no xmllint (libxml2-utils)"
  exit 77
fi
xmllint --noout --schema "$here/junit.xsd" "$work"/out/*.xml >"$work/xmllint.log" 2>&1 || { cat "$work/xmllint.log" >&2; exit 1; }
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "skipped: no node and npm for the SARIF schema"
  exit 77
fi
if [ ! -d "$work/node_modules/@microsoft/jest-sarif" ]; then
  if ! (cd "$work" && npm install --no-audit --no-fund --prefix . @microsoft/jest-sarif ajv ajv-draft-04 ajv-formats >npm.log 2>&1); then
    echo "skipped: npm cannot fetch @microsoft/jest-sarif (offline?)"
    exit 77
  fi
fi
cp "$here/validate.js" "$work/validate.js"
node "$work/validate.js" "$work"
