// What the commands print as JSON keeps to the published schemas.
#include <nlohmann/json.hpp>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "gpuadvise/knowledge.h"

#include "catch.h"
#include "run_program.h"

using namespace gpuadvise::test;
using nlohmann::json;

namespace {

json document(const std::string& name) {
  return json::parse(slurp(std::string(GPUADVISE_SOURCE_DIR) + "/docs/schema/" + name));
}

class Schema {
 public:
  explicit Schema(const std::string& name) : document_(document(name)) {
    // A schema may name a part of another that lies beside it.
    const auto fetch = [](const std::string& uri) { return new json(document(uri)); };
    const auto drop = [](const json* other) { delete other; };
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(document_), schema_, fetch, drop);
  }

  // Empty: it keeps to the schema.
  std::string complaints(const json& value) {
    valijson::Validator validator;
    valijson::ValidationResults results;
    if (validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(value), &results)) return {};
    std::string text;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      for (const auto& step : error.context) text += step;
      text += ": " + error.description + "\n";
    }
    return text.empty() ? "invalid" : text;
  }

 private:
  json document_;
  valijson::Schema schema_;
};

Schema& recommendation() {
  static Schema schema("recommendation.schema.json");
  return schema;
}
Schema& estimate() {
  static Schema schema("estimate.schema.json");
  return schema;
}

// Nothing may fit: that is an answer too.
json answer(std::vector<std::string> arguments, int code = -1) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = run_program(arguments);
  INFO(outcome.err);
  CHECK((code < 0 ? outcome.code <= 1 : outcome.code == code));
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("every task's answer keeps to the schema", "[schema]") {
  for (const auto& task : gpuadvise::builtin_knowledge().catalog.tasks) {
    const std::string id(task.id);
    INFO(id);
    std::vector<std::string> arguments = {"recommend", "--task", id, "--top", "20", "--explain"};
    if (task.kind == gpuadvise::TaskKind::llm_training || task.kind == gpuadvise::TaskKind::llm_serving) {
      arguments.insert(arguments.end(), {"--params", "7B"});
    }
    const json value = answer(arguments);
    CHECK(recommendation().complaints(value).empty());
    CHECK(value["request"]["task"] == id);
  }
}

TEST_CASE("answers out of the ordinary keep to the schema", "[schema]") {
  const json none =
      answer({"recommend", "--task", "llm-finetune", "--params", "175B", "--method", "full", "--max-nodes", "1"}, 1);
  CHECK(recommendation().complaints(none).empty());
  CHECK(none["recommendations"].empty());
  CHECK(none["nearest_miss"].is_object());
  const json named = answer({"recommend", "--task", "llm-finetune", "--params", "7B", "--family", "GN9"}, 0);
  CHECK(recommendation().complaints(named).empty());
  CHECK(named["request"]["resolved_names"][0]["documented"] == false);
  const json moe = answer({"recommend", "--task", "llm-inference", "--model", "deepseek-r1", "--lang", "zh"}, 0);
  CHECK(recommendation().complaints(moe).empty());
}

TEST_CASE("estimates keep to the schema", "[schema]") {
  for (const auto& task : gpuadvise::builtin_knowledge().catalog.tasks) {
    const std::string id(task.id);
    INFO(id);
    std::vector<std::string> arguments = {"estimate", "--task", id, "--instance", "ecs.gn7e-c16g1.4xlarge"};
    if (task.default_model.empty()) arguments.insert(arguments.end(), {"--params", "7B"});
    CHECK(estimate().complaints(answer(arguments)).empty());
  }
}

TEST_CASE("answers to --solve keep to the schema", "[schema]") {
  const std::vector<std::string> serving = {"estimate",     "--task",        "llm-inference", "--model",
                                            "llama-3.1-8b", "--accelerator", "nvidia-a10",    "--solve"};
  for (const char* what : {"max-context", "max-concurrency", "min-accelerators"}) {
    INFO(what);
    std::vector<std::string> arguments = serving;
    arguments.emplace_back(what);
    const json value = answer(arguments);
    CHECK(estimate().complaints(value).empty());
    CHECK(value["solve"]["for"] == what);
  }
  const json none = answer({"estimate", "--task", "llm-inference", "--model", "llama-3.1-70b", "--accelerator",
                            "nvidia-a10", "--solve", "max-concurrency"},
                           1);
  CHECK(estimate().complaints(none).empty());
  CHECK(none["solve"]["value"].is_null());
  json bad = none;
  bad["solve"]["value"] = 0;
  CHECK_FALSE(estimate().complaints(bad).empty());
}

