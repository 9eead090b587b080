#include <fmt/format.h>
#include <type_traits>

#include "base/load.h"
#include "workload/profile.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

namespace {

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(names(T{})[static_cast<std::size_t>(value)]);
  } else if constexpr (std::same_as<T, std::string_view>) {
    return std::string(value);
  } else if constexpr (base::is_span<T>::value) {
    std::string out;
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + std::string(item);
    return out;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else {
    return {};
  }
}

// Both visits see the same fields in the same order, so the n-th address of one belongs to the n-th field of the other.
struct Addresses {
  std::vector<const void*> leaves;
  template <class T>
  void operator()(std::string_view, const T& v, base::Need = base::Need::optional, std::string_view = {}) {
    if constexpr (base::is_optional<T>::value) {
      leaves.push_back(&v);
      if constexpr (base::Described<typename T::value_type> && !std::same_as<typename T::value_type, Architecture>) {
        static const typename T::value_type empty{};
        fields(*this, v ? *v : empty);
      }
    } else {
      fields(*this, v);
    }
  }
};

struct Merge {
  const Addresses& from;
  Assumption::Origin origin;
  std::vector<Assumption>& assumptions;
  std::string path;
  std::size_t next = 0;

  template <class T>
  void operator()(std::string_view key, T& v, base::Need = base::Need::optional, std::string_view = {}) {
    const std::string outer = path;
    path = path.empty() ? std::string(key) : path + "." + std::string(key);
    if constexpr (base::is_optional<T>::value) {
      using Value = typename T::value_type;
      const auto& other = *static_cast<const T*>(from.leaves[next++]);
      if constexpr (base::Described<Value> && !std::same_as<Value, Architecture>) {
        Value merged = v ? *v : Value{};
        const std::size_t before = assumptions.size();
        fields(*this, merged);
        if (v || assumptions.size() > before) v = merged;
      } else if (!v && other) {
        v = other;
        assumptions.push_back({path, text_of(*other), origin});
      }
    } else {
      fields(*this, v);
    }
    path = outer;
  }
};

}  // namespace

Profile read_profile(const base::Node& node, base::Arena& arena, const std::string& file) {
  Profile profile;
  base::Loader loader(arena, file);
  loader.read(node, profile, "");
  return profile;
}

void fill_in(Profile& profile, const Profile& defaults, Assumption::Origin origin,
             std::vector<Assumption>& assumptions) {
  Addresses addresses;
  fields(addresses, defaults);
  Merge merge{addresses, origin, assumptions, {}};
  fields(merge, profile);
}

}  // namespace gpuadvise
