#include "check/judge.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "base/message.h"
#include "base/text.h"
#include "catalog/lookup.h"
#include "check/claims.h"
#include "check/sizing.h"
#include "check/subject.h"
#include "check/types.h"
#include "gpuadvise/rule_facts.h"

namespace gpuadvise::check {

namespace {

// What a rule is about, by the fields it looks at: it speaks once for each of these.
enum class Level : unsigned char { machine, group, type, claim, disk };

Level level_of(const Rule& rule) {
  bool type = false;
  bool group = false;
  for (const auto index : rule.fields) {
    const std::string_view name = info(static_cast<Field>(index)).name;
    if (name.starts_with("plan.claim")) return Level::claim;
    if (name.starts_with("plan.disk_")) return Level::disk;
    if (name == "plan.zones" || name == "plan.zone_count" || name == "plan.cards" || name == "plan.card_kinds" ||
        name == "layout.nodes" || name == "plan.machines" || name == "plan.placement") {
      group = true;
    }
    if (name.starts_with("plan.type") || name.starts_with("instance.") || name.starts_with("family.") ||
        name.starts_with("accelerator.") || name.starts_with("estimate.") || name.starts_with("cost.") ||
        name == "plan.need_ratio" || name == "plan.cheaper_type") {
      type = true;
    }
  }
  if (group) return Level::group;
  return type ? Level::type : Level::machine;
}

bool is_judged(Role role) {
  return role == Role::machine || role == Role::pool || role == Role::templ || role == Role::pod || role == Role::service ||
         role == Role::group;
}

class Judge {
 public:
  Judge(const Plan& plan, const Config& config, const Knowledge& knowledge, const RuleSet& rules, Lang lang)
      : plan_(plan),
        config_(config),
        knowledge_(knowledge),
        lang_(lang),
        chinese_(lang == Lang::zh),
        texts_(knowledge.messages, lang),
        types_(knowledge.catalog),
        cards_(knowledge.catalog),
        sizer_(knowledge) {
    for (const ActiveRule* rule : rules.of(RuleScope::plan)) by_level_[level_of(*rule->rule)].push_back(rule);
    // Advice on choosing speaks here too where it rejects or warns: a plan is a choice that was made.
    for (const ActiveRule* rule : rules.of(RuleScope::candidate)) {
      if (rule->severity == Severity::note || rule->rule->spec.effect == Effect::reward) continue;
      (level_of(*rule->rule) == Level::group ? candidate_job_ : candidate_).push_back(rule);
    }
    for (const auto& named : config.workloads) {
      stated_.push_back(resolve(named.profile, knowledge.catalog));
      stated_names_[named.name] = &stated_.back();
    }
  }

  Judgement run() {
    gaps_ = storage_gaps(plan_);
    for (std::size_t i = 0; i < plan_.machines.size(); ++i) {
      if (is_judged(plan_.machines[i].role)) add_subject(i);
    }
    make_groups();
    for (auto& subject : subjects_) judge_subject(subject);
    out_.machines = static_cast<int>(subjects_.size());
    for (auto& [name, used] : used_) out_.workloads.push_back(std::move(used));
    return std::move(out_);
  }

 private:
  const Catalog& catalog() const { return knowledge_.catalog; }

  // The workload that the configuration, a tag or the plan itself names; empty: none.
  std::string mapped_workload(const PlannedMachine& m) const {
    if (!m.workload.empty() && stated_names_.contains(m.workload)) return m.workload;
    for (const auto key : {"gpuadvise:workload", "gpuadvise/workload", "gpuadvise.workload"}) {
      const std::string named(value_of(m.labels, key));
      if (stated_names_.contains(named)) return named;
    }
    for (const auto& mapping : config_.map) {
      if (glob_match(mapping.match, m.resource) || glob_match(mapping.match, m.name) || glob_match(mapping.match, m.group)) {
        return mapping.workload;
      }
    }
    return {};
  }

