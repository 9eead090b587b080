#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "base/date.h"
#include "base/text.h"
#include "catalog/price_order.h"
#include "data/validate.h"
#include "workload/architecture.h"
#include "workload/model_lookup.h"

namespace gpuadvise::data {

namespace {

using base::did_you_mean;
using base::printable;

class Checker {
 public:
  Checker(Knowledge& knowledge, base::Arena& arena, const Places& places)
      : catalog_(knowledge.catalog), knowledge_(knowledge), arena_(arena), places_(places) {}

  void run() {
    index_names();
    check_accelerators();
    join_more_types();
    check_families();
    check_prices();
    sort_prices();
    check_names();
    check_models();
    check_rules();
    sort_messages();
    find_date();
  }

 private:
  struct Row {
    const char* section;
    std::size_t index;
  };

  [[noreturn]] void fail(Row row, std::string_view message) const {
    throw InputError(places_.at(row.section, row.index), message);
  }

  void index_names() {
    for (const auto& s : catalog_.sources) sources_.push_back(s.id);
    for (const auto& v : catalog_.vendors) vendors_.push_back(v.id);
    for (std::size_t i = 0; i < catalog_.accelerators.size(); ++i) {
      accelerators_.push_back(catalog_.accelerators[i].id);
      accelerator_index_.emplace(catalog_.accelerators[i].id, static_cast<int>(i));
    }
    source_set_.insert(sources_.begin(), sources_.end());
  }

  void check_sources(Row row, std::string_view what, std::span<const std::string_view> ids) const {
    if (ids.empty()) fail(row, fmt::format("{}: no source; every fact needs one", printable(what)));
    for (const auto id : ids) check_source(row, what, id);
  }
  void check_source(Row row, std::string_view what, std::string_view id) const {
    if (!source_set_.contains(id)) {
      fail(row, fmt::format("{}: unknown source \"{}\"{}", printable(what), printable(id), did_you_mean(id, sources_)));
    }
  }
  void check_date(Row row, std::string_view what, std::string_view date) const {
    if (!date.empty() && !base::is_iso_date(date)) {
      fail(row, fmt::format("{}: date \"{}\" is not YYYY, YYYY-MM or YYYY-MM-DD", printable(what), printable(date)));
    }
  }
  void check_range(Row row, std::string_view what, std::string_view field, const std::optional<double>& value,
                   double least, double most) const {
    if (value && (*value < least || *value > most)) {
      fail(row, fmt::format("{}: {} is {}; plausible is {} to {}", printable(what), field, *value, least, most));
    }
  }

  void check_accelerators() const {
    for (std::size_t i = 0; i < catalog_.accelerators.size(); ++i) {
      const Accelerator& a = catalog_.accelerators[i];
      const Row row{"accelerators", i};
      check_sources(row, a.id, a.sources);
      check_date(row, a.id, a.date);
      check_range(row, a.id, "memory_gib", a.memory_gib, 0.5, 2048);
      check_range(row, a.id, "memory_bandwidth_gb_per_s", a.memory_bandwidth_gb_per_s, 10, 40000);
      check_range(row, a.id, "tdp_w", a.tdp_w, 5, 5000);
      check_range(row, a.id, "compute_capability", a.compute_capability, 2, 20);
      check_range(row, a.id, "peak.bf16", a.peak.bf16, 0.1, 20000);
      check_range(row, a.id, "peak.fp16", a.peak.fp16, 0.1, 20000);
      check_range(row, a.id, "link_gb_per_s", a.link_gb_per_s, 1, 10000);
      if (a.usable_memory_gib && a.memory_gib && *a.usable_memory_gib > *a.memory_gib * 1.03) {
        fail(row, fmt::format("{}: usable memory {} GiB is more than the nominal {} GiB", a.id, *a.usable_memory_gib,
                              *a.memory_gib));
      }
    }
  }

