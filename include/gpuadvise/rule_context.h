// What rules look at: one value for each field of the published list, for one candidate, recommendation or plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpuadvise/cel.h"

namespace gpuadvise {

// accelerator_memory_gib, family_status, ...: rule_fields.inc has their types, units and meaning.
enum class Field : std::uint16_t {
#define X(group, name, type, unit, en, zh) group##_##name,
#include "gpuadvise/rule_fields.inc"
#undef X
  count
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::count);

enum class FieldType : std::uint8_t { real, whole, flag, word, words };

struct FieldInfo {
  std::string_view name;  // as conditions write it: "accelerator.memory_gib"
  FieldType type;
  std::string_view unit;  // empty: none
  std::string_view en;
  std::string_view zh;
  std::span<const std::string_view> values;  // the words it can hold; empty: any
};
std::span<const FieldInfo> rule_fields();  // in the order of Field
const FieldInfo& info(Field field);
std::optional<Field> find_field(std::string_view name);

inline constexpr std::size_t kMaxParameters = 20;  // of one rule
inline constexpr std::size_t kMaxVars = 6;

// Every field starts unknown. Words are views: what they point at must outlive the context.
class RuleContext {
 public:
  RuleContext();

  RuleContext& set(Field field, bool value) { return put(field, cel::Value::of(value)); }
  RuleContext& set(Field field, int value) { return put(field, cel::Value::of(std::int64_t{value})); }
  RuleContext& set(Field field, double value) { return put(field, cel::Value::of(value)); }
  RuleContext& set(Field field, std::string_view value);  // an empty word is unknown
  RuleContext& set(Field field, const char* value) { return set(field, std::string_view(value)); }
  template <class T>
  RuleContext& set(Field field, const std::optional<T>& value) {
    return value ? set(field, *value) : clear(field);
  }
  // The words are copied as values into `storage`, which must outlive the context.
  RuleContext& set(Field field, std::span<const std::string_view> words, std::vector<cel::Value>& storage);
  RuleContext& put(Field field, const cel::Value& value);
  RuleContext& clear(Field field);
  RuleContext& clear(Field first, Field end);  // [first, end), in the order of the published list

  const cel::Value& get(Field field) const { return slots_[static_cast<std::size_t>(field)]; }
  bool known(Field field) const { return !get(field).is(cel::Kind::unknown); }

 private:
  friend class RuleSet;
  friend class RuleEvaluation;
  std::array<cel::Value, kFieldCount + kMaxParameters + kMaxVars> slots_;
};

}  // namespace gpuadvise
