// The strict loader: a Node into a struct, through the struct's fields(). Unknown keys, wrong kinds, words that are not
// in a list and numbers that are not finite are errors with place and nearest valid name. A missing or null value stays
// unknown; nothing is defaulted.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/fields.h"
#include "base/node.h"
#include "base/text.h"

namespace gpuadvise::base {

// A type whose form in a file is not that of its members has a function read_value(loader, node, out, path).
template <class T, class L>
concept ReadsItself = requires(L& loader, const Node& node, T& out, const std::string& path) {
  read_value(loader, node, out, path);
};

class Loader {
 public:
  Loader(Arena& arena, std::string file) : arena_(arena), file_(std::move(file)) {}

  [[noreturn]] void fail(const Node& at, std::string_view message) const {
    throw InputError(Place{file_, at.line, at.column}, message);
  }
  [[noreturn]] void fail_kind(const Node& at, std::string_view path, std::string_view expected) const {
    fail(at, fmt::format("{}: expected {}, found {}{}", path, expected, kind_name(at.kind),
                         at.text.empty() ? "" : fmt::format(" \"{}\"", printable(at.text.substr(0, 60)))));
  }
  const std::string& file() const { return file_; }
  Arena& arena() { return arena_; }

  template <class T>
  void read(const Node& node, T& out, const std::string& path) {
    if constexpr (ReadsItself<T, Loader>) {
      read_value(*this, node, out, path);
    } else if constexpr (is_optional<T>::value) {
      if (node.is(Node::Kind::null)) {
        out.reset();
      } else {
        typename T::value_type value{};
        read(node, value, path);
        out = value;
      }
    } else if constexpr (std::same_as<T, bool>) {
      if (!node.is(Node::Kind::boolean)) fail_kind(node, path, "true or false");
      out = node.text[0] == 't' || node.text[0] == 'T';
    } else if constexpr (std::same_as<T, std::string_view>) {
      if (node.is(Node::Kind::null) && !node.quoted) {
        out = {};
      } else if (node.is(Node::Kind::list) || node.is(Node::Kind::map)) {
        fail_kind(node, path, "text");
      } else {
        out = arena_.copy(node.text);
      }
    } else if constexpr (std::integral<T>) {
      const double value = finite(node, path, "a whole number");
      if (value != std::floor(value) || value < static_cast<double>(std::numeric_limits<T>::min()) ||
          value > static_cast<double>(std::numeric_limits<T>::max())) {
        fail_kind(node, path, fmt::format("a whole number up to {}", std::numeric_limits<T>::max()));
      }
      out = static_cast<T>(value);
    } else if constexpr (std::floating_point<T>) {
      out = finite(node, path, "a number");
    } else if constexpr (Enum<T>) {
      const auto words = names(T{});
      if (!node.is(Node::Kind::string) && !node.is(Node::Kind::null)) fail_kind(node, path, "one of " + list(words));
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == node.text) {
          out = static_cast<T>(i);
          return;
        }
      }
      fail(node, fmt::format("{}: \"{}\" is not one of {}{}", path, printable(node.text), list(words),
                             did_you_mean(node.text, words)));
    } else if constexpr (is_span<T>::value) {
      using Item = std::remove_const_t<typename T::element_type>;
      if (node.is(Node::Kind::null)) {
        out = {};
        return;
      }
      std::vector<Item> items;
      if (node.is(Node::Kind::list)) {
        for (std::size_t i = 0; i < node.items.size(); ++i) {
          Item item{};
          read(node.items[i], item, fmt::format("{}[{}]", path, i));
          items.push_back(item);
        }
      } else if (std::same_as<Item, std::string_view> && !node.is(Node::Kind::map)) {
        Item item{};  // one word stands for a list of one
        read(node, item, path);
        items.push_back(item);
      } else {
        fail_kind(node, path, "a list");
      }
      out = arena_.copy(items);
    } else {
      static_assert(Described<T>, "needs a fields() function");
      read_struct(node, out, path);
    }
  }

 private:
  struct StructVisitor {
    Loader& loader;
    const Node& node;
    const std::string& path;
    std::vector<std::string_view> known;

    template <class T>
    void operator()(std::string_view key, T& out, Need need = Need::optional, std::string_view = {}) {
      if (need == Need::derived) return;
      known.push_back(key);
      const Node* value = node.find(key);
      const std::string where = path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
      if (value == nullptr || value->is(Node::Kind::null)) {
        if (need == Need::required) {
          loader.fail(value == nullptr ? node : *value, fmt::format("{} is missing", where));
        }
        return;
      }
      if constexpr (std::same_as<T, std::optional<double>> || std::same_as<T, double>) {
        if (need == Need::count && value->is(Node::Kind::string)) {
          const auto count = parse_count(value->text);
          if (!count) loader.fail_kind(*value, where, "a count above zero, such as 13B or 7.6e9");
          out = *count;
          return;
        }
      }
      loader.read(*value, out, where);
      if constexpr (std::same_as<T, std::optional<double>>) {
        if (need == Need::count && out && *out <= 0) loader.fail_kind(*value, where, "a count above zero");
      }
    }
  };

  template <class T>
  void read_struct(const Node& node, T& out, const std::string& path) {
    if (node.is(Node::Kind::null)) return;
    if (!node.is(Node::Kind::map)) fail_kind(node, path.empty() ? "the document" : path, "a map");
    StructVisitor visitor{*this, node, path, {}};
    fields(visitor, out);
    for (const auto& member : node.members) {
      bool found = false;
      for (const auto key : visitor.known) found = found || key == member.key;
      if (!found) {
        throw InputError(
            Place{file_, member.line, member.column},
            fmt::format("unknown key \"{}\"{}{}", printable(member.key),
                        path.empty() ? "" : fmt::format(" in {}", path), did_you_mean(member.key, visitor.known)));
      }
    }
  }

  double finite(const Node& node, const std::string& path, std::string_view expected) const {
    if (!node.is_number()) fail_kind(node, path, expected);
    double value = 0;
    const char* first = node.text.data() + (node.text[0] == '+' ? 1 : 0);
    const auto [at, status] = std::from_chars(first, node.text.data() + node.text.size(), value);
    if (status != std::errc{} || !std::isfinite(value)) fail_kind(node, path, std::string(expected) + " in range");
    return value;
  }

  static std::string list(std::span<const std::string_view> words) {
    std::string out;
    for (const auto word : words) out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
  }

  Arena& arena_;
  std::string file_;
};

}  // namespace gpuadvise::base