  void add_subject(std::size_t index) {
    const PlannedMachine& m = plan_.machines[index];
    Subject subject;
    subject.machine = &m;
    subject.environment = environment_of(m, plan_.environment);
    subject.hints = read_hints(m, knowledge_.plans, catalog(), arena_);
    subject.use = subject.hints.use;
    if (const auto gap = gaps_.find(index); gap != gaps_.end()) subject.storage = &gap->second;
    const std::string name = mapped_workload(m);
    if (!name.empty()) {
      subject.workload = stated_names_.at(name);
      subject.workload_name = name;
    } else if (subject.hints.profile) {
      infer_workload(subject);
    } else {
      subject.inferred = subject.use != Use::unknown;
    }
    if (subject.workload != nullptr) {
      const TaskKind kind = subject.workload->kind;
      subject.use = kind == TaskKind::llm_training || kind == TaskKind::media_training  ? Use::training
                    : kind == TaskKind::llm_serving || kind == TaskKind::media_inference ? Use::serving
                    : kind == TaskKind::rendering || kind == TaskKind::streaming         ? Use::graphics
                                                                                         : Use::unknown;
      auto& used = used_[subject.workload_name];
      used.name = subject.workload_name;
      used.task = subject.workload->task == nullptr ? "" : std::string(subject.workload->task->id);
      used.model = subject.workload->model == nullptr ? "" : std::string(subject.workload->model->id);
      used.inferred = subject.inferred;
      ++used.machines;
    }
    subjects_.push_back(std::move(subject));
  }

  // Equal profiles share one workload, so that their sizings are shared too.
  void infer_workload(Subject& subject) {
    const Profile& profile = *subject.hints.profile;
    std::string key = std::string(profile.task.value_or("")) + "|" + std::string(profile.model.name.value_or("")) + "|" +
                      std::to_string(profile.model.params.value_or(0)) + "|" +
                      std::string(profile.inference.weights.value_or("")) + "|" +
                      std::to_string(profile.inference.max_context.value_or(0)) + "|" +
                      std::to_string(profile.inference.concurrency.value_or(0)) + "|" +
                      std::to_string(profile.inference.gpu_memory_utilization.value_or(0)) + "|" +
                      std::to_string(profile.parallelism.tensor.value_or(0)) + "|" +
                      std::to_string(profile.parallelism.pipeline.value_or(0)) + "|" +
                      std::to_string(profile.parallelism.zero_stage.value_or(-1)) + "|" +
                      std::to_string(static_cast<int>(profile.training.method.value_or(Method::freeze))) + "|" +
                      std::to_string(profile.training.sequence_length.value_or(0)) + "|" +
                      std::to_string(profile.training.micro_batch.value_or(0)) + "|" +
                      std::to_string(profile.training.global_batch.value_or(0)) + "|" +
                      std::to_string(profile.training.lora_rank.value_or(0)) + "|" +
                      std::to_string(static_cast<int>(profile.training.precision.value_or(Precision::none)));
    subject.inferred = true;
    const auto found = inferred_.find(key);
    if (found != inferred_.end()) {
      subject.workload = found->second;
    } else {
      try {
        stated_.push_back(resolve(profile, catalog()));
        subject.workload = &stated_.back();
      } catch (const InputError&) {
        subject.workload = nullptr;  // what was read off contradicts itself: better nothing than a guess
      }
      inferred_[key] = subject.workload;
    }
    if (subject.workload != nullptr) {
      subject.workload_name = texts_("check/inferred-name", {{"model", base::printable(subject.hints.model)}});
    }
  }

  void make_groups() {
    std::unordered_map<std::string, std::size_t> by_key;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      Subject& subject = subjects_[i];
      const PlannedMachine& m = *subject.machine;
      std::string key = m.group;
      // A stated training workload is one job: separate resources of one type that run it work together.
      const bool one_job = subject.use == Use::training && !subject.inferred && subject.workload != nullptr &&
                           m.format != "gpuadvise" && m.role == Role::machine && m.types.size() == 1;
      if (one_job) key = "workload " + subject.workload_name + " " + m.types.front().text;
      const auto [at, fresh] = by_key.emplace(key, groups_.size());
      if (fresh) groups_.push_back({m.group, {}, {}, {}, 0, false, {}, {}, {}, {}});
      subject.group = at->second;
      groups_[at->second].members.push_back(i);
    }
    for (auto& group : groups_) fill_group(group);
  }

