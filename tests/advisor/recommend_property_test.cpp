// What must hold of every recommendation, tried on random requests. The seed is fixed: the same requests every time.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include "gpuadvise/advise.h"
#include "gpuadvise/error.h"

#include "advisor/figures.h"
#include "builtin_rules.h"
#include "catch.h"
#include "report/advice.h"

namespace gpuadvise {
namespace {

using test::rules;

Advice ask(const Profile& profile, const Knowledge& knowledge = builtin_knowledge()) {
  RecommendOptions options;
  options.top = 3;
  return recommend(profile, knowledge, rules(), options);
}

std::string bytes(const Profile& profile, const Knowledge& knowledge = builtin_knowledge()) {
  std::ostringstream out;
  const base::Texts texts(knowledge.messages, Lang::en);
  report::print_advice_json(out, ask(profile, knowledge), knowledge, texts, 3, Objective::balanced);
  return out.str();
}

std::set<std::string_view> names(const Advice& advice) {
  std::set<std::string_view> out;
  for (const auto& r : advice.recommendations) out.insert(r.type->name);
  return out;
}

// One request of each kind, its numbers at random.
std::vector<Profile> profiles() {
  std::mt19937 random(20261130);  // NOLINT(cert-msc51-cpp): the same every time on purpose
  const auto pick = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  std::vector<Profile> out;
  const auto add = [&](std::string_view task) -> Profile& {
    out.emplace_back().task = task;
    return out.back();
  };
  for (const Method method : {Method::lora, Method::full}) {
    Profile& p = add("llm-finetune");
    p.model.params = pick({1.5e9, 7e9, 13e9, 32e9});
    p.training.method = method;
    p.training.sequence_length = static_cast<int>(pick({1024, 4096}));
    p.constraints.max_nodes = 4;
  }
  for (const std::string_view weights : {"bf16", "awq-int4"}) {
    Profile& p = add("llm-inference");
    p.model.params = pick({7e9, 14e9, 70e9});
    p.inference.weights = weights;
    p.inference.concurrency = pick({1, 8, 64});
  }
  for (const std::string_view task : {"rendering", "hpc", "cloud-gaming", "cv-training", "diffusion-inference"}) {
    add(task);
  }
  return out;
}

std::string describe(const Profile& p) {
  std::ostringstream text;
  text << *p.task << " " << p.model.params.value_or(0);
  return text.str();
}

TEST_CASE("the same request gives the same bytes", "[property]") {
  for (const auto& p : profiles()) {
    INFO(describe(p));
    CHECK(bytes(p) == bytes(p));
  }
}

TEST_CASE("what is recommended fits with room for error, and is explained in numbers", "[property]") {
  const double margin = builtin_knowledge().hardware.memory_margin;
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice advice = ask(p);
    REQUIRE_FALSE(advice.recommendations.empty());
    CHECK_FALSE(advice.recommendations.front().reasons.empty());
    for (const auto& reason : advice.recommendations.front().reasons) CHECK_FALSE(reason.text.empty());
    for (const auto& r : advice.recommendations) {
      INFO(r.type->name);
      const MemoryEstimate& m = r.estimate.memory;
      if (m.known) {
        CHECK(m.fits);
        CHECK(m.device * (1 + margin) <= m.capacity_gib + 1e-9);
        CHECK(m.headroom_gib >= 0);
      }
      CHECK(std::isfinite(r.score));
      CHECK(r.score >= 0);
      CHECK(r.score <= 100.0001);
      for (const auto& term : r.criteria) {
        INFO(term.criterion);
        CHECK(std::isfinite(term.contribution));
        CHECK((!term.value || std::isfinite(*term.value)));
      }
      const SpeedEstimate& s = r.estimate.speed;
      for (const auto& value : {s.tokens_per_second, s.samples_per_second, s.step_seconds, s.ttft_ms, s.tpot_ms,
                                s.output_tokens_per_second, s.relative, s.value}) {
        CHECK((!value || (std::isfinite(*value) && *value > 0)));
      }
      const CostEstimate& c = r.estimate.cost;
      CHECK(c.known == (c.price != nullptr));
      for (const auto& value : {c.per_hour, c.per_million_tokens, c.to_finish}) {
        CHECK((!value || (std::isfinite(*value) && *value > 0)));
      }
    }
  }
}

TEST_CASE("parameters that no card holds are turned away although activations are unknown", "[property]") {
  const double weights = 70e9 * 2 / 1073741824;
  for (const std::string_view task :
       {"cv-inference", "embedding-inference", "cv-training", "speech-training", "recsys-training"}) {
    INFO(task);
    Profile p;
    p.task = task;
    p.model.params = 70e9;
    const Advice advice = ask(p);
    CHECK(std::any_of(advice.rejected.begin(), advice.rejected.end(), [](const Rejection& r) {
      return r.reason.rule == "memory/at-least" && r.missing_gib > 0 &&
             r.reason.text.find("at least") != std::string::npos;
    }));
    for (const auto& r : advice.recommendations) {
      INFO(r.type->name);
      CHECK(r.machine.memory_gib * r.machine.accelerators_per_node * r.machine.nodes >= weights);
      CHECK(r.estimate.memory.at_least <= r.machine.memory_gib);
    }
  }
}

std::optional<double> value_of(const Recommendation& r, std::string_view criterion) {
  for (const auto& term : r.criteria) {
    if (term.criterion == criterion) return term.value;
  }
  return std::nullopt;
}

TEST_CASE("ties stand best first, and in each the score yields only to a cheaper card", "[property]") {
  const auto printed = [](const Recommendation& r) { return std::round(r.score * 10); };
  std::size_t yielded = 0;
  for (const auto& p : profiles()) {
    for (const Objective objective : {Objective::balanced, Objective::cost, Objective::speed}) {
      RecommendOptions options;
      options.objective = objective;
      options.top = 1;
      const Advice advice = recommend(p, builtin_knowledge(), rules(), options);
      const auto& all = advice.recommendations;
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        INFO(describe(p) << ": " << all[i].type->name << " before " << all[i + 1].type->name);
        CHECK((all[i + 1].tie == all[i].tie || all[i + 1].tie == all[i].tie + 1));
        double best_after = 0;
        for (std::size_t k = i + 1; k < all.size(); ++k) {
          if (all[k].tie != all[i].tie) CHECK(printed(all[k]) <= printed(all[i]));
          if (all[k].tie == all[i].tie) best_after = std::max(best_after, printed(all[k]));
        }
        // The best that it stands before, with a better score: dearer, and not on the same card.
        const auto over = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), [&](const auto& r) {
          return r.tie == all[i].tie && printed(r) == best_after && printed(r) > printed(all[i]);
        });
        if (over == all.end()) continue;
        ++yielded;
        CHECK(over->machine.accelerator != all[i].machine.accelerator);
        REQUIRE(value_of(*over, "cost"));
        REQUIRE(value_of(all[i], "cost"));
        CHECK(*value_of(all[i], "cost") < *value_of(*over, "cost"));
      }
    }
  }
  CHECK(yielded > 0);  // or nothing was tested
}

