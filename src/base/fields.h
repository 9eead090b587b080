// One description of a struct serves every reader and writer of it. Each struct S that lives in data/ or in a profile
// has a function
//
//   template <class V, class S> void fields(V& v, S& s)   // found by argument-dependent lookup
//
// that calls v("key", s.member) for each member, in the order of declaration. The loader (load.h) reads YAML or JSON
// through it, the data compiler (emit.h) writes C++ tables through it, the reports write JSON through it. An enum E has
// a function names(E) that returns the words of its values in order.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace gpuadvise::base {

enum class Need : unsigned char {
  optional,
  required,
  derived,  // worked out after loading, never read
  count     // optional; a number, or text such as "13B"
};

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_span : std::false_type {};
template <class T>
struct is_span<std::span<const T>> : std::true_type {};

template <class T>
concept Enum = std::is_enum_v<T>;

struct NullVisitor {
  template <class T>
  void operator()(std::string_view, T&, Need = Need::optional, std::string_view = {}) {}
};

template <class T>
concept Described = requires(NullVisitor v, T& t) {
  fields(v, t);
};

}  // namespace gpuadvise::base
