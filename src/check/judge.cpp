#include <algorithm>
#include <unordered_set>

#include "base/message.h"
#include "base/text.h"
#include "check/groups.h"
#include "check/judge.h"
#include "check/remedies.h"
#include "check/workloads.h"

namespace gpuadvise::check {

namespace {

bool is_judged(Role role) {
  return role == Role::machine || role == Role::pool || role == Role::templ || role == Role::pod ||
         role == Role::service || role == Role::group;
}

class Judge {
 public:
  Judge(const Plan& plan, const Config& config, const Knowledge& knowledge, const RuleSet& rules, Lang lang)
      : plan_(plan),
        catalog_(knowledge.catalog),
        lang_(lang),
        texts_(knowledge.messages, lang),
        vocabulary_(knowledge.plans),
        rules_(rules),
        types_(knowledge.catalog),
        cards_(knowledge.catalog),
        sizer_(knowledge),
        carriers_(knowledge.catalog, cards_),
        hints_(vocabulary_, knowledge.catalog),
        workloads_(config, knowledge.catalog, texts_),
        facts_(knowledge, types_, sizer_, groups_, lang),
        replacements_(knowledge.catalog, vocabulary_, rules_, facts_, sizer_, groups_),
        remedies_(replacements_, types_, sizer_, groups_, texts_) {}

  Judgement run() {
    gaps_ = storage_gaps(plan_);
    for (std::size_t i = 0; i < plan_.machines.size(); ++i) {
      if (is_judged(plan_.machines[i].role)) add_subject(i);
    }
    groups_ = make_groups(subjects_, types_);
    for (const auto& subject : subjects_) judge_subject(subject);
    out_.machines = static_cast<int>(subjects_.size());
    out_.workloads = workloads_.used();
    return std::move(out_);
  }

 private:
  void add_subject(std::size_t index) {
    const PlannedMachine& m = plan_.machines[index];
    Subject subject;
    subject.machine = &m;
    subject.environment = hints_.environment(m, plan_.environment);
    subject.hints = hints_.read(m);
    subject.statements = card_statements(m, cards_);
    if (const auto gap = gaps_.find(index); gap != gaps_.end()) subject.storage = &gap->second;
    for (const auto& port : m.open_ports) subject.open_ports.push_back(cel::Value::of(std::string_view(port)));
    workloads_.assign(subject);
    subjects_.push_back(std::move(subject));
  }

  void judge_subject(const Subject& subject) {
    const PlannedMachine& m = *subject.machine;
    RuleContext base;
    RuleLists lists;
    facts_.machine(base, subject, lists);
    if (!m.types.empty()) {
      for (const auto& type : m.types) judge_type(subject, type, base);
    } else if (m.role != Role::group) {
      judge_without_type(subject, base);
    }
  }

  void judge_without_type(const Subject& subject, RuleContext& base) {
    const PlannedMachine& m = *subject.machine;
    base.set(Field::plan_type_documented, false);
    judge_disks(base, {&subject, "", m.place, "", nullptr}, {});
    if (m.cards.empty()) {
      set_device(base, m);
      judge_card({&subject, "", m.place, "", nullptr}, base, false);
    }
    // A card that is asked for by name is known even where the machine is not.
    for (const auto& asked : m.cards) {
      RuleContext context = base;
      RuleLists lists;
      facts_.card(context, subject, carriers_.find(asked.text, cards_asked(m), m.vendor), lists);
      const bool several = m.cards.size() > 1;
      judge_card({&subject, several ? std::string_view(asked.text) : "", several ? asked.place : m.place, "", nullptr},
                 context, true);
    }
  }

  void judge_card(const About& about, RuleContext& context, bool named) {
    for (const Level level : {Level::machine, Level::type, Level::group})
      apply(rules_.plan[level], context, about, level);
    if (!named) return;
    apply(rules_.candidate, context, about, Level::type);
    apply(rules_.candidate_job, context, about, Level::group);
  }

  // Pods that name no card still name the kind of device.
  static void set_device(RuleContext& context, const PlannedMachine& m) {
    for (const auto& container : m.containers) {
      if (container.stack.empty()) continue;
      context.set(Field::accelerator_software_stack, container.stack);
      context.set(Field::accelerator_name, container.device);
      if (container.mig_slices.value_or(0) >= 1 && *container.mig_slices < 1e4) {
        const int slices = static_cast<int>(*container.mig_slices);
        context.set(Field::instance_slice, true).set(Field::accelerator_mig_instances, slices);
        context.set(Field::layout_accelerators, slices);
      }
      return;
    }
  }

  static double cards_asked(const PlannedMachine& m) {
    if (m.gpus_per_node_claimed > 0) return m.gpus_per_node_claimed;
    double cards = 0;
    for (const auto& container : m.containers) cards += container.gpus.value_or(0) + container.npus.value_or(0);
    return cards > 0 ? cards : 1;
  }