TEST_CASE("a stricter request never adds a candidate", "[property]") {
  constexpr std::string_view kVendors[] = {"tencent"};
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice loose = ask(p);
    const auto all = names(loose);
    std::vector<double> prices;
    std::vector<double> hours;
    for (const auto& r : loose.recommendations) {
      if (r.estimate.cost.per_hour) prices.push_back(*r.estimate.cost.per_hour);
      if (r.hours_to_finish) hours.push_back(*r.hours_to_finish);
    }
    const auto median = [](std::vector<double> values) {
      std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
      return values[values.size() / 2];
    };
    std::vector<std::pair<const char*, Profile>> stricter;
    stricter.emplace_back("vendor", p).second.constraints.vendors = kVendors;
    if (!prices.empty()) stricter.emplace_back("budget", p).second.constraints.budget_per_hour = median(prices);
    for (const auto& [what, profile] : stricter) {
      INFO(what);
      const auto fewer = names(ask(profile));
      CHECK(std::includes(all.begin(), all.end(), fewer.begin(), fewer.end()));
      CHECK(fewer.size() < all.size());
    }
    Profile one_node = p;
    one_node.constraints.max_nodes = 1;
    const auto on_one = names(ask(one_node));
    CHECK(std::includes(all.begin(), all.end(), on_one.begin(), on_one.end()));
    if (!hours.empty()) {
      // A deadline may take more machines; it may not bring in a type that could not do the work without it.
      Profile soon = p;
      soon.constraints.deadline_hours = median(hours);
      const auto in_time = names(ask(soon));
      CHECK(std::includes(all.begin(), all.end(), in_time.begin(), in_time.end()));
    }
    // So may room to spare: a type that no longer holds the job alone is tried as a cluster.
    Profile roomy = p;
    roomy.constraints.min_headroom = 0.3;
    const auto with_room = names(ask(roomy));
    CHECK(std::includes(all.begin(), all.end(), with_room.begin(), with_room.end()));
    for (const auto flag :
         {&ConstraintsSpec::cuda_only, &ConstraintsSpec::domestic_only, &ConstraintsSpec::export_unrestricted}) {
      Profile kind = p;
      kind.constraints.*flag = true;
      const auto of_kind = names(ask(kind));
      CHECK(std::includes(all.begin(), all.end(), of_kind.begin(), of_kind.end()));
    }
    constexpr std::string_view kNot[] = {"a100", "a10"};
    Profile without = p;
    without.constraints.not_accelerators = kNot;
    const auto left = names(ask(without));
    CHECK(std::includes(all.begin(), all.end(), left.begin(), left.end()));
    CHECK(left.size() < all.size());
  }
}