  void fill_group(Group& group) {
    std::set<std::string> zones;
    std::set<std::string> cards;
    double nodes = 0;
    for (const std::size_t i : group.members) {
      const PlannedMachine& m = *subjects_[i].machine;
      zones.insert(m.zones.begin(), m.zones.end());
      if (!m.choices) {
        for (const auto& type : m.types) {
          const TypeMatch& match = types_.find(type.text);
          if (match.card != nullptr) cards.insert(std::string(match.card->name));
        }
      }
      nodes += m.nodes.value_or(1);
      group.nodes_known = group.nodes_known || m.nodes.has_value() || group.members.size() > 1;
    }
    group.nodes = nodes;
    group.zones.assign(zones.begin(), zones.end());
    group.cards.assign(cards.begin(), cards.end());
    for (const auto& zone : group.zones) group.zone_views.emplace_back(zone);
    for (const auto& card : group.cards) group.card_views.emplace_back(card);
    for (const std::size_t i : group.members) {
      Subject& subject = subjects_[i];
      double span = 1;
      if (subject.use == Use::training && !subject.machine->replicas) {
        span = subject.hints.job_nodes ? std::max(*subject.hints.job_nodes, nodes) : nodes;
      } else if (subject.workload != nullptr && subject.use == Use::serving) {
        // A replica that is cut over more cards than a machine has spans several machines.
        const auto& cut = subject.workload->profile.parallelism;
        if (cut.pipeline.value_or(1) > 1) span = std::min(nodes, static_cast<double>(*cut.pipeline));
      }
      subject.nodes = static_cast<int>(std::clamp(span, 1.0, 4096.0));
    }
  }

  // ---- rules ----

  struct About {
    const Subject* subject;
    std::string_view type;
    Place place;
    std::string detail;  // tells findings of one rule and resource apart
  };

  void judge_subject(Subject& subject) {
    const PlannedMachine& m = *subject.machine;
    RuleContext base;
    RuleLists lists;
    if (subject.workload != nullptr) {
      set_workload(base, *subject.workload, lists);
      set_checkpoint_size(base, *subject.workload);
      // A preset's guess at the environment is no statement of the plan.
      const auto& assumed = subject.workload->assumptions;
      const bool guessed = std::any_of(assumed.begin(), assumed.end(),
                                       [](const Assumption& a) { return a.field == "operations.environment"; });
      if (guessed) base.clear(Field::request_environment);
    }
    set_plan(base, subject, groups_[subject.group]);
    if (m.types.empty()) {
      if (m.role != Role::group) judge_without_type(subject, base);
      return;
    }
    for (const auto& type : m.types) judge_type(subject, type, base);
  }

  void set_checkpoint_size(RuleContext& c, const Workload& w) {
    // Weights as they lie on disk: two bytes a parameter, unless they are kept in another format.
    const std::string_view weights = w.profile.inference.weights.value_or("");
    const double bytes = weights == "fp32"                                                            ? 4
                         : weights == "fp8" || weights == "int8" || weights == "w8a8"                   ? 1
                         : weights.find("int4") != std::string_view::npos || weights == "nf4"           ? 0.5
                                                                                                         : 2;
    constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
    if (w.params > 0 && !(c.known(Field::workload_checkpoint_gib))) c.set(Field::workload_checkpoint_gib, w.params * bytes / kGib);
  }

  void judge_without_type(Subject& subject, RuleContext& base) {
    const PlannedMachine& m = *subject.machine;
    RuleLists lists;
    // A card that is asked for by name is known even where the machine is not.
    if (!m.accelerator.empty()) {
      const auto mentions = cards_.find(m.accelerator, true);
      const Accelerator* card = mentions.empty() ? nullptr : cards_.accelerator(mentions.front());
      if (card != nullptr) set_accelerator(base, *card, catalog(), lists);
    }
    base.set(Field::plan_type_documented, false);
    const About about{&subject, "", m.place, ""};
    apply(by_level_[Level::machine], base, about, Level::machine);
    apply(by_level_[Level::type], base, about, Level::type);
    apply(by_level_[Level::group], base, about, Level::group);
    if (!m.accelerator.empty()) {
      apply(candidate_, base, about, Level::type);
      apply(candidate_job_, base, about, Level::group);
    }
    std::string storage;
    for (const auto& disk : m.disks) {
      RuleContext context = base;
      set_disk(context, disk, knowledge_.plans, {}, storage);
      apply(by_level_[Level::disk], context, {&subject, "", m.place, disk.category + disk.level}, Level::disk);
    }
  }