  // Plans are full of plain machines; only those with accelerators, or that ought to have them, are ours to judge.
  static bool is_ours(const PlannedMachine& m, const TypeMatch& match) {
    if (match.type != nullptr || match.accelerated || match.foreign || !m.platform.empty()) return true;
    // A name that this vendor would never give.
    const bool misnamed = match.named_vendor.empty() ? m.vendor == "alibaba" : match.named_vendor != m.vendor;
    if (!m.vendor.empty() && m.role != Role::pod && misnamed) return true;
    return std::any_of(m.containers.begin(), m.containers.end(), [](const Container& c) {
      return c.gpus.value_or(0) > 0 || c.npus.value_or(0) > 0 || c.gpu_memory_gib.value_or(0) > 0;
    });
  }

  void judge_type(const Subject& subject, const TypeText& type, const RuleContext& base) {
    const PlannedMachine& m = *subject.machine;
    const TypeMatch& match = types_.find(type.text);
    if (!is_ours(m, match)) return;
    RuleContext context = base;
    TypeFacts facts;
    facts_.type(context, subject, type.text, facts);
    const About about{&subject, type.text, m.types.size() > 1 ? type.place : m.place, "", nullptr};
    for (const Level level : {Level::machine, Level::type, Level::group})
      apply(rules_.plan[level], context, about, level);
    apply(rules_.candidate, context, about, Level::type);
    apply(rules_.candidate_job, context, about, Level::group);
    judge_claims(context, about, match);
    judge_disks(context, about, match.family == nullptr ? std::span<const std::string_view>() : match.family->disks);
  }

  void judge_claims(const RuleContext& base, const About& about, const TypeMatch& match) {
    if (match.type == nullptr) return;
    const Subject& subject = *about.subject;
    for (const auto& one : contradictions(subject.statements, match.card, *match.type, groups_[subject.group].nodes)) {
      RuleContext context = base;
      context.set(Field::plan_claim, one.statement->text);
      context.set(Field::plan_claim_from, from_word(one.statement->from));
      context.set(Field::plan_claim_card_wrong, one.wrong_card);
      context.set(Field::plan_claim_count_wrong, one.miscounted);
      About of_claim = about;
      if (one.statement->place.line > 0) of_claim.place = one.statement->place;
      of_claim.detail = one.statement->text;
      of_claim.card = one.mention;
      apply(rules_.plan[Level::claim], context, of_claim, Level::claim);
    }
  }

  // `supported`: the vendor's words for the disks of the family; empty: not known.
  void judge_disks(const RuleContext& base, const About& about, std::span<const std::string_view> supported) {
    std::string storage;
    for (const auto& disk : about.subject->machine->disks) {
      RuleContext context = base;
      set_disk(context, disk, vocabulary_, supported, storage);
      About of_disk = about;
      of_disk.detail = disk.category + disk.level;
      apply(rules_.plan[Level::disk], context, of_disk, Level::disk);
    }
  }

  void apply(const RuleList& rules, RuleContext& context, const About& about, Level level) {
    if (rules.empty()) return;
    fired_.clear();
    for (const Firing& firing : evaluation_.apply(rules, context)) fired_.push_back(firing.rule);
    for (const ActiveRule* rule : fired_) report(*rule, context, about, level);
  }

  // One rule speaks once of one thing.
  static std::string key_of(const ActiveRule& rule, const About& about, Level level) {
    std::string key(rule.id());
    key += '\n';
    if (level == Level::group) return key + "group " + std::to_string(about.subject->group);
    key += about.subject->machine->resource + "\n" + about.subject->machine->place.str();
    if (level != Level::machine) key += "\n" + std::string(about.type);
    return key + "\n" + about.detail;
  }

  void report(const ActiveRule& rule, RuleContext& context, const About& about, Level level) {
    const Subject& subject = *about.subject;
    if (!reported_.insert(key_of(rule, about, level)).second) return;
    Finding finding;
    finding.rule = std::string(rule.id());
    finding.severity = rule.severity;
    const Group& group = groups_[subject.group];
    const bool of_many = level == Level::group && group.members.size() > 1;
    finding.resource = of_many ? group_address(group) : subject.machine->resource;
    finding.place = about.place;
    finding.instance_type = std::string(about.type);
    finding.message = evaluation_.message(rule, context, lang_);
    if (subject.inferred && uses_workload(*rule.rule)) {
      finding.message += " " + texts_("check/inferred", {{"what", inferred_words(subject)}});
    }
    finding.remedy = remedies_.text(rule, context, about);
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

  const Plan& plan_;
  const Catalog& catalog_;
  Lang lang_;
  base::Texts texts_;
  Vocabulary vocabulary_;
  RulesByLevel rules_;
  TypeIndex types_;
  CardNames cards_;
  Sizer sizer_;
  Carriers carriers_;
  HintReader hints_;
  Workloads workloads_;
  std::unordered_map<std::size_t, StorageGap> gaps_;
  std::vector<Subject> subjects_;
  std::vector<Group> groups_;
  FactFiller facts_;
  Replacements replacements_;
  Remedies remedies_;
  RuleEvaluation evaluation_;
  std::vector<const ActiveRule*> fired_;
  std::unordered_set<std::string> reported_;
  Judgement out_;
};

}  // namespace

Judgement judge(const Plan& plan, const Config& config, const Knowledge& knowledge, const RuleSet& rules, Lang lang) {
  return Judge(plan, config, knowledge, rules, lang).run();
}

}  // namespace gpuadvise::check