TEST_CASE("what a margin for error asks for, a larger one asks for too", "[property]") {
  for (const auto& p : profiles()) {
    INFO(describe(p));
    Knowledge careful = builtin_knowledge();
    const auto all = names(ask(p));
    careful.hardware.memory_margin = 0.25;
    const auto fewer = names(ask(p, careful));
    CHECK(std::includes(all.begin(), all.end(), fewer.begin(), fewer.end()));
  }
}

TEST_CASE("the front, the ties and the roles say what the numbers say", "[property]") {
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice advice = ask(p);
    std::size_t front = 0;
    for (const auto& r : advice.recommendations) {
      const auto cost = paid(r, advice.workload);
      const auto time = time_taken(r, advice.workload);
      if (!cost || !time) {
        CHECK_FALSE(r.pareto);
        continue;
      }
      const bool beaten = std::any_of(advice.recommendations.begin(), advice.recommendations.end(), [&](const auto& o) {
        const auto c = paid(o, advice.workload);
        const auto t = time_taken(o, advice.workload);
        return c && t && *c <= *cost && *t <= *time && (*c < *cost || *t < *time);
      });
      CHECK(r.pareto == !beaten);
      front += r.pareto ? 1 : 0;
      for (const Role role : r.roles) {
        if (role == Role::cheapest) {
          for (const auto& o : advice.recommendations)
            CHECK(paid(o, advice.workload).value_or(*cost) >= *cost * 0.9989);
        }
        if (role == Role::fastest) {
          for (const auto& o : advice.recommendations)
            CHECK(time_taken(o, advice.workload).value_or(*time) >= *time * 0.9989);
        }
      }
    }
    CHECK(front > 0);
    // An unknown price never beats a known one on cost.
    double worst = 1;
    const auto share = [](const Recommendation& r) {
      return std::find_if(r.criteria.begin(), r.criteria.end(), [](const auto& t) { return t.criterion == "cost"; })
          ->normalised;
    };
    for (const auto& r : advice.recommendations) {
      if (value_of(r, "cost")) worst = std::min(worst, share(r));
    }
    for (const auto& r : advice.recommendations) {
      if (!r.estimate.cost.known) CHECK(share(r) <= worst + 1e-12);
    }
    CHECK_FALSE(advice.recommendations.front().tied);
  }
}