  // Everything that is known of the type, on top of the plan's own facts.
  struct TypeFacts {
    const TypeMatch* match = nullptr;
    const Sizing* sizing = nullptr;
    std::string truth;
    std::string cheaper;
    RuleLists lists;
  };

  void set_type(RuleContext& c, const Subject& subject, std::string_view text, TypeFacts& facts) {
    const TypeMatch& match = types_.find(text);
    facts.match = &match;
    c.set(Field::plan_type, text);
    c.set(Field::plan_type_documented, match.type != nullptr);
    c.set(Field::plan_type_accelerated, match.accelerated);
    c.set(Field::plan_type_foreign, match.foreign || (!subject.machine->platform.empty() && match.type == nullptr));
    c.set(Field::plan_type_trial, match.trial);
    c.set(Field::plan_type_vendor, match.named_vendor);
    c.set(Field::plan_suggestion, match.suggestion);
    if (match.note != nullptr) {
      facts.truth = std::string(chinese_ ? match.note->truth.zh : match.note->truth.en);
      c.set(Field::plan_name_truth, facts.truth);
    }
    if (match.type == nullptr) return;
    set_instance(c, *match.family, *match.type, match.card, catalog(), facts.lists);
    if (match.family->rdma.empty() && !match.type->rdma_gbps) {
      // No page read names RDMA for the family: a plan that needs it must not count on it.
      c.set(Field::instance_rdma_gbps, 0.0);
    }
    set_cost(c, subject, match);
    if (subject.workload != nullptr) set_sizing(c, subject, match, facts);
  }

  void set_cost(RuleContext& c, const Subject& subject, const TypeMatch& match) {
    const Price* price = sizer_.price(*match.family, *match.type, subject.workload);
    c.set(Field::cost_known, price != nullptr);
    if (price == nullptr) return;
    if (price->charge != ChargeType::on_demand && price->charge != ChargeType::spot) return;
    c.set(Field::cost_currency, price->currency);
    c.set(Field::cost_per_hour, price->amount * std::max(1.0, groups_[subject.group].nodes));
  }

  void set_sizing(RuleContext& c, const Subject& subject, const TypeMatch& match, TypeFacts& facts) {
    const Sizing* sizing = sizer_.size(*subject.workload, *match.family, *match.type, subject.nodes);
    if (sizing == nullptr) return;
    facts.sizing = sizing;
    set_layout(c, sizing->machine, sizing->layout);
    set_estimate(c, sizing->estimate);
    const MemoryEstimate& memory = sizing->estimate.memory;
    if (memory.known) {
      c.set(Field::estimate_memory_fits, memory.fits);
      if (!memory.fits) {
        // What decides is what the card must have, against what the engine may take of it.
        c.set(Field::estimate_memory_total_gib, memory.required);
        const double limit = memory.limit_gib > 0 ? std::min(memory.limit_gib, memory.capacity_gib) : memory.capacity_gib;
        c.set(Field::estimate_memory_capacity_gib, limit);
      }
    }
    if (sizing->single_node_ratio) c.set(Field::estimate_single_node_speed_ratio, *sizing->single_node_ratio);
    set_cost(c, subject, match);
    if (subject.use == Use::serving && sizing->needed_gib > 0 && sizing->estimate.memory.fits) {
      const double cards = std::max(1.0, sizing->machine.accelerators_per_node);
      c.set(Field::plan_need_ratio, cards * sizing->machine.memory_gib / sizing->needed_gib);
    }
  }

  // Plans are full of plain machines; only those with accelerators, or that ought to have them, are ours to judge.
  bool is_ours(const PlannedMachine& m, std::string_view type) {
    const TypeMatch& match = types_.find(type);
    if (match.type != nullptr || match.accelerated || match.foreign || !m.platform.empty()) return true;
    return std::any_of(m.containers.begin(), m.containers.end(), [](const Container& c) {
      return c.gpus.value_or(0) > 0 || c.npus.value_or(0) > 0 || c.gpu_memory_gib.value_or(0) > 0;
    });
  }