TEST_CASE("each line of a batch keeps to the schema, good or bad", "[schema]") {
  const TempFile file(
      "{\"id\": \"a\", \"task\": \"llm-inference\", \"model\": {\"name\": \"qwen2.5-7b\"}, "
      "\"hardware\": {\"accelerator\": \"nvidia-a10\"}}\n"
      "{\"id\": \"b\", \"task\": \"hpc\", \"hardware\": {\"accelerator\": \"nvidia-a10\"}, \"unknown\": 1}\n"
      "not json\n",
      ".jsonl");
  const Outcome outcome = run_program({"estimate", "--batch", file.path()});
  std::istringstream lines(outcome.out);
  std::vector<json> values;
  for (std::string line; std::getline(lines, line);) values.push_back(json::parse(line));
  REQUIRE(values.size() == 3);
  for (const auto& value : values) {
    INFO(value.dump(2));
    CHECK(estimate().complaints(value).empty());
  }
  CHECK(values[0].contains("memory"));
  CHECK(values[1].contains("error"));
  CHECK(values[1]["id"] == "b");
  CHECK(values[2]["line"] == 3);
}

// A schema that everything passes would prove nothing.
TEST_CASE("the schemas refuse what is wrong", "[schema]") {
  const json good = answer({"recommend", "--task", "llm-finetune", "--params", "7B"}, 0);
  REQUIRE(recommendation().complaints(good).empty());
  const auto refuses = [&](const char* pointer, const json& value) {
    INFO(pointer << " = " << value.dump());
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    CHECK_FALSE(recommendation().complaints(bad).empty());
  };
  refuses("/schema_version", 2);
  refuses("/extra", 1);
  refuses("/recommendations/0/score", 101);
  refuses("/recommendations/0/memory/fits", "yes");
  refuses("/recommendations/0/memory/per_accelerator_gib/weights", -1);
  refuses("/recommendations/0/cost/currency", "yuan");
  refuses("/recommendations/0/reasons/0/severity", "fatal");
  refuses("/request/training/method", "magic");
  refuses("/request/training/unknown", nullptr);
  json missing = good;
  missing["recommendations"][0].erase("reasons");
  CHECK_FALSE(recommendation().complaints(missing).empty());
}

TEST_CASE("comparisons keep to their schema", "[schema]") {
  Schema schema("compare.schema.json");
  for (const char* task : {"llm-finetune", "llm-inference"}) {
    json value = answer({"compare", "a100", "h20", "t4", "--task", task, "--params", "70B"}, 0);
    CHECK(schema.complaints(value).empty());
    CHECK(value["compared"].size() == 3);
    CHECK_FALSE(value["compared"][2]["failures"].empty());
    json wrong = value;
    wrong["compared"][0]["rank"] = 0;
    CHECK_FALSE(schema.complaints(wrong).empty());
    value["compared"][0]["runs"]["score"] = 101;  // seen through the other file
    CHECK_FALSE(schema.complaints(value).empty());
  }
}

TEST_CASE("why-not answers keep to their schema", "[schema]") {
  Schema schema("why-not.schema.json");
  for (const char* name : {"gn6i", "h20", "ecs.gn7i-c16g1.4xlarge"}) {
    INFO(name);
    json value =
        answer({"recommend", "--task", "llm-finetune", "--params", "13B", "--method", "lora", "--why-not", name}, 0);
    CHECK(schema.complaints(value).empty());
    value["why_not"][0].erase("changes");
    CHECK_FALSE(schema.complaints(value).empty());
  }
}

TEST_CASE("both schemas mean the same by memory, speed, cost and layout", "[schema]") {
  const json a = document("recommendation.schema.json");
  const json b = document("estimate.schema.json");
  for (const char* name : {"memory", "speed", "cost", "layout", "confidence"}) {
    INFO(name);
    REQUIRE(a["definitions"].contains(name));
    CHECK(a["definitions"][name] == b["definitions"][name]);
  }
}
