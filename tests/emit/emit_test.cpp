// Files of `recommend --emit`: each is parsed by a reader of its format and passes `gpuadvise check`; inputs that the
// user must give have no default; names from strangers cannot break out of their quotes.
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <set>

#include "gpuadvise/advise.h"
#include "gpuadvise/check.h"
#include "gpuadvise/emit.h"
#include "gpuadvise/error.h"

#include "base/node.h"
#include "base/text.h"
#include "catch.h"
#include "emit/hcl.h"
#include "run_program.h"

namespace gpuadvise::test {
namespace {

const Knowledge& knowledge() { return builtin_knowledge(); }

const RuleSet& rules() {
  static const RuleSet set(knowledge().rules);
  return set;
}

struct Request {
  const char* name;
  Profile profile;
};

// Of each vendor a service, a job of training, and one that needs several machines where the vendor has them.
std::vector<Request> requests() {
  static constexpr std::string_view kAlibaba[] = {"alibaba"};
  static constexpr std::string_view kTencent[] = {"tencent"};
  static constexpr std::string_view kHuawei[] = {"huawei"};
  static constexpr std::string_view kAscend[] = {"snt9b"};
  static constexpr std::string_view kRdma[] = {"ebmgn7ex"};
  static constexpr std::string_view kHpc[] = {"HCCPNV4h"};
  static constexpr std::string_view kV100[] = {"p2s"};
  std::vector<Request> out;
  const auto add = [&](const char* name, std::string_view task) -> Profile& {
    out.push_back({name, {}});
    out.back().profile.task = task;
    return out.back().profile;
  };
  add("alibaba-serve", "llm-inference").constraints.vendors = kAlibaba;
  Profile& train = add("alibaba-train", "llm-finetune");
  train.constraints.families = kRdma;
  train.model.params = 13e9;
  train.training.method = Method::full;
  train.hardware.nodes = 4;
  Profile& spot = add("alibaba-spot", "llm-finetune");
  spot.constraints.vendors = kAlibaba;
  spot.operations.charge_type = ChargePreference::spot;
  spot.operations.checkpointing = true;
  Profile& tencent = add("tencent-serve", "llm-inference");
  tencent.constraints.vendors = kTencent;
  tencent.inference.requests_per_second = 20;
  Profile& hpc = add("tencent-train", "llm-finetune");
  hpc.constraints.families = kHpc;
  hpc.model.params = 13e9;
  hpc.training.method = Method::full;
  hpc.hardware.nodes = 2;
  Profile& huawei = add("huawei-serve", "llm-inference");
  huawei.constraints.families = kV100;
  huawei.inference.weights = "fp16";
  huawei.inference.kv_cache = "fp16";
  Profile& ascend = add("huawei-ascend", "llm-finetune");
  ascend.constraints.vendors = kHuawei;
  ascend.constraints.families = kAscend;
  ascend.model.params = 13e9;
  add("render", "rendering").constraints.vendors = kAlibaba;
  Profile& farm = add("render-farm", "rendering");
  farm.rendering.frames = 10000;
  farm.rendering.minutes_per_frame = 2;
  farm.constraints.deadline_hours = 24;
  farm.constraints.vendors = kAlibaba;
  add("notebook", "notebook").constraints.vendors = kTencent;
  return out;
}

Advice advise(const Profile& profile) {
  RecommendOptions options;
  options.top = 1;
  return recommend(profile, knowledge(), rules(), options);
}

// Empty where the format cannot order the type.
std::string file_of(std::string_view format, const Advice& advice, Lang lang = Lang::en) {
  try {
    return emit(format, advice, knowledge(), lang);
  } catch (const InputError&) {
    return {};
  }
}

const std::map<std::string, json> kInputs = {{"region", "cn-beijing"}, {"zone", "cn-beijing-l"}};

// As `gpuadvise check` gets it.
std::string plan_text(std::string_view format, const std::string& text) {
  if (format != "terraform") return text;
  auto inputs = kInputs;
  const HclBlock root = HclReader(text).read();
  for (const auto& block : root.blocks) {
    if (block.type == "resource" && block.labels[0].rfind("tencentcloud", 0) == 0) inputs["zone"] = "ap-beijing-6";
    if (block.type == "resource" && block.labels[0].rfind("huaweicloud", 0) == 0) inputs["zone"] = "cn-north-4a";
  }
  return plan_of(root, inputs).dump(1);
}

CheckReport check(std::string_view format, const std::string& text) {
  CheckOptions options;
  options.today = "2026-11-30";
  return check_plans({{format == "terraform" ? "plan.json" : "file.yaml", plan_text(format, text), false}}, options,
                     knowledge(), rules());
}

// Findings about what the file itself says; those about the pick (supply, age of the card) are the user's to weigh.
bool of_the_file(const Finding& f) {
  static const std::set<std::string_view> kAreas = {"plan", "type", "claim", "pods", "job", "disk", "input", "spot"};
  static const std::set<std::string_view> kRules = {"network/erdma-off",
                                                    "network/hpc-cluster-missing",
                                                    "network/rdma-not-requested",
                                                    "network/no-placement",
                                                    "network/zones-balanced",
                                                    "host/system-disk",
                                                    "host/pl4"};
  const std::string area = f.rule.substr(0, f.rule.find('/'));
  return f.severity == Severity::error || kRules.count(f.rule) > 0 ||
         (f.severity == Severity::warning && kAreas.count(area) > 0);
}

std::string without_comments(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("[ ]*#[^\n]*"), "");
  // Messages also stand where a missing input is asked for.
  out = std::regex_replace(out, std::regex("error_message = \"[^\n]*"), "");
  return std::regex_replace(out, std::regex(":\\?'[^\n]*"), "");
}

TEST_CASE("every format is emitted for every request, and says the pick", "[emit]") {
  for (const auto& request : requests()) {
    const Advice advice = advise(request.profile);
    INFO(request.name);
    REQUIRE_FALSE(advice.recommendations.empty());
    int written = 0;
    for (const auto format : emit_formats()) {
      INFO(format);
      const std::string text = file_of(format, advice);
      if (text.empty()) continue;
      ++written;
      CHECK(text.find(advice.recommendations.front().type->name) != std::string::npos);
      CHECK(text.find("{{") == std::string::npos);
      CHECK(text.find("\n\n\n") == std::string::npos);
      CHECK(text.find("password") == std::string::npos);
    }
    CHECK(written >= 3);
  }
}

TEST_CASE("each task can be emitted", "[emit]") {
  for (const auto& task : knowledge().catalog.tasks) {
    Profile profile;
    profile.task = task.id;
    if (task.id == "recsys-training") profile.model.name = "ncf-ml-20m";
    const Advice advice = advise(profile);
    INFO(task.id);
    REQUIRE_FALSE(advice.recommendations.empty());
    for (const auto format : emit_formats()) CHECK_NOTHROW(file_of(format, advice));
    CHECK_FALSE(verify_steps(advice, knowledge(), Lang::en).empty());
  }
}

TEST_CASE("what is emitted passes the check", "[emit]") {
  for (const auto& request : requests()) {
    const Advice advice = advise(request.profile);
    const auto nodes = advice.recommendations.front().machine.nodes;
    for (const std::string_view format : {"terraform", "kubernetes", "skypilot", "docker-compose"}) {
      const std::string text = file_of(format, advice);
      if (text.empty()) continue;
      INFO(request.name << " " << format << "\n" << text);
      const CheckReport report = check(format, text);
      CHECK(report.machines >=
            (format == "terraform" && request.name != std::string_view("huawei-ascend") ? nodes : 1));
      CHECK_FALSE(report.partial);
      for (const auto& finding : report.findings) {
        INFO(finding.rule << " " << finding.resource << ": " << finding.message << " | " << finding.remedy);
        CHECK_FALSE(of_the_file(finding));
      }
    }
  }
}

TEST_CASE("the script of the vendor's tool is a shell script and orders the pick", "[emit]") {
  for (const auto& request : requests()) {
    const Advice advice = advise(request.profile);
    const std::string text = file_of("vendor-cli", advice);
    if (text.empty()) continue;
    INFO(request.name << "\n" << text);
    const TempFile script(text, ".sh");
    CHECK(std::system(("sh -n " + script.path()).c_str()) == 0);  // NOLINT
    const std::string type(advice.recommendations.front().type->name);
    const std::regex order("(RunInstances|CreateServers)[^#]*" + std::regex_replace(type, std::regex("[.]"), "[.]"));
    CHECK(std::regex_search(text, order));
    CHECK(text.find("DRY_RUN:-true") != std::string::npos);
    // Nothing is ordered while an input is missing: the shell stops at the first.
    const Outcome outcome = [&] {
      const TempFile err;
      Outcome o;
      const int status =
          std::system(("env -i PATH=/nowhere /bin/sh " + script.path() + " 2>" + err.path()).c_str());  // NOLINT
      o.code = WEXITSTATUS(status);
      o.err = slurp(err.path());
      return o;
    }();
    CHECK(outcome.code != 0);
    CHECK(outcome.err.find("give the") != std::string::npos);
    CHECK(outcome.err.find("not found") == std::string::npos);
  }
}

TEST_CASE("machines that share frames or runs are told their share", "[emit]") {
  const auto all = requests();
  const auto farm =
      std::find_if(all.begin(), all.end(), [](const Request& r) { return r.name == std::string_view("render-farm"); });
  Profile sweep;
  sweep.task = "hpc";
  sweep.operations.runs = 40;
  sweep.hpc.hours_per_run = 10;
  sweep.constraints.deadline_hours = 48;
  for (const auto& [profile, total] : {std::pair(farm->profile, "FRAMES=10000"), std::pair(sweep, "RUNS=40")}) {
    const Advice advice = advise(profile);
    REQUIRE(advice.recommendations.front().machines_together == 1);
    const int nodes = advice.recommendations.front().machine.nodes;
    REQUIRE(nodes > 1);
    const std::string job = file_of("kubernetes", advice);
    INFO(job);
    CHECK(job.find("completionMode: Indexed") != std::string::npos);
    CHECK(job.find(fmt::format("completions: {}", nodes)) != std::string::npos);
    CHECK(job.find("job-completion-index") != std::string::npos);
    CHECK(job.find(fmt::format("SHARES, value: \"{}\"", nodes)) != std::string::npos);
    for (const auto format : emit_formats()) {
      const std::string text = file_of(format, advice);
      if (text.empty()) continue;
      INFO(text);
      CHECK(text.find("SHARE_INDEX") != std::string::npos);
      CHECK(text.find(total) != std::string::npos);  // the comment beside the command
    }
  }
  // One machine has nothing to share.
  CHECK(file_of("kubernetes", advise(all.front().profile)).find("SHARE") == std::string::npos);
}

TEST_CASE("inputs have no default and a test of their own", "[emit]") {
  for (const auto& request : requests()) {
    const std::string text = file_of("terraform", advise(request.profile));
    INFO(request.name);
    for (const auto& block : HclReader(text).read().blocks) {
      if (block.type != "variable") continue;
      INFO(block.labels[0]);
      CHECK((block.labels[0] == "region" || block.attributes.count("default") == 0));
      REQUIRE(block.blocks.size() == 1);
      CHECK(block.blocks[0].type == "validation");
    }
  }
}

TEST_CASE("comments follow the language, the rest does not", "[emit]") {
  for (const auto& request : requests()) {
    const Advice advice = advise(request.profile);
    for (const auto format : emit_formats()) {
      const std::string en = file_of(format, advice, Lang::en);
      const std::string zh = file_of(format, advice, Lang::zh);
      INFO(request.name << " " << format);
      CHECK(without_comments(en) == without_comments(zh));
      if (!en.empty()) CHECK(en != zh);
      CHECK_FALSE(base::invalid_utf8_at(zh));
    }
  }
}

TEST_CASE("a hostile name stays inside its quotes", "[emit]") {
  const std::string evil = "ecs.x\"\n'; touch /tmp/owned; ${file(\"/etc/passwd\")} $(id) %{ if true } #";
  Profile profile;
  profile.task = "llm-inference";
  profile.model.params = 7e9;
  Advice advice = advise(profile);
  Recommendation& pick = advice.recommendations.front();
  InstanceType type = *pick.type;
  type.name = evil;
  pick.type = &type;
  Accelerator card = *pick.machine.accelerator;
  card.name = evil;
  pick.machine.accelerator = &card;
  advice.workload.model = nullptr;
  advice.workload.profile.model.name = evil;
  for (const auto format : emit_formats()) {
    const std::string text = file_of(format, advice);
    INFO(format << "\n" << text);
    REQUIRE_FALSE(text.empty());
    CHECK(text.find("\n'; touch") == std::string::npos);
    if (format == "terraform") {
      bool found = false;
      for (const auto& block : HclReader(text).read().blocks) {
        if (block.type == "resource") found = found || block.attributes.at("instance_type") == evil;
      }
      CHECK(found);
    } else if (format == "vendor-cli") {
      const TempFile script(text, ".sh");
      std::remove("/tmp/owned");
      CHECK(std::system(("sh -n " + script.path()).c_str()) == 0);  // NOLINT
      const std::string run =
          "REGION=r ZONE=z IMAGE_ID=i VSWITCH_ID=v VPC_ID=v SUBNET_ID=s SECURITY_GROUP_ID=g KEY_PAIR=k "
          "KEY_ID=k PATH=/nowhere /bin/sh " +
          script.path() + " >/dev/null 2>&1";
      CHECK(std::system(run.c_str()) != 0);  // NOLINT
      CHECK_FALSE(std::ifstream("/tmp/owned").good());
    } else {
      CHECK_NOTHROW(base::parse_yaml_documents(text, "emitted"));
    }
  }
  for (const auto& step : verify_steps(advice, knowledge(), Lang::en)) {
    CHECK(step.command.find('\n') == std::string::npos);
  }
}

TEST_CASE("the command line writes the file, here or there", "[emit]") {
  const std::vector<std::string> ask = {"recommend", "--task", "llm-finetune", "--params",
                                        "13B",       "--emit", "kubernetes"};
  const Outcome shown = run_program(ask);
  CHECK(shown.code == 0);
  CHECK(shown.err.empty());
  const TempFile file;
  auto written = ask;
  written.insert(written.end(), {"--emit-to", file.path()});
  const Outcome quiet = run_program(written);
  CHECK(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK(slurp(file.path()) == shown.out);
  written.back() = "/nowhere/at/all.yaml";
  CHECK(run_program(written).code == 2);
  CHECK(run_program({"recommend", "--task", "llm-finetune", "--emit", "cloudformation"}).code == 2);
  CHECK(run_program({"recommend", "--task", "llm-finetune", "--emit-to", "x"}).code == 2);
  const Outcome none = run_program({"recommend", "--task", "llm-finetune", "--params", "70B", "--method", "full",
                                    "--budget-per-hour", "1", "--emit", "terraform"});
  CHECK(none.code == 1);
  CHECK(none.out.empty());
}

TEST_CASE("whole files stay as they were reasoned", "[emit][golden]") {
  for (const auto& request : requests()) {
    const Advice advice = advise(request.profile);
    for (const auto format : emit_formats()) {
      const std::string text = file_of(format, advice);
      const std::string path =
          std::string(GPUADVISE_SOURCE_DIR) + "/tests/emit/golden/" + request.name + "." + std::string(format) + ".txt";
      INFO(path);
      if (std::getenv("GPUADVISE_UPDATE_GOLDEN") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
        if (!text.empty()) std::ofstream(path, std::ios::binary) << text;
        continue;
      }
      CHECK(slurp(path) == text);
    }
  }
}

}  // namespace
}  // namespace gpuadvise::test
