#include <algorithm>

#include "gpuadvise/compare.h"
#include "gpuadvise/error.h"

#include "base/text.h"
#include "catalog/lookup.h"

namespace gpuadvise {

namespace {

// What one name stands for among the types that were searched.
class Named {
 public:
  Named(std::string_view name, const Catalog& catalog, std::span<const Accelerator* const> cards)
      : catalog_(catalog), cards_(cards) {
    const Family* family = nullptr;
    type_ = find_type(catalog, name, &family);
    if (type_ == nullptr) families_ = find_families(catalog, name).families;
  }

  bool is(const Family& family, const InstanceType& type) const {
    if (type_ != nullptr) return &type == type_;
    if (!families_.empty()) return std::find(families_.begin(), families_.end(), &family) != families_.end();
    const Accelerator* card = accelerator_of(catalog_, type);
    return std::find(cards_.begin(), cards_.end(), card) != cards_.end();
  }

 private:
  const Catalog& catalog_;
  std::span<const Accelerator* const> cards_;
  const InstanceType* type_ = nullptr;
  std::vector<const Family*> families_;
};

// The cards that a name such as "a100" or "nvidia-h20-96gb" stands for.
std::vector<const Accelerator*> cards_named(const Catalog& catalog, std::string_view name) {
  std::vector<const Accelerator*> out;
  if (const Accelerator* card = find_accelerator(catalog, name)) return {card};
  for (const auto& a : catalog.accelerators) {
    for (const auto word : base::split(a.id, '-')) {
      if (base::equal_ignoring_case(word, name)) out.push_back(&a);
    }
  }
  return out;
}

bool machine_name(const Catalog& catalog, std::string_view name) {
  const Family* family = nullptr;
  return find_type(catalog, name, &family) != nullptr || !find_families(catalog, name).families.empty();
}

}  // namespace

Comparison compare(std::span<const std::string> names, const Profile& profile, const Knowledge& knowledge,
                   const RuleSet& rules, const RecommendOptions& options) {
  const Catalog& catalog = knowledge.catalog;
  // Families and types are asked for by name, which also searches what lies outside the default; cards by their types.
  std::vector<std::string_view> machines;
  std::vector<std::vector<const Accelerator*>> cards;
  for (const auto& name : names) {
    cards.emplace_back();
    if (machine_name(catalog, name)) {
      machines.push_back(name);
      continue;
    }
    cards.back() = cards_named(catalog, name);
    for (const auto& f : catalog.families) {
      for (const auto& t : f.types) {
        const Accelerator* card = accelerator_of(catalog, t);
        const bool wanted = std::find(cards.back().begin(), cards.back().end(), card) != cards.back().end();
        if (card != nullptr && wanted && f.default_search) machines.push_back(t.name);
      }
    }
    if (cards.back().empty()) machines.push_back(name);  // to be told what is near it
  }
  Profile asked = profile;
  asked.constraints.instance_types = std::span<const std::string_view>(machines);
  asked.constraints.families.reset();
  asked.constraints.accelerators.reset();
  RecommendOptions all = options;
  all.exhaustive = true;
  all.brief = false;
  all.top = catalog.families.size() * 64;
  const Advice advice = recommend(asked, knowledge, rules, all);

  Comparison out;
  out.workload = advice.workload;
  // The names are told apart by column; a view of them would not outlive this call.
  out.workload.profile.constraints.instance_types = profile.constraints.instance_types;
  std::vector<std::size_t> places(names.size(), advice.recommendations.size());
  for (std::size_t n = 0; n < names.size(); ++n) {
    const Named named(names[n], catalog, cards[n]);
    Compared column;
    column.name = names[n];
    for (std::size_t i = 0; i < advice.recommendations.size(); ++i) {
      const Recommendation& r = advice.recommendations[i];
      if (!named.is(*r.family, *r.type)) continue;
      column.family = r.family;
      column.type = r.type;
      column.runs = r;
      places[n] = i;
      break;
    }
    for (const auto& r : advice.rejected) {
      if (column.runs || !named.is(*r.family, *r.type)) continue;
      if (column.type != nullptr && column.type != r.type) continue;
      column.family = r.family;
      column.type = r.type;
      column.failures.push_back(r.reason);
    }
    out.columns.push_back(std::move(column));
  }
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (!out.columns[n].runs) continue;
    out.columns[n].rank = 1 + static_cast<std::size_t>(
                                  std::count_if(places.begin(), places.end(), [&](auto p) { return p < places[n]; }));
  }
  return out;
}

}  // namespace gpuadvise
