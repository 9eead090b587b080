// Writes structs as C++ static tables, through the same fields() that the loader reads them with: used by the data
// compiler only. Strings become string_view literals, lists become arrays of their own ahead of the struct.
#pragma once

#include <concepts>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>

#include "base/fields.h"

namespace gpuadvise::base {

// The name of a type as C++ spells it, from the compiler's own text.
template <class T>
constexpr std::string_view type_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  return text.substr(0, text.find_first_of(";]"));
}

class Emitter {
 public:
  // The initialiser of one value; the arrays that it points to are added to arrays().
  template <class T>
  std::string value(const T& v) {
    if constexpr (is_optional<T>::value) {
      return v ? fmt::format("std::optional<{}>{{{}}}", type_name<typename T::value_type>(), value(*v))
               : std::string("{}");
    } else if constexpr (std::same_as<T, bool>) {
      return v ? "true" : "false";
    } else if constexpr (std::same_as<T, std::string_view>) {
      return v.empty() ? "{}" : literal(v);
    } else if constexpr (std::integral<T>) {
      return fmt::format("{}", v);
    } else if constexpr (std::floating_point<T>) {
      std::string out = fmt::format("{}", v);
      return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
    } else if constexpr (Enum<T>) {
      return fmt::format("static_cast<{}>({})", type_name<T>(), static_cast<int>(v));
    } else if constexpr (is_span<T>::value) {
      return array(v);
    } else {
      StructVisitor visitor{*this, "{"};
      fields(visitor, v);
      return visitor.out + "}";
    }
  }

  // A named static array of the items.
  template <class T>
  std::string array(std::span<const T> items) {
    if (items.empty()) return "{}";
    std::string body;
    for (const T& item : items) body += value(item) + ",\n";
    body = fmt::format("{}[{}] = {{\n{}}};\n", type_name<T>(), items.size(), body);
    // Lists of sources repeat a lot; equal ones share an array.
    const auto [at, fresh] = names_.try_emplace(body, fmt::format("a{}", names_.size()));
    if (fresh) {
      const auto bracket = body.find('[');
      arrays_ += fmt::format("constexpr {} {}{}", body.substr(0, bracket), at->second, body.substr(bracket));
    }
    return at->second;
  }

  const std::string& arrays() const { return arrays_; }

 private:
  struct StructVisitor {
    Emitter& emitter;
    std::string out;
    template <class T>
    void operator()(std::string_view, const T& v, Need = Need::optional, std::string_view = {}) {
      if (out.size() > 1) out += ", ";
      out += emitter.value(v);
    }
  };

  static std::string literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        out += c;
      }
    }
    return out + "\"sv";
  }

  std::map<std::string, std::string> names_;
  std::string arrays_;
};

}  // namespace gpuadvise::base