  void judge_type(Subject& subject, const TypeText& type, const RuleContext& base) {
    const PlannedMachine& m = *subject.machine;
    if (!is_ours(m, type.text)) return;
    RuleContext context = base;
    TypeFacts facts;
    set_type(context, subject, type.text, facts);
    const About about{&subject, type.text, m.types.size() > 1 ? type.place : m.place, ""};
    apply(by_level_[Level::machine], context, about, Level::machine);
    apply(by_level_[Level::type], context, about, Level::type);
    apply(by_level_[Level::group], context, about, Level::group);
    apply(candidate_, context, about, Level::type);
    apply(candidate_job_, context, about, Level::group);
    judge_claims(subject, type, context, facts, about);
    std::string storage;
    const auto supported = facts.match->family == nullptr ? std::span<const std::string_view>() : facts.match->family->disks;
    for (const auto& disk : m.disks) {
      set_disk(context, disk, knowledge_.plans, supported, storage);
      About of_disk = about;
      of_disk.detail = disk.category + disk.level;
      apply(by_level_[Level::disk], context, of_disk, Level::disk);
    }
  }

  void judge_claims(Subject& subject, const TypeText& type, const RuleContext& base, const TypeFacts& facts, const About& about) {
    const Accelerator* card = facts.match->card;
    if (card == nullptr || by_level_[Level::claim].empty()) return;
    const double cards = facts.match->type->accelerators.value_or(0);
    const double all = cards * std::max(1.0, groups_[subject.group].nodes);
    const auto judge_text = [&](std::string_view text, Claim::From from, const Place& place, bool about_card) {
      for (const auto& mention : cards_.find(text, about_card)) {
        const bool wrong = !CardNames::is(*card, mention);
        const bool counts = mention.count && cards > 0;
        const bool miscounted = counts && std::fabs(*mention.count - cards) > 0.01 && std::fabs(*mention.count - all) > 0.01;
        if (!wrong && !miscounted) continue;
        RuleContext context = base;
        constexpr std::size_t kShown = 80;
        const std::string shown(text.substr(0, kShown));
        context.set(Field::plan_claim, shown);
        context.set(Field::plan_claim_from, from == Claim::From::selector  ? "selector"
                                            : from == Claim::From::label   ? "label"
                                            : from == Claim::From::comment ? "comment"
                                                                           : "name");
        context.set(Field::plan_claim_card_wrong, wrong);
        context.set(Field::plan_claim_count_wrong, miscounted);
        About of_claim = about;
        if (place.line > 0) of_claim.place = place;
        of_claim.detail = shown;
        apply(by_level_[Level::claim], context, of_claim, Level::claim);
        return;
      }
    };
    (void)type;
    for (const auto& claim : subject.machine->claims) {
      // A wrong place for a name only matters where the card is spelled out.
      judge_text(claim.text, claim.from, claim.place, claim.from == Claim::From::selector);
    }
    for (const auto& [key, value] : subject.machine->labels) {
      const std::string k = base::lower(key);
      if (k.find("gpuadvise") != std::string::npos || k.find("instance-type") != std::string::npos) continue;
      const bool of_card = k.find("gpu") != std::string::npos || k.find("accelerator") != std::string::npos ||
                           k.find("card") != std::string::npos || k.find("npu") != std::string::npos;
      const bool seen = std::any_of(subject.machine->claims.begin(), subject.machine->claims.end(),
                                    [&](const Claim& claim) { return claim.text == value; });
      if (!seen) judge_text(value, Claim::From::label, Place{}, of_card);
    }
  }

  void apply(const RuleList& rules, RuleContext& context, const About& about, Level level) {
    if (rules.empty()) return;
    fired_.clear();
    for (const Firing& firing : evaluation_.apply(rules, context)) fired_.push_back(firing.rule);
    for (const ActiveRule* rule : fired_) report(*rule, context, about, level);
  }

  void report(const ActiveRule& rule, RuleContext& context, const About& about, Level level) {
    const Subject& subject = *about.subject;
    const PlannedMachine& m = *subject.machine;
    std::string key(rule.id());
    key += '\n';
    if (level == Level::group) {
      key += "group " + std::to_string(subject.group);
    } else {
      key += m.resource + "\n" + m.place.str();
      if (level != Level::machine) key += "\n" + std::string(about.type);
      key += "\n" + about.detail;
    }
    if (!reported_.insert(key).second) return;

    Finding finding;
    finding.rule = std::string(rule.id());
    finding.severity = rule.severity;
    const Group& group = groups_[subject.group];
    finding.resource = level == Level::group && group.members.size() > 1 ? group_address(group) : m.resource;
    finding.place = about.place;
    finding.instance_type = std::string(about.type);
    finding.message = evaluation_.message(rule, context, lang_);
    if (subject.inferred && uses_workload(*rule.rule)) {
      finding.message += " " + texts_("check/inferred", {{"what", inferred_words(subject)}});
    }
    finding.remedy = remedy(rule, context, about);
    for (const auto source : rule.rule->spec.sources) finding.sources.emplace_back(source);
    finding.fingerprint = about.detail;
    out_.findings.push_back(std::move(finding));
  }