  void check_type(Row row, const Family& family, InstanceType& type) {
    const std::string_view name = type.name;
    check_sources(row, name, type.sources);
    if (!type_names_.insert(base::lower(name)).second) {
      fail(row, fmt::format("instance type \"{}\" stands twice in the catalog", printable(name)));
    }
    const std::string_view card = type.accelerator.empty() ? family.accelerator : type.accelerator;
    if (!card.empty()) {
      const auto found = accelerator_index_.find(card);
      if (found == accelerator_index_.end()) {
        fail(row, fmt::format("{}: unknown accelerator \"{}\"{}", printable(name), printable(card),
                              did_you_mean(card, accelerators_)));
      }
      type.accelerator_index = found->second;
    } else {
      type.accelerator_index = -1;
    }
    check_range(row, name, "vcpus", type.vcpus ? std::optional<double>(*type.vcpus) : std::nullopt, 1, 2048);
    check_range(row, name, "memory_gib", type.memory_gib, 0.5, 65536);
    check_range(row, name, "accelerators", type.accelerators, 1.0 / 64, 1024);
    check_range(row, name, "network_gbps", type.network_gbps, 0.01, 12800);
    check_range(row, name, "rdma_gbps", type.rdma_gbps, 1, 12800);
    const bool fraction = type.accelerators && *type.accelerators != std::floor(*type.accelerators);
    if (fraction && !type.slice) fail(row, fmt::format("{}: {} cards, but not marked slice", name, *type.accelerators));
    if (type.accelerators && type.accelerator_memory_gib && type.accelerator_memory_total_gib && !type.slice) {
      const double total = *type.accelerators * *type.accelerator_memory_gib;
      if (std::fabs(total - *type.accelerator_memory_total_gib) > 0.01 * total) {
        fail(row, fmt::format("{}: {} x {} GiB is {} GiB, not {} GiB", name, *type.accelerators,
                              *type.accelerator_memory_gib, total, *type.accelerator_memory_total_gib));
      }
    }
    if (type.accelerator_index < 0 || !type.accelerator_memory_gib) return;
    const Accelerator& a = catalog_.accelerators[static_cast<std::size_t>(type.accelerator_index)];
    if (!a.memory_gib) return;
    const double nominal = *a.memory_gib;
    if (type.slice && *type.accelerator_memory_gib > nominal * 1.01) {
      fail(row,
           fmt::format("{}: a slice of {} GiB out of a card of {} GiB", name, *type.accelerator_memory_gib, nominal));
    }
    if (!type.slice && std::fabs(*type.accelerator_memory_gib - nominal) > 0.03 * nominal) {
      fail(row,
           fmt::format("{}: {} GiB per card, but {} has {} GiB", name, *type.accelerator_memory_gib, a.id, nominal));
    }
  }

  void join_more_types() {
    std::vector<Family> families(catalog_.families.begin(), catalog_.families.end());
    for (std::size_t i = 0; i < catalog_.more_types.size(); ++i) {
      const MoreTypes& more = catalog_.more_types[i];
      check_family_exists({"more_types", i}, "more_types", more.vendor, more.family);
      for (auto& family : families) {
        if (family.vendor != more.vendor || family.name != more.family) continue;
        std::vector<InstanceType> types(family.types.begin(), family.types.end());
        types.insert(types.end(), more.types.begin(), more.types.end());
        family.types = arena_.copy(types);
      }
    }
    catalog_.families = arena_.copy(families);
    catalog_.more_types = {};
  }

  void check_families() {
    std::vector<Family> families(catalog_.families.begin(), catalog_.families.end());
    for (std::size_t i = 0; i < families.size(); ++i) {
      Family& f = families[i];
      const Row row{"families", i};
      if (std::find(vendors_.begin(), vendors_.end(), f.vendor) == vendors_.end()) {
        fail(row, fmt::format("{}: unknown vendor \"{}\"{}", printable(f.name), printable(f.vendor),
                              did_you_mean(f.vendor, vendors_)));
      }
      check_sources(row, f.name, f.sources);
      check_date(row, f.name, f.date);
      if (!f.accelerator.empty() && !accelerator_index_.contains(f.accelerator)) {
        fail(row, fmt::format("{}: unknown accelerator \"{}\"{}", f.name, printable(f.accelerator),
                              did_you_mean(f.accelerator, accelerators_)));
      }
      constexpr std::array<std::string_view, 5> kLinks = {"", "nvlink", "pcie", "hccs", "none"};
      if (std::find(kLinks.begin(), kLinks.end(), f.interconnect) == kLinks.end()) {
        fail(row, fmt::format("{}: interconnect \"{}\" is not nvlink, pcie, hccs or none", f.name,
                              printable(f.interconnect)));
      }
      if (!f.default_search && f.caveat.en.empty()) {
        fail(row, fmt::format("{}: outside the default search, but no caveat says why", f.name));
      }
      std::vector<InstanceType> types(f.types.begin(), f.types.end());
      for (auto& type : types) check_type(row, f, type);
      f.types = arena_.copy(types);
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      for (const auto successor : families[i].successors) {
        check_family_exists({"families", i}, families[i].name, families[i].vendor, successor);
      }
    }
    catalog_.families = arena_.copy(families);
  }

  void check_family_exists(Row row, std::string_view what, std::string_view vendor, std::string_view name) const {
    std::vector<std::string_view> known;
    for (const auto& f : catalog_.families) {
      if (f.vendor != vendor) continue;
      if (f.name == name) return;
      known.push_back(f.name);
    }
    fail(row, fmt::format("{}: \"{}\" is not a family of {}{}", printable(what), printable(name), printable(vendor),
                          did_you_mean(name, known)));
  }

