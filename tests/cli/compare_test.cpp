// compare and --sensitivity as the program prints them.
#include "catch.h"
#include "run_program.h"

namespace gpuadvise::test {
namespace {

TEST_CASE("compare prints a column for each name and why one cannot run", "[compare]") {
  const Outcome table =
      run_program({"compare", "gn7e", "ecs.gn7i-c16g1.4xlarge", "--task", "llm-inference", "--params", "32B"});
  CHECK(table.code == 0);
  CHECK(table.err.empty());
  CHECK(table.out.find("ecs.gn7e") != std::string::npos);
  CHECK(table.out.find("cannot run this") != std::string::npos);
  const Outcome json = run_program({"compare", "gn7e", "ecs.gn7i-c16g1.4xlarge", "--task", "llm-inference", "--params",
                                    "32B", "--format", "json", "--lang", "zh"});
  CHECK(json.code == 0);
  CHECK(json.out.find("\"compared\"") != std::string::npos);
  CHECK(json.out.find("memory/fit") != std::string::npos);
  CHECK(run_program({"compare", "gn7e", "--task", "hpc"}).code == 2);
  CHECK(run_program({"compare", "gn7e", "bananas", "--task", "hpc"}).code == 2);
  CHECK(run_program({"compare", "v100", "t4", "--task", "llm-inference", "--params", "70B"}).code == 1);
}

TEST_CASE("--sensitivity says what would change the pick, in both forms and languages", "[sensitivity]") {
  const Outcome table = run_program({"recommend", "--task", "llm-finetune", "--params", "13B", "--sensitivity"});
  CHECK(table.code == 0);
  CHECK(table.out.find("What would change the pick") != std::string::npos);
  CHECK(table.out.find("training.method lora -> full") != std::string::npos);
  const Outcome json = run_program(
      {"recommend", "--task", "llm-finetune", "--params", "13B", "--sensitivity", "--format", "json", "--lang", "zh"});
  CHECK(json.code == 0);
  CHECK(json.out.find("\"sensitivity\"") != std::string::npos);
}

}  // namespace
}  // namespace gpuadvise::test