TEST_CASE("own weights are all that counts", "[property]") {
  RecommendOptions options;
  options.weights = {{"cost", 3}};
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice advice = recommend(p, builtin_knowledge(), rules(), options);
    double sum = 0;
    for (const auto& w : advice.weights) sum += w.weight;
    CHECK(std::abs(sum - 1) < 1e-12);
    double best = std::numeric_limits<double>::infinity();
    const auto cost = [](const Recommendation& r) -> const ScoreTerm& {
      return *std::find_if(r.criteria.begin(), r.criteria.end(), [](const auto& t) { return t.criterion == "cost"; });
    };
    for (const auto& r : advice.recommendations) best = std::min(best, cost(r).value.value_or(best));
    for (const auto& r : advice.recommendations) {
      if (!cost(r).value) continue;
      CHECK(std::abs(r.score - 100 * std::min(1.0, best / *cost(r).value / cost(r).factor)) < 1e-6);
    }
  }
  options.weights = {{"costs", 1}};
  CHECK_THROWS_AS(recommend(profiles().front(), builtin_knowledge(), rules(), options), InputError);
}

// Any task with anything that it may be asked with, at random.
Profile anything(std::mt19937& random) {
  const auto& tasks = builtin_knowledge().catalog.tasks;
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  const auto pick = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  const auto word = [&](std::initializer_list<std::string_view> words) {
    return words.begin()[random() % words.size()];
  };
  Profile p;
  const TaskPreset& task = tasks[random() % tasks.size()];
  p.task = task.id;
  const bool language =
      task.kind == TaskKind::llm_training || task.kind == TaskKind::llm_serving || task.kind == TaskKind::interactive;
  if (language) {
    if (chance(50)) {
      p.model.params = pick({0.5e9, 1.5e9, 7e9, 13e9, 34e9, 70e9, 175e9, 405e9, 1e12});
    } else {
      p.model.name = word({"qwen2.5-7b", "llama-3.1-70b", "deepseek-r1", "mixtral-8x7b", "qwen3-30b-a3b"});
    }
  }
  if (task.kind == TaskKind::llm_training) {
    if (chance(60)) p.training.method = static_cast<Method>(random() % 4);
    if (chance(60)) p.training.sequence_length = static_cast<int>(pick({128, 2048, 32768, 131072}));
    if (chance(30)) p.training.global_batch = static_cast<int>(pick({1, 7, 64, 4096}));
    if (chance(20)) p.training.precision = Precision::fp16;
  }
  if (task.kind == TaskKind::llm_serving) {
    if (chance(50)) p.inference.weights = word({"bf16", "fp16", "fp8", "int8", "awq-int4"});
    if (chance(30)) p.inference.requests_per_second = pick({0.1, 5, 300});
    if (chance(30)) p.inference.slo = Slo{pick({50, 2000}), pick({5, 100})};
    if (chance(30)) p.inference.input_tokens = static_cast<int>(pick({1, 512, 100000}));
  }
  if (chance(30)) p.inference.concurrency = pick({1, 17, 1000});
  if (chance(25)) p.constraints.max_nodes = static_cast<int>(pick({1, 2, 1000}));
  if (chance(15)) p.constraints.budget_per_hour = pick({0.01, 20, 1e6});
  if (chance(15)) p.constraints.deadline_hours = pick({0.01, 100, 1e6});
  if (chance(15)) p.constraints.min_headroom = pick({0.0, 0.5, 0.9});
  if (chance(10)) p.constraints.cuda_only = true;
  if (chance(10)) p.constraints.domestic_only = true;
  if (chance(20)) p.operations.charge_type = static_cast<ChargePreference>(random() % 4);
  return p;
}

