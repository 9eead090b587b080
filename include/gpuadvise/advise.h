// The advisor: which instance types should run a workload, and why. Everything the command line answers comes from
// here. All functions are pure: the same input gives the same answer, and one Knowledge serves many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpuadvise/estimate.h"
#include "gpuadvise/knowledge.h"
#include "gpuadvise/objective.h"
#include "gpuadvise/profile.h"
#include "gpuadvise/rules.h"
#include "gpuadvise/serving.h"
#include "gpuadvise/workload.h"

namespace gpuadvise {

// One sentence of reasoning: the rule it comes from, and the words in the language asked for.
struct Note {
  std::string_view rule;  // area/name
  Severity severity = Severity::note;
  std::string text;
  std::string remedy;            // what to do about it; may be empty
  std::string seen;              // with `explain`: the values that the rule looked at
  std::string_view origin = {};  // the user's file that stated or changed the rule; empty: built in
};

// One criterion of a score in its own unit.
struct ScoreTerm {
  std::string_view criterion;   // cost, time, latency, memory, network, lifecycle, availability
  std::optional<double> value;  // unknown: no value, and no contribution
  std::string_view unit;
  double normalised = 0;  // 1 is the best of all candidates
  double weight = 0;
  double factor = 1;        // product of the rules that penalise (above 1) or reward it
  double contribution = 0;  // weight x normalised / factor
};

// One of the answers that people look for in a ranking, beside the pick itself.
enum class Role : std::uint8_t { cheapest, fastest, balanced, safest_supply };
std::string_view name_of(Role role);  // "safest_supply"

struct Recommendation {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  Machine machine;
  Layout layout;
  Estimate estimate;
  std::optional<double> hours_to_finish;
  std::optional<ServingFleet> fleet;  // for an offered load in requests per second
  int runs_at_once = 1;       // of a sweep: each on nodes / runs_at_once machines, in the layout that stands above
  int machines_together = 1;  // that talk to each other: those of one job, run or replica
  std::optional<double> single_machine_ratio;  // of several machines: speed against one of them, where one would do
  bool named = false;                          // the user asked for this family or type by name
  double score = 0;                            // 0 to 100
  bool pareto = false;  // no other that fits is both cheaper and faster; false where cost is unknown
  bool tied = false;    // with the pick: the scores differ by less than the error of the estimates
  int tie = 0;          // candidates of one number cannot be told apart by their estimates; 1 holds the pick
  std::vector<Role> roles;
  std::vector<ScoreTerm> criteria;
  std::vector<Note> reasons;
  std::vector<Note> warnings;  // filled for the first RecommendOptions::top only, gravest first
};

struct Rejection {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  Note reason;
  double missing_gib = 0;  // for memory/fit: how much more one card would need
};

// The type that failed by least, and the smallest change found that makes it run, verified by estimating again.
struct NearestMiss {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  Machine machine;
  double needed_gib = 0;
  double capacity_gib = 0;
  std::string change;  // as flags: "--method qlora"; empty: none of those tried is enough
  double changed_gib = 0;
};

// A name in the request that is not a documented family or needs a caveat, and what was searched instead.
struct ResolvedName {
  std::string name;
  bool documented = false;
  std::vector<const Family*> searched;
  const NameNote* note = nullptr;
};

// Types that a list of the request left out before anything was tried.
struct Cut {
  std::string_view constraint;  // "constraints.vendors", ...; "search.status" for what --include would add
  std::size_t types = 0;
};

struct RecommendOptions {
  Objective objective = Objective::balanced;
  std::size_t top = 5;
  std::vector<CriterionWeight> weights;  // in place of the objective's: only what stands here counts
  std::vector<Status> include;           // statuses searched besides the default
  Lang lang = Lang::en;                  // of the notes
  bool explain = false;                  // keep the values that rules saw
  bool exhaustive = false;               // list every reason against a type, not the first alone
  bool brief = false;  // of rejections, put only the first of each rule into words: what a screen shows
};

struct Advice {
  Profile asked;  // before defaults
  Workload workload;
  std::vector<Recommendation> recommendations;  // best first, all that fit
  std::vector<Rejection> rejected;
  std::vector<CriterionWeight> weights;  // that the ranking used; they add up to 1
  std::vector<Cut> cuts;
  std::vector<ResolvedName> resolved_names;
  std::optional<NearestMiss> nearest_miss;
  std::size_t searched = 0;
};

// Throws InputError where the profile is wrong. An empty `recommendations` is an answer, not an error.
// `rules` are the built-in ones unless the user laid others over them.
Advice recommend(const Profile& profile, const Knowledge& knowledge, const RuleSet& rules,
                 const RecommendOptions& options = {});

// An engine or framework that no measurement was made with: estimates then take the general class and its wider band.
struct UnmeasuredWord {
  std::string_view field;                 // "inference.engine"
  std::string_view word;                  // what the profile says
  std::vector<std::string_view> nearest;  // words that were measured
};
std::vector<UnmeasuredWord> unmeasured_words(const Profile& profile, const Calibration& calibration);

// Why a type is not the pick, and the smallest change that would make it run, verified by recommending again.
struct WhyNot {
  const Family* family = nullptr;
  const InstanceType* type = nullptr;
  std::vector<Note> failures;              // empty: it runs, and is only ranked lower
  std::optional<std::size_t> rank;         // where it runs: its place among all that fit
  std::optional<Recommendation> as_asked;  // where it runs
  std::vector<std::string> changes;        // flags, all needed together; empty where it runs or none was found
  std::optional<Recommendation> with_changes;
  // Where it runs and is not the pick: what would make it the pick, each found by recommending again.
  std::vector<std::string> wins_with;  // flags, each enough alone: "--optimize speed"
  std::optional<double> wins_below;    // price of one machine and hour (month, year) in the request's charge type
  std::string_view wins_below_currency;
};

// `name` is an instance type, a family or a card; the first few types of a family or card are answered. `profile` is
// the request, `advice` its answer. Throws InputError for a name that means nothing.
std::vector<WhyNot> why_not(std::string_view name, const Profile& profile, const Advice& advice,
                            const Knowledge& knowledge, const RuleSet& rules, const RecommendOptions& options);

// One layout, as the profile's hardware and parallelism say it.
struct ProfileEstimate {
  Workload workload;
  Machine machine;
  Layout layout;
  const Family* family = nullptr;  // where the profile names an instance type
  const InstanceType* type = nullptr;
  Estimate estimate;
  std::vector<Note> failures;  // of what_rejects(), for whoever prints the estimate; estimate() leaves it empty
};
ProfileEstimate estimate(const Profile& profile, const Knowledge& knowledge);

// What the rules have against running the work on the estimate's type at all, whatever the layout: a number format that
// the card lacks, kernels, a missing encoder. Without a type, on its card. Memory is judged by the estimate itself.
std::vector<Note> what_rejects(const ProfileEstimate& estimate, const Knowledge& knowledge, const RuleSet& rules,
                               Lang lang = Lang::en);

}  // namespace gpuadvise