  // alicloud_instance.node[0..3] for machines that count through, otherwise the first and how many more.
  std::string group_address(const Group& group) const {
    const std::string& first = subjects_[group.members.front()].machine->resource;
    const std::string& last = subjects_[group.members.back()].machine->resource;
    const auto open = first.rfind('[');
    const bool counts = open != std::string::npos && first.ends_with("[0]") && last.ends_with("]") &&
                        last.compare(0, open + 1, first, 0, open + 1) == 0;
    if (counts) return first.substr(0, first.size() - 1) + ".." + last.substr(open + 1);
    return first + " +" + std::to_string(group.members.size() - 1);
  }

  std::string inferred_words(const Subject& subject) const {
    if (!subject.hints.model.empty() && subject.workload != nullptr) return base::printable(subject.hints.model);
    return texts_(subject.use == Use::training ? "check/looks-training" : "check/looks-serving");
  }

  static bool looks_at(const Rule& rule, Field field) {
    return std::find(rule.fields.begin(), rule.fields.end(), static_cast<std::uint16_t>(field)) != rule.fields.end();
  }

  static bool uses_workload(const Rule& rule) {
    return std::any_of(rule.fields.begin(), rule.fields.end(), [](std::uint16_t index) {
      const std::string_view name = info(static_cast<Field>(index)).name;
      return name.starts_with("workload.") || name.starts_with("training.") || name.starts_with("inference.") ||
             name.starts_with("estimate.") || name == "plan.need_ratio";
    });
  }

  // ---- remedies ----

  std::string remedy(const ActiveRule& rule, RuleContext& context, const About& about) {
    const std::string_view text = chinese_ ? rule.remedy.zh : rule.remedy.en;
    std::string instead;
    std::string fixes;
    std::string cheaper;
    const TypeMatch& match = types_.find(about.type);
    const bool wants_instead = text.find("{plan.instead") != std::string_view::npos;
    // Advice that speaks against the type is worth a concrete one; a remark on its supply or its software is not.
    const RuleSpec& spec = rule.rule->spec;
    const bool against_type = spec.scope == RuleScope::candidate &&
                              (spec.effect == Effect::reject ||
                               (spec.effect == Effect::penalise && spec.criterion != Criterion::availability));
    if (wants_instead || against_type) {
      instead = replacement(rule, about, match);
      context.set(Field::plan_instead, instead);
    }
    const bool about_fit = looks_at(*rule.rule, Field::estimate_memory_fits);
    if (about_fit && about.subject->workload != nullptr && match.type != nullptr) {
      for (const auto& fix : sizer_.fixes(*about.subject->workload, *match.family, *match.type, about.subject->nodes)) {
        fixes += (fixes.empty() ? "" : ", ") + fix;
      }
    }
    if (text.find("{plan.cheaper_type") != std::string_view::npos || text.find("{plan.saving_per_hour") != std::string_view::npos) {
      set_cheaper(context, about, match, cheaper);
    }
    if (instead.empty() && wants_instead) {
      instead = texts_("check/no-type");
      context.set(Field::plan_instead, instead);
    }
    std::string out = evaluation_.remedy(rule, context, lang_);
    if (!fixes.empty()) out += (out.empty() ? "" : "; ") + texts_("check/fixes", {{"fixes", fixes}});
    if (!wants_instead && !instead.empty()) {
      out += (out.empty() ? "" : "; ") + texts_("check/instead", {{"type", instead}});
    }
    context.clear(Field::plan_instead).clear(Field::plan_cheaper_type).clear(Field::plan_saving_per_hour);
    return out;
  }