TEST_CASE("any request gets an answer in numbers and words, under any objective", "[property]") {
  std::mt19937 random(6);  // NOLINT(cert-msc51-cpp): the same every time on purpose
  std::size_t answered = 0;
  for (int i = 0; i < 100; ++i) {
    const Profile p = anything(random);
    for (const Objective objective : {Objective::cost, Objective::balanced, Objective::speed}) {
      INFO(i << " " << describe(p));
      RecommendOptions options;
      options.objective = objective;
      options.top = 3;
      const Advice advice = recommend(p, builtin_knowledge(), rules(), options);
      CHECK(advice.recommendations.size() + advice.rejected.size() == advice.searched);
      for (const auto& r : advice.rejected) CHECK_FALSE(r.reason.text.empty());
      if (advice.recommendations.empty()) continue;
      ++answered;
      CHECK_FALSE(advice.recommendations.front().reasons.empty());
      for (const auto& r : advice.recommendations) {
        CHECK(std::isfinite(r.score));
        for (const auto& term : r.criteria) {
          CHECK(std::isfinite(term.contribution));
          CHECK((!term.value || std::isfinite(*term.value)));
        }
        const MemoryEstimate& m = r.estimate.memory;
        CHECK((std::isfinite(m.total) && std::isfinite(m.device) && std::isfinite(m.headroom_gib)));
        const SpeedEstimate& s = r.estimate.speed;
        for (const auto& value :
             {s.tokens_per_second, s.samples_per_second, s.step_seconds, s.ttft_ms, s.tpot_ms,
              s.output_tokens_per_second, s.relative, s.value, r.hours_to_finish, r.estimate.cost.per_hour,
              r.estimate.cost.per_million_tokens, r.estimate.cost.to_finish}) {
          CHECK((!value || (std::isfinite(*value) && *value > 0)));
        }
        for (const auto& note : r.reasons) CHECK_FALSE(note.text.empty());
        for (const auto& note : r.warnings) CHECK_FALSE(note.text.empty());
      }
    }
  }
  CHECK(answered > 100);
}

TEST_CASE("a type that is no better and dearer does not change the pick", "[property]") {
  const Knowledge& ours = builtin_knowledge();
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice before = ask(p);
    REQUIRE_FALSE(before.recommendations.empty());
    const Recommendation& pick = before.recommendations.front();
    std::vector<Family> families(ours.catalog.families.begin(), ours.catalog.families.end());
    std::vector<InstanceType> types(pick.family->types.begin(), pick.family->types.end());
    InstanceType copy = *pick.type;
    copy.name = "a.dominated.type";  // before all others by name
    types.push_back(copy);
    for (auto& family : families) {
      if (family.name == pick.family->name && family.vendor == pick.family->vendor) family.types = types;
    }
    std::vector<Price> prices(ours.catalog.prices.begin(), ours.catalog.prices.end());
    for (const Price& price : ours.catalog.prices) {
      if (price.type != pick.type->name) continue;
      prices.push_back(price);
      prices.back().type = copy.name;
      prices.back().amount *= 1.5;
    }
    Knowledge more = ours;
    more.catalog.families = families;
    more.catalog.prices = prices;
    const Advice after = ask(p, more);
    CHECK(after.recommendations.size() == before.recommendations.size() + 1);
    if (pick.estimate.cost.known) CHECK(after.recommendations.front().type->name == pick.type->name);
    CHECK(after.recommendations.front().estimate.cost.per_hour == pick.estimate.cost.per_hour);
  }
}

TEST_CASE("prices in another unit give the same order", "[property]") {
  const Knowledge& ours = builtin_knowledge();
  std::vector<Price> dearer(ours.catalog.prices.begin(), ours.catalog.prices.end());
  for (auto& price : dearer) price.amount *= 8;  // exact in binary
  Knowledge scaled = ours;
  scaled.catalog.prices = dearer;
  for (const auto& p : profiles()) {
    INFO(describe(p));
    const Advice a = ask(p);
    const Advice b = ask(p, scaled);
    REQUIRE(a.recommendations.size() == b.recommendations.size());
    for (std::size_t i = 0; i < a.recommendations.size(); ++i) {
      CHECK(a.recommendations[i].type->name == b.recommendations[i].type->name);
    }
  }
}

TEST_CASE("the order of the catalog's rows does not show in the answer", "[property]") {
  const Knowledge& ours = builtin_knowledge();
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same every time on purpose
  std::vector<Family> families(ours.catalog.families.begin(), ours.catalog.families.end());
  std::vector<std::vector<InstanceType>> types;
  types.reserve(families.size());
  std::shuffle(families.begin(), families.end(), random);
  for (auto& family : families) {
    auto& own = types.emplace_back(family.types.begin(), family.types.end());
    std::shuffle(own.begin(), own.end(), random);
    family.types = own;
  }
  Knowledge shuffled = ours;
  shuffled.catalog.families = families;
  for (const auto& p : profiles()) {
    INFO(describe(p));
    CHECK(bytes(p) == bytes(p, shuffled));
  }
}

}  // namespace
}  // namespace gpuadvise
