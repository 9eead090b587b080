// Any described struct as JSON, through its fields(): empty optionals are null, so unknown stays visible.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <string>

#include "base/fields.h"

namespace gpuadvise::report {

using Json = nlohmann::ordered_json;

template <class T>
Json to_json(const T& value);

struct JsonVisitor {
  Json out = Json::object();
  template <class T>
  void operator()(std::string_view key, const T& value, base::Need need = base::Need::optional, std::string_view = {}) {
    if (need != base::Need::derived) out[std::string(key)] = to_json(value);
  }
};

template <class T>
Json to_json(const T& value) {
  if constexpr (base::is_optional<T>::value) {
    return value ? to_json(*value) : Json(nullptr);
  } else if constexpr (std::same_as<T, std::string_view>) {
    return value.empty() ? Json(nullptr) : Json(std::string(value));
  } else if constexpr (std::same_as<T, double>) {
    // A whole number is written as one: 80, not 80.0.
    if (value >= -9e15 && value <= 9e15 && value == static_cast<double>(static_cast<long long>(value))) {
      return Json(static_cast<long long>(value));
    }
    return Json(value);
  } else if constexpr (base::Enum<T>) {
    return Json(std::string(names(T{})[static_cast<std::size_t>(value)]));
  } else if constexpr (base::is_span<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_json(item));
    return list;
  } else if constexpr (base::Described<T>) {
    JsonVisitor visitor;
    fields(visitor, value);
    return visitor.out;
  } else {
    return Json(value);
  }
}

}  // namespace gpuadvise::report