  void check_prices() const {
    std::vector<std::string_view> currencies;
    for (std::size_t i = 0; i < catalog_.currencies.size(); ++i) {
      const Currency& c = catalog_.currencies[i];
      check_source({"currencies", i}, c.code, c.source);
      currencies.push_back(c.code);
    }
    for (std::size_t i = 0; i < catalog_.prices.size(); ++i) {
      const Price& p = catalog_.prices[i];
      const Row row{"prices", i};
      check_source(row, p.type, p.source);
      check_date(row, p.type, p.as_of);
      check_range(row, p.type, "amount", p.amount, 1e-6, 1e9);
      if (std::find(currencies.begin(), currencies.end(), p.currency) == currencies.end()) {
        fail(row, fmt::format("{}: currency \"{}\" is not one of the currencies{}", p.type, printable(p.currency),
                              did_you_mean(p.currency, currencies)));
      }
      if (p.confidence == SourceKind::user) fail(row, fmt::format("{}: prices of your own go into --prices", p.type));
      if (p.suspect.empty() && !type_names_.contains(base::lower(p.type))) {
        fail(row, fmt::format("price for \"{}\", which is in no family; mark it suspect or add the type",
                              printable(p.type)));
      }
    }
  }

  void sort_prices() {
    std::vector<Price> prices(catalog_.prices.begin(), catalog_.prices.end());
    std::sort(prices.begin(), prices.end(), price_before);
    catalog_.prices = arena_.copy(prices);
  }

  void check_names() const {
    for (std::size_t i = 0; i < catalog_.names.size(); ++i) {
      const NameNote& n = catalog_.names[i];
      const Row row{"names", i};
      check_sources(row, n.name, n.sources);
      for (const auto family : n.nearest) check_family_exists(row, n.name, n.vendor, family);
    }
  }

  void check_models() const {
    std::unordered_map<std::string, std::size_t> owners;  // of names, as lookups see them
    for (std::size_t i = 0; i < catalog_.models.size(); ++i) {
      const Model& m = catalog_.models[i];
      const Row row{"models", i};
      check_sources(row, m.id, m.sources);
      check_range(row, m.id, "params", m.params, 1e4, 1e14);
      if (m.active_params > m.params * 1.0001) fail(row, fmt::format("{}: more active parameters than it has", m.id));
      for (const auto& wrong : check_model(m)) fail(row, wrong);
      const auto claim = [&](std::string_view name) {
        const auto [at, fresh] = owners.emplace(model_key(name), i);
        if (!fresh && at->second != i) {
          fail(row, fmt::format("{}: the name \"{}\" already stands for {}", m.id, printable(name),
                                catalog_.models[at->second].id));
        }
      };
      claim(m.id);
      claim(m.name);
      if (!m.hf_id.empty()) claim(m.hf_id);
      for (const auto alias : m.aliases) claim(alias);
    }
    double smaller = 0;
    for (std::size_t i = 0; i < catalog_.typical_shapes.size(); ++i) {
      const TypicalShape& shape = catalog_.typical_shapes[i];
      const Row row{"typical_shapes", i};
      check_sources(row, shape.like, shape.sources);
      if (!owners.contains(model_key(shape.like))) fail(row, fmt::format("{}: no such model", printable(shape.like)));
      const double count = count_parameters(architecture_of(shape)).total;
      if (count <= smaller) fail(row, fmt::format("{}: typical shapes stand smallest first", printable(shape.like)));
      smaller = count;
    }
  }

  void check_rules() {
    for (std::size_t i = 0; i < knowledge_.rules.size(); ++i) {
      const RuleSpec& spec = knowledge_.rules[i].spec;
      check_sources({"rules", i}, spec.id, spec.sources);
    }
  }

  void sort_messages() {
    std::vector<Message> messages(knowledge_.messages.begin(), knowledge_.messages.end());
    std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) { return a.id < b.id; });
    knowledge_.messages = arena_.copy(messages);
  }

  void find_date() {
    std::string_view newest;
    for (const auto& a : catalog_.accelerators) newest = std::max(newest, a.date);
    for (const auto& f : catalog_.families) newest = std::max(newest, f.date);
    catalog_.date = newest;
  }

  Catalog& catalog_;
  Knowledge& knowledge_;
  base::Arena& arena_;
  const Places& places_;
  std::vector<std::string_view> sources_;
  std::unordered_set<std::string_view> source_set_;
  std::vector<std::string_view> vendors_;
  std::vector<std::string_view> accelerators_;
  std::unordered_map<std::string_view, int> accelerator_index_;
  std::unordered_set<std::string> type_names_;
};

}  // namespace

Place Places::at(const std::string& section, std::size_t row) const {
  const auto found = rows_.find(section);
  return found == rows_.end() || row >= found->second.size() ? Place{} : found->second[row];
}

void finish(Knowledge& knowledge, base::Arena& arena, const Places& places) { Checker(knowledge, arena, places).run(); }

}  // namespace gpuadvise::data