  void set_cheaper(RuleContext& context, const About& about, const TypeMatch& match, std::string& cheaper) {
    if (match.type == nullptr || about.subject->workload == nullptr) return;
    const auto* found = cheapest(*about.subject, match);
    if (found == nullptr) return;
    cheaper = std::string(found->type->name);
    context.set(Field::plan_cheaper_type, cheaper);
    const Price* now = sizer_.price(*match.family, *match.type, about.subject->workload);
    const Price* then = sizer_.price(*found->family, *found->type, about.subject->workload);
    if (now != nullptr && then != nullptr && now->currency == then->currency && now->amount > then->amount) {
      context.set(Field::plan_saving_per_hour, (now->amount - then->amount) * std::max(1.0, groups_[about.subject->group].nodes));
    }
  }

  struct Option {
    const Family* family;
    const InstanceType* type;
    double order;
  };

  // Types of the same vendor that are sold, nearest first in what they offer.
  const std::vector<Option>& options(const TypeMatch& match, std::string_view vendor) {
    const std::string key = std::string(vendor) + "/" + (match.type == nullptr ? "" : std::string(match.type->name));
    const auto found = options_.find(key);
    if (found != options_.end()) return found->second;
    std::vector<Option> out;
    const auto total = [](const InstanceType& t) {
      return t.accelerator_memory_total_gib.value_or(t.accelerators.value_or(0) * t.accelerator_memory_gib.value_or(0));
    };
    const double cards = match.type == nullptr ? 1 : std::max(match.type->accelerators.value_or(1), 0.125);
    const double memory = match.type == nullptr ? 0 : total(*match.type);
    for (const auto& family : catalog().families) {
      if (family.vendor != vendor || !family.default_search || !family.platform.empty()) continue;
      const bool successor = match.family != nullptr && std::any_of(match.family->successors.begin(), match.family->successors.end(),
                                                                    [&](std::string_view s) { return s == family.name; });
      for (const auto& type : family.types) {
        const Status status = status_of(family, type);
        const bool sold = status == Status::current || status == Status::restricted || status == Status::unconfirmed;
        if (&type == match.type || !sold || !type.suspect.empty()) continue;
        if (!type.accelerators || total(type) <= 0) continue;
        double order = std::fabs(std::log2(*type.accelerators / cards)) * 4;
        if (memory > 0) {
          const double ratio = std::log2(total(type) / memory);
          order += ratio < 0 ? -ratio * 4 : ratio;
        }
        if (match.type != nullptr && match.type->vcpus && type.vcpus) {
          order += std::fabs(std::log2(static_cast<double>(*type.vcpus) / *match.type->vcpus)) * 0.25;
        }
        // What runs on one maker's cards does not run on another's, and a product of another kind is another purchase.
        const Accelerator* card = accelerator_of(catalog(), type);
        if (match.card != nullptr && (card == nullptr || card->software_stack != match.card->software_stack)) continue;
        if (match.family != nullptr && family.product != match.family->product) order += 2;
        if (type.slice && (match.type == nullptr || !match.type->slice)) order += 6;
        if (status != Status::current) order += 3;
        if (successor) order -= 100;
        out.push_back({&family, &type, order});
      }
    }
    std::stable_sort(out.begin(), out.end(), [](const Option& a, const Option& b) { return a.order < b.order; });
    return options_.emplace(key, std::move(out)).first->second;
  }

  // Whether no rule about types rejects it or warns of it, in the place of the one that is planned.
  // `strict`: nothing warns of it either. `rule` is the one that spoke against the planned type.
  bool passes(const Subject& subject, const Option& option, bool strict, std::string_view rule) {
    RuleContext context;
    RuleLists lists;
    if (subject.workload != nullptr) {
      set_workload(context, *subject.workload, lists);
      set_checkpoint_size(context, *subject.workload);
    }
    set_plan(context, subject, groups_[subject.group]);
    context.set(Field::plan_card_kinds, 1);
    context.set(Field::plan_type_count, 1);
    TypeFacts facts;
    set_type(context, subject, option.type->name, facts);
    if (facts.sizing != nullptr && facts.sizing->estimate.memory.known && !facts.sizing->estimate.memory.fits) return false;
    for (const auto* list : {&candidate_, &candidate_job_, &by_level_[Level::type], &by_level_[Level::group]}) {
      for (const Firing& firing : evaluation_.apply(*list, context)) {
        const Severity severity = firing.rule->severity;
        const bool general = list == &candidate_ || list == &candidate_job_;
        const bool against = general ? severity == Severity::error || (strict && severity == Severity::warning)
                                     : severity == Severity::error && about_machine_choice(*firing.rule->rule);
        if (against || firing.rule->id() == rule) return false;
      }
    }
    return true;
  }

