#include <algorithm>
#include <cmath>

#include "catalog/lookup.h"
#include "check/replacements.h"

namespace gpuadvise::check {

namespace {

double total_memory(const InstanceType& t) {
  return t.accelerator_memory_total_gib.value_or(t.accelerators.value_or(0) * t.accelerator_memory_gib.value_or(0));
}

bool is_sold(Status status) {
  return status == Status::current || status == Status::restricted || status == Status::unconfirmed;
}

// How far a type is from the planned one: its count of cards and memory first, less memory counting more than more.
double distance(const TypeMatch& planned, const Family& family, const InstanceType& type, Status status) {
  const InstanceType* now = planned.type;
  const double cards = now == nullptr ? 1 : std::max(now->accelerators.value_or(1), 0.125);
  double order = std::fabs(std::log2(*type.accelerators / cards)) * 4;
  const double memory = now == nullptr ? 0 : total_memory(*now);
  if (memory > 0) {
    const double ratio = std::log2(total_memory(type) / memory);
    order += ratio < 0 ? -ratio * 4 : ratio;
  }
  if (now != nullptr && now->vcpus && type.vcpus) {
    order += std::fabs(std::log2(static_cast<double>(*type.vcpus) / *now->vcpus)) * 0.25;
  }
  // A product of another kind is another purchase.
  if (planned.family != nullptr && family.product != planned.family->product) order += 2;
  if (type.slice && (now == nullptr || !now->slice)) order += 6;
  if (status != Status::current) order += 3;
  const bool successor =
      planned.family != nullptr && std::any_of(planned.family->successors.begin(), planned.family->successors.end(),
                                               [&](std::string_view s) { return s == family.name; });
  return successor ? order - 100 : order;
}

// What tells the machines apart for which one replacement is as good as another.
std::string key_of(const Subject& subject, const Group& group, std::string_view planned) {
  const PlannedMachine& m = *subject.machine;
  std::string key(planned);
  for (const std::string_view part : {std::string_view(subject.workload_name), std::string_view(subject.hints.stack),
                                      std::string_view(m.kind), std::string_view(m.format), std::string_view(m.charge),
                                      std::string_view(m.gpu_driver), std::string_view(subject.environment)}) {
    key += '\n';
    key += part;
  }
  key += '\n' + std::to_string(subject.nodes) + ' ' + std::to_string(static_cast<int>(subject.use)) + ' ' +
         std::to_string(group.nodes) + ' ' + std::to_string(subject.hints.processes_per_node.value_or(0)) + ' ' +
         std::to_string(subject.hints.cuda.value_or(0)) + (m.hpc_cluster ? "h" : "") +
         (m.erdma.value_or(false) ? "e" : "");
  for (const auto& container : m.containers) {
    key += ' ' + std::to_string(container.gpus.value_or(0)) + '/' + std::to_string(container.npus.value_or(0)) + '/' +
           std::to_string(container.gpu_memory_gib.value_or(0)) + '/' +
           std::to_string(container.memory_gib.value_or(0));
  }
  for (const auto& disk : m.disks) key += ' ' + disk.category;
  for (const auto& statement : subject.statements) {
    for (const auto& mention : statement.mentions)
      key += '\n' + mention.text + std::to_string(mention.count.value_or(0));
  }
  return key;
}

}  // namespace

// Types of the same vendor that are sold, nearest first in what they offer.
const std::vector<Option>& Replacements::options(const TypeMatch& match, std::string_view vendor) {
  const std::string key = std::string(vendor) + "/" + (match.type == nullptr ? "" : std::string(match.type->name));
  const auto found = options_.find(key);
  if (found != options_.end()) return found->second;
  std::vector<Option> out;
  for (const auto& family : catalog_.families) {
    if (family.vendor != vendor || !family.default_search || !family.platform.empty()) continue;
    for (const auto& type : family.types) {
      const Status status = status_of(family, type);
      if (&type == match.type || !is_sold(status) || !type.suspect.empty()) continue;
      if (!type.accelerators || total_memory(type) <= 0) continue;
      // What runs on one maker's cards does not run on another's.
      const Accelerator* card = accelerator_of(catalog_, type);
      if (match.card != nullptr && (card == nullptr || card->software_stack != match.card->software_stack)) continue;
      const double other_card = match.card != nullptr && card != match.card ? 0.5 : 0;
      out.push_back({&family, &type, distance(match, family, type, status) + other_card});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Option& a, const Option& b) { return a.order < b.order; });
  return options_.emplace(key, std::move(out)).first->second;
}

// The machine as planned, with one type to come in the place of all.
RuleContext Replacements::without_type(const Subject& subject, RuleLists& lists) const {
  RuleContext context;
  facts_.machine(context, subject, lists);
  context.set(Field::plan_card_kinds, 1);
  context.set(Field::plan_type_count, 1);
  return context;
}

bool Replacements::disks_pass(const Subject& subject, const Option& option, const RuleContext& context) {
  const auto rules = rules_.plan.find(Level::disk);
  if (rules == rules_.plan.end()) return true;
  std::string storage;
  for (const auto& disk : subject.machine->disks) {
    RuleContext of_disk = context;
    set_disk(of_disk, disk, vocabulary_, option.family->disks, storage);
    for (const Firing& firing : evaluation_.apply(rules->second, of_disk)) {
      if (firing.rule->severity == Severity::error) return false;
    }
  }
  return true;
}

// Whether no rule about types rejects it, in the place of the one that is planned.
// `planned`: what is known of the machine without its type.
bool Replacements::passes(const Subject& subject, const RuleContext& planned, const Option& option, bool strict,
                          const Demand& demand) {
  const Accelerator* card = accelerator_of(catalog_, *option.type);
  if (demand.card != nullptr) {
    if (card == nullptr || !CardNames::is(*card, *demand.card)) return false;
    const bool counted = !demand.card->count || std::fabs(*demand.card->count - *option.type->accelerators) < 0.01;
    if (!counted) return false;
  }
  const double nodes = groups_[subject.group].nodes;
  if (strict && !contradictions(subject.statements, card, *option.type, nodes).empty()) return false;
  RuleContext context = planned;
  TypeFacts facts;
  facts_.type(context, subject, option.type->name, facts);
  if (demand.priced && !context.known(Field::cost_per_hour)) return false;
  if (facts.sizing != nullptr && facts.sizing->estimate.memory.known && !facts.sizing->estimate.memory.fits)
    return false;
  const auto speaks_against = [&](const RuleList& rules, bool advice) {
    for (const Firing& firing : evaluation_.apply(rules, context)) {
      const Severity severity = firing.rule->severity;
      const bool grave = severity == Severity::error || (strict && severity == Severity::warning);
      if (firing.rule->id() == demand.rule || (grave && (advice || about_machine_choice(*firing.rule->rule))))
        return true;
    }
    return false;
  };
  if (speaks_against(rules_.candidate, true) || speaks_against(rules_.candidate_job, true)) return false;
  for (const Level level : {Level::type, Level::group}) {
    const auto found = rules_.plan.find(level);
    if (found != rules_.plan.end() && speaks_against(found->second, false)) return false;
  }
  return disks_pass(subject, option, context);
}

std::string Replacements::nearest(const Subject& subject, std::string_view planned, const TypeMatch& match,
                                  const Demand& demand) {
  const std::string_view vendor = !subject.machine->vendor.empty() ? std::string_view(subject.machine->vendor)
                                  : match.family != nullptr        ? match.family->vendor
                                                                   : match.named_vendor;
  if (vendor.empty()) return {};
  std::string key =
      std::string(demand.rule) + "\n" + std::string(vendor) + "\n" + key_of(subject, groups_[subject.group], planned);
  if (demand.card != nullptr) key += "\n" + demand.card->text + std::to_string(demand.card->count.value_or(0));
  const auto known = nearest_.find(key);
  if (known != nearest_.end()) return known->second;
  RuleLists lists;
  const RuleContext machine = without_type(subject, lists);
  std::string out;
  std::string lenient;
  constexpr int kMostTried = 60;
  int tried = 0;
  for (const auto& option : options(match, vendor)) {
    if (demand.card == nullptr && ++tried > kMostTried) break;
    if (passes(subject, machine, option, true, demand)) {
      out = std::string(option.type->name);
      break;
    }
    // Second best: one that is only warned of, for example because its sale is not confirmed.
    if (lenient.empty() && passes(subject, machine, option, false, demand)) lenient = std::string(option.type->name);
  }
  if (out.empty()) out = lenient;
  return nearest_.emplace(key, out).first->second;
}

const Option* Replacements::cheapest(const Subject& subject, const TypeMatch& match) {
  const std::string key = key_of(subject, groups_[subject.group], match.type->name);
  const auto known = cheapest_.find(key);
  if (known != cheapest_.end()) return known->second;
  // Types without a price come behind those with one, the smallest first.
  constexpr double kNoPrice = 1e9;
  std::vector<std::pair<double, const Option*>> ranked;
  for (const auto& option : options(match, match.family->vendor)) {
    const PriceChoice price = sizer_.price(*option.family, *option.type, subject.workload, subject.machine->charge);
    const double size = total_memory(*option.type) * 1e3 + option.type->vcpus.value_or(0);
    ranked.emplace_back(price.per_hour.value_or(kNoPrice + size), &option);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  RuleLists lists;
  const RuleContext machine = without_type(subject, lists);
  constexpr int kMostTried = 80;
  int tried = 0;
  const Option* out = nullptr;
  for (const auto& [cost, option] : ranked) {
    if (++tried > kMostTried) break;
    if (!passes(subject, machine, *option, false, {})) continue;
    out = option;
    break;
  }
  cheapest_.emplace(key, out);
  return out;
}

}  // namespace gpuadvise::check
