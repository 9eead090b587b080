#include <array>
#include <fmt/format.h>

#include "gpuadvise/rule_context.h"

#include "catalog/catalog_fields.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

constexpr FieldInfo kFields[] = {
#define X(group, name, type, unit, en, zh) {#group "." #name, FieldType::type, unit, en, zh, {}},
#include "gpuadvise/rule_fields.inc"
#undef X
};

template <class E>
constexpr auto kWords = names(E{});

constexpr auto kVendors = std::to_array<std::string_view>({"alibaba", "tencent", "huawei"});
constexpr auto kConfidence = std::to_array<std::string_view>({"measured", "interpolated", "extrapolated", "unknown"});
constexpr auto kObjectives = std::to_array<std::string_view>({"balanced", "cost", "speed", "latency"});
constexpr auto kLinks = kWords<LinkKind>;

// Fields whose words are those of an enum: a condition that compares them with anything else is refused.
const std::array<FieldInfo, kFieldCount>& table() {
  static const auto fields = [] {
    std::array<FieldInfo, kFieldCount> out;
    std::copy(std::begin(kFields), std::end(kFields), out.begin());
    const auto limit = [&](Field field, std::span<const std::string_view> words) {
      out[static_cast<std::size_t>(field)].values = words;
    };
    limit(Field::request_optimize, kObjectives);
    limit(Field::request_charge, kWords<ChargePreference>);
    limit(Field::plan_charge, kWords<ChargePreference>);
    limit(Field::workload_kind, kWords<TaskKind>);
    limit(Field::training_method, kWords<Method>);
    limit(Field::training_precision, kWords<Precision>);
    limit(Field::training_base_weights, kWords<Precision>);
    limit(Field::training_activation_checkpointing, kWords<Checkpointing>);
    limit(Field::training_offload, kWords<Offload>);
    limit(Field::hpc_precision, kWords<Precision>);
    limit(Field::hpc_bound, kWords<Bound>);
    limit(Field::family_vendor, kVendors);
    limit(Field::family_status, kWords<Status>);
    limit(Field::family_interconnect, kLinks);
    limit(Field::layout_link, kLinks);
    limit(Field::estimate_confidence, kConfidence);
    return out;
  }();
  return fields;
}

constexpr std::string_view kNotKnown = "";

constexpr auto kUnknown = [] {
  std::array<cel::Value, kFieldCount> out;
  for (std::size_t i = 0; i < kFieldCount; ++i) out[i] = cel::Value::unknown(kFields[i].name);
  return out;
}();

}  // namespace

std::span<const FieldInfo> rule_fields() { return table(); }
const FieldInfo& info(Field field) { return table()[static_cast<std::size_t>(field)]; }

std::optional<Field> find_field(std::string_view name) {
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    if (kFields[i].name == name) return static_cast<Field>(i);
  }
  return std::nullopt;
}

RuleContext::RuleContext() {
  std::copy(kUnknown.begin(), kUnknown.end(), slots_.begin());
  for (std::size_t i = kFieldCount; i < slots_.size(); ++i) slots_[i] = cel::Value::unknown(kNotKnown);
}

RuleContext& RuleContext::put(Field field, const cel::Value& value) {
  slots_[static_cast<std::size_t>(field)] = value;
  return *this;
}

RuleContext& RuleContext::set(Field field, std::string_view value) {
  return value.empty() ? clear(field) : put(field, cel::Value::of(value));
}

RuleContext& RuleContext::set(Field field, std::span<const std::string_view> words, std::vector<cel::Value>& storage) {
  storage.clear();
  for (const auto word : words) storage.push_back(cel::Value::of(word));
  return put(field, cel::Value::list(storage));
}

RuleContext& RuleContext::clear(Field field) { return put(field, kUnknown[static_cast<std::size_t>(field)]); }

RuleContext& RuleContext::clear(Field first, Field end) {
  const auto begin = static_cast<std::ptrdiff_t>(first);
  std::copy(kUnknown.begin() + begin, kUnknown.begin() + static_cast<std::ptrdiff_t>(end), slots_.begin() + begin);
  return *this;
}

}  // namespace gpuadvise