  // Rules whose verdict another type could change.
  static bool about_machine_choice(const Rule& rule) {
    return std::any_of(rule.fields.begin(), rule.fields.end(), [](std::uint16_t index) {
      const std::string_view name = info(static_cast<Field>(index)).name;
      return name.starts_with("instance.") || name.starts_with("family.") || name.starts_with("accelerator.") ||
             name.starts_with("estimate.") || name.starts_with("plan.type");
    });
  }

  std::string replacement(const ActiveRule& rule, const About& about, const TypeMatch& match) {
    const Subject& subject = *about.subject;
    const std::string_view vendor = match.family != nullptr          ? match.family->vendor
                                    : !match.named_vendor.empty()    ? match.named_vendor
                                                                     : std::string_view(subject.machine->vendor);
    if (vendor.empty()) return {};
    const std::string key = std::string(rule.id()) + "\n" + std::string(about.type) + "\n" + std::string(vendor) + "\n" +
                            subject.workload_name + "\n" + std::to_string(subject.nodes) + "\n" +
                            std::to_string(static_cast<int>(subject.use)) + subject.hints.stack;
    const auto known = replacements_.find(key);
    if (known != replacements_.end()) return known->second;
    std::string out;
    std::string lenient;
    constexpr int kMostTried = 60;
    int tried = 0;
    for (const auto& option : options(match, vendor)) {
      if (++tried > kMostTried) break;
      if (passes(subject, option, true, rule.id())) {
        out = std::string(option.type->name);
        break;
      }
      // Second best: one that is only warned of, for example because its sale is not confirmed.
      if (lenient.empty() && passes(subject, option, false, rule.id())) lenient = std::string(option.type->name);
    }
    if (out.empty()) out = lenient;
    replacements_.emplace(key, out);
    return out;
  }

  // The cheapest by list price, or where prices are missing the smallest, that does the job.
  const Option* cheapest(const Subject& subject, const TypeMatch& match) {
    const auto& all = options(match, match.family->vendor);
    std::vector<std::pair<double, const Option*>> ranked;
    for (const auto& option : all) {
      const Price* price = sizer_.price(*option.family, *option.type, subject.workload);
      const double memory = option.type->accelerator_memory_total_gib.value_or(1e6);
      const double vcpus = option.type->vcpus.value_or(0);
      ranked.emplace_back(price != nullptr ? price->amount : 1e9 + memory * 1e3 + vcpus, &option);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    constexpr int kMostTried = 80;
    int tried = 0;
    for (const auto& [cost, option] : ranked) {
      if (++tried > kMostTried) break;
      if (passes(subject, *option, false, "")) return option;
    }
    return nullptr;
  }

  const Plan& plan_;
  const Config& config_;
  const Knowledge& knowledge_;
  Lang lang_;
  bool chinese_;
  base::Texts texts_;
  base::Arena arena_;
  TypeIndex types_;
  CardNames cards_;
  Sizer sizer_;
  RuleEvaluation evaluation_;
  std::map<Level, RuleList> by_level_;
  RuleList candidate_;      // advice on choosing, about one machine
  RuleList candidate_job_;  // and about the machines of a job
  std::deque<Workload> stated_;  // pointers to them stay valid
  std::unordered_map<std::string, const Workload*> stated_names_;
  std::unordered_map<std::string, const Workload*> inferred_;
  std::unordered_map<std::size_t, StorageGap> gaps_;
  std::vector<Subject> subjects_;
  std::vector<Group> groups_;
  std::vector<const ActiveRule*> fired_;
  std::set<std::string> reported_;
  std::map<std::string, CheckedWorkload> used_;
  std::unordered_map<std::string, std::vector<Option>> options_;
  std::unordered_map<std::string, std::string> replacements_;
  Judgement out_;
};

}  // namespace

Judgement judge(const Plan& plan, const Config& config, const Knowledge& knowledge, const RuleSet& rules, Lang lang) {
  return Judge(plan, config, knowledge, rules, lang).run();
}

}  // namespace gpuadvise::check
