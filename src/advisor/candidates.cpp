#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "gpuadvise/error.h"

#include "advisor/candidates.h"
#include "base/text.h"
#include "catalog/lookup.h"

namespace gpuadvise {

namespace {

using Names = std::span<const std::string_view>;

[[noreturn]] void refuse(std::string_view field, std::string_view name, const std::vector<std::string_view>& nearest) {
  std::string near;
  for (const auto real : nearest) near += (near.empty() ? "" : ", ") + std::string(real);
  throw InputError(Place{},
                   fmt::format("{}: \"{}\" is not in the catalog; nearest: {}", field, base::printable(name), near));
}

[[noreturn]] void unknown(const Catalog& catalog, std::string_view field, std::string_view name) {
  refuse(field, name, nearest_names(catalog, name));
}

Names list(const std::optional<Names>& names) { return names.value_or(Names()); }

class Selector {
 public:
  Selector(const Workload& w, const Catalog& catalog, const RecommendOptions& options)
      : c_(w.profile.constraints), catalog_(catalog), options_(options) {}

  Selection run() {
    read_vendors("constraints.vendors", c_.vendors, vendors_);
    read_vendors("constraints.not_vendors", c_.not_vendors, not_vendors_);
    read_accelerators("constraints.accelerators", c_.accelerators, cards_);
    read_accelerators("constraints.not_accelerators", c_.not_accelerators, not_cards_);
    for (const auto name : list(c_.families)) read_family(name);
    for (const auto name : list(c_.instance_types)) read_type(name);
    const bool by_name = !families_.empty() || !types_.empty();
    for (const Family* family : in_order()) {
      const Family& f = *family;
      const bool family_named = has(families_, &f);
      const auto first = static_cast<std::ptrdiff_t>(out_.entries.size());
      double most = 0;
      for (const auto& t : f.types) most = std::max(most, t.accelerators.value_or(0));
      for (const auto& t : f.types) {
        const bool named = family_named || has(types_, &t);
        if (const auto why = left_out(f, t, by_name, named); !why.empty()) {
          cut(why);
          continue;
        }
        out_.entries.push_back({&f, &t, named, t.accelerators.value_or(0) >= most});
      }
      std::sort(out_.entries.begin() + first, out_.entries.end(),
                [](const Entry& a, const Entry& b) { return a.type->name < b.type->name; });
    }
    return std::move(out_);
  }

 private:
  template <class T, class X>
  static bool has(const std::vector<T>& list, const X& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  // The constraint that keeps a type out of the search; empty: none.
  std::string_view left_out(const Family& f, const InstanceType& t, bool by_name, bool named) const {
    if (!vendors_.empty() && !has(vendors_, f.vendor)) return "constraints.vendors";
    if (has(not_vendors_, f.vendor)) return "constraints.not_vendors";
    if (by_name && !named) return types_.empty() ? "constraints.families" : "constraints.instance_types";
    const Accelerator* card = accelerator_of(catalog_, t);
    if (!cards_.empty() && !has(cards_, card)) return "constraints.accelerators";
    if (has(not_cards_, card)) return "constraints.not_accelerators";
    return named || searched(f, t) ? std::string_view() : "search.status";
  }

  void cut(std::string_view why) {
    for (auto& row : out_.cuts) {
      if (row.constraint != why) continue;
      ++row.types;
      return;
    }
    out_.cuts.push_back({why, 1});
  }

  // The answer must not depend on the order of the catalog's rows.
  std::vector<const Family*> in_order() const {
    std::vector<const Family*> out;
    out.reserve(catalog_.families.size());
    for (const Family& f : catalog_.families) out.push_back(&f);
    std::sort(out.begin(), out.end(), [](const Family* a, const Family* b) {
      return std::tuple(a->vendor, a->name) < std::tuple(b->vendor, b->name);
    });
    return out;
  }

  bool included(Status status) const {
    return std::find(options_.include.begin(), options_.include.end(), status) != options_.include.end();
  }

  bool searched(const Family& f, const InstanceType& t) const {
    const Status status = status_of(f, t);
    if (included(status)) return true;
    if (!f.default_search) return false;
    return status == Status::current || status == Status::restricted || status == Status::unconfirmed;
  }

  void read_vendors(std::string_view field, const std::optional<Names>& names,
                    std::vector<std::string_view>& out) const {
    for (const auto name : list(names)) {
      const Vendor* vendor = find_vendor(catalog_, name);
      if (vendor == nullptr) {
        std::vector<std::string_view> known;
        for (const auto& v : catalog_.vendors) known.push_back(v.id);
        std::string all;
        for (const auto id : known) all += (all.empty() ? "" : ", ") + std::string(id);
        throw InputError(Place{}, fmt::format("{}: unknown \"{}\"{}; known: {}", field, base::printable(name),
                                              base::did_you_mean(name, known), all));
      }
      out.push_back(vendor->id);
    }
  }

  void read_accelerators(std::string_view field, const std::optional<Names>& names,
                         std::vector<const Accelerator*>& out) const {
    for (const auto name : list(names)) {
      const Accelerator* card = find_accelerator(catalog_, name);
      if (card != nullptr) {
        out.push_back(card);
        continue;
      }
      // "a100" stands for every A100: a whole word of the name.
      const std::size_t before = out.size();
      for (const auto& a : catalog_.accelerators) {
        for (const auto word : base::split(a.id, '-')) {
          if (base::equal_ignoring_case(word, name)) out.push_back(&a);
        }
      }
      if (out.size() > before) continue;
      std::vector<std::string_view> known;
      for (const auto& a : catalog_.accelerators) {
        known.push_back(a.id);
        for (const auto word : base::split(a.id, '-')) known.push_back(word);
      }
      refuse(field, name, base::nearest(name, known, 3, false));
    }
  }

  void read_family(std::string_view name) {
    const FamilyRequest request = find_families(catalog_, name);
    if (request.families.empty()) {
      const Family* family = nullptr;
      if (const InstanceType* type = find_type(catalog_, name, &family)) {
        types_.push_back(type);
        return;
      }
      unknown(catalog_, "constraints.families", name);
    }
    families_.insert(families_.end(), request.families.begin(), request.families.end());
    const bool caveat = std::any_of(request.families.begin(), request.families.end(),
                                    [](const Family* f) { return !f->caveat.empty(); });
    if (!request.documented || request.note != nullptr || caveat) {
      out_.resolved_names.push_back({std::string(name), request.documented, request.families, request.note});
    }
  }

  void read_type(std::string_view name) {
    const Family* family = nullptr;
    const InstanceType* type = find_type(catalog_, name, &family);
    if (type == nullptr) {
      // A family's name in place of a type's is clear enough.
      if (!find_families(catalog_, name).families.empty()) return read_family(name);
      unknown(catalog_, "constraints.instance_types", name);
    }
    types_.push_back(type);
    if (!family->caveat.empty()) out_.resolved_names.push_back({std::string(name), true, {family}, nullptr});
  }

  const ConstraintsSpec& c_;
  const Catalog& catalog_;
  const RecommendOptions& options_;
  std::vector<std::string_view> vendors_;
  std::vector<std::string_view> not_vendors_;
  std::vector<const Accelerator*> cards_;
  std::vector<const Accelerator*> not_cards_;
  std::vector<const Family*> families_;
  std::vector<const InstanceType*> types_;
  Selection out_;
};

}  // namespace

Selection select(const Workload& workload, const Catalog& catalog, const RecommendOptions& options) {
  return Selector(workload, catalog, options).run();
}

}  // namespace gpuadvise
