#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpuadvise/error.h"

#include "base/text.h"
#include "rules/cel/json.h"
#include "rules/cel/value.h"

namespace gpuadvise::cel {

using nlohmann::json;

namespace {

constexpr int kMaxJsonDepth = 100;
constexpr std::size_t kMaxOutput = 1'000'000;  // values

}  // namespace

class JsonReader {
 public:
  JsonReader(Bindings& bindings, std::string name) : out_(bindings), name_(std::move(name)) {}

  void bindings(const json& object) {
    if (object.is_null()) return;
    if (!object.is_object()) fail("bindings are an object of name: value");
    for (const auto& [key, item] : object.items()) {
      // Deque elements stay where they are; vectors of them are made once they are full.
      out_.values_.push_back(value(item, 0));
      out_.variables_.push_back({text(key), {}, {}});
    }
  }

 private:
  [[noreturn]] void fail(std::string_view message) const { throw InputError(Place{name_, 0, 0}, message); }

  std::string_view text(const std::string& s) { return out_.texts_.emplace_back(s); }

  Value value(const json& j, int depth) {
    if (depth > kMaxJsonDepth) fail(fmt::format("a value nests more than {} levels deep", kMaxJsonDepth));
    switch (j.type()) {
      case json::value_t::null:
        return {};
      case json::value_t::boolean:
        return Value::of(j.get<bool>());
      case json::value_t::number_integer:
        return Value::of(j.get<std::int64_t>());
      case json::value_t::number_unsigned:
        if (j.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
          fail("a whole number is out of range for an int");
        return Value::of(j.get<std::int64_t>());
      case json::value_t::number_float:
        return Value::of(j.get<double>());
      case json::value_t::string:
        return Value::of(text(j.get_ref<const std::string&>()));
      case json::value_t::array:
        return list(j, depth);
      case json::value_t::object: {
        if (j.size() == 1) {
          const auto member = j.begin();
          if (const auto typed = typed_value(member.key(), member.value(), depth)) return *typed;
        }
        std::vector<Value> items;
        for (const auto& [key, item] : j.items()) {
          items.push_back(Value::of(text(key)));
          items.push_back(value(item, depth + 1));
        }
        return Value::map(out_.lists_.emplace_back(std::move(items)));
      }
      default:
        fail("not a value");
    }
  }

  Value list(const json& j, int depth) {
    std::vector<Value> items;
    for (const auto& item : j) items.push_back(value(item, depth + 1));
    return Value::list(out_.lists_.emplace_back(std::move(items)));
  }

  std::optional<Value> typed_value(const std::string& type, const json& j, int depth) {
    if (type == "int" && j.is_number_integer()) return value(j, depth);
    if (type == "int" && j.is_string()) return whole(j.get<std::string>());
    if (type == "double" && j.is_number()) return Value::of(j.get<double>());
    if (type == "double" && j.is_string()) return real(j.get<std::string>());
    if (type == "bool" && j.is_boolean()) return value(j, depth);
    if (type == "string" && j.is_string()) return value(j, depth);
    if (type == "null" && (j.is_null() || j.is_boolean())) return Value{};
    if (type == "list" && j.is_array()) return list(j, depth);
    if (type == "map" && j.is_array()) return map(j, depth);
    if (type == "uint" || type == "bytes" || type == "type")
      fail(fmt::format("values of type {} are not supported", type));
    return std::nullopt;
  }

  Value map(const json& j, int depth) {
    std::vector<Value> items;
    for (const auto& pair : j) {
      if (!pair.is_array() || pair.size() != 2) fail("a typed map is a list of [key, value]");
      const Value key = value(pair[0], depth + 1);
      if (!key.is(Kind::boolean) && !key.is(Kind::integer) && !key.is(Kind::string)) {
        fail("a map key is a bool, an int or a string");
      }
      for (std::size_t i = 0; i < items.size(); i += 2) {
        if (equal(items[i], key)) fail("a map key stands twice");
      }
      items.push_back(key);
      items.push_back(value(pair[1], depth + 1));
    }
    return Value::map(out_.lists_.emplace_back(std::move(items)));
  }

  Value whole(const std::string& s) const {
    std::int64_t out = 0;
    const auto [end, status] = std::from_chars(s.data(), s.data() + s.size(), out);
    if (status != std::errc{} || end != s.data() + s.size()) fail("a typed int is a whole number in range");
    return Value::of(out);
  }
  Value real(const std::string& s) const {
    double out = 0;
    const char* first = s.data() + (s.starts_with('+') ? 1 : 0);
    const auto [end, status] = std::from_chars(first, s.data() + s.size(), out);
    if (status != std::errc{} || end != s.data() + s.size() || s.empty()) fail("a typed double is a number as text");
    return Value::of(out);
  }

  Bindings& out_;
  std::string name_;
};

namespace {

json parse_json(std::string_view text, const std::string& name) {
  // A callback bounds the depth before the parser builds anything of that depth.
  try {
    return json::parse(text, [&](int depth, json::parse_event_t, json&) {
      if (depth > 4 * kMaxJsonDepth) throw InputError(Place{name, 0, 0}, "the JSON nests too deep");
      return true;
    });
  } catch (const json::exception& e) {
    std::string_view what = e.what();
    if (const auto at = what.find("] "); at != std::string_view::npos) what.remove_prefix(at + 2);
    throw InputError(Place{name, 0, 0}, fmt::format("not JSON: {}", base::printable(what)));
  }
}

std::string typed_double(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{}", value);
}

class JsonWriter {
 public:
  json typed(const Value& v) {
    count();
    switch (v.kind) {
      case Kind::null:
        return {{"null", true}};
      case Kind::boolean:
        return {{"bool", v.integer != 0}};
      case Kind::integer:
        return {{"int", v.integer}};
      case Kind::real:
        return {{"double", typed_double(v.real)}};
      case Kind::string:
        return {{"string", std::string(v.text)}};
      case Kind::list: {
        json items = json::array();
        for (const Value& item : v.items) items.push_back(typed(item));
        json out = json::object();
        out["list"] = std::move(items);
        return out;
      }
      case Kind::map: {
        json items = json::array();
        for (std::size_t i = 0; i < v.items.size(); i += 2) {
          json pair = json::array();
          pair.push_back(typed(v.items[i]));
          pair.push_back(typed(v.items[i + 1]));
          items.push_back(std::move(pair));
        }
        json out = json::object();
        out["map"] = std::move(items);
        return out;
      }
      default:
        throw InputError(Place{}, "no value");
    }
  }

  nlohmann::ordered_json plain(const Value& v) {
    count();
    switch (v.kind) {
      case Kind::null:
        return nullptr;
      case Kind::boolean:
        return v.integer != 0;
      case Kind::integer:
        return v.integer;
      case Kind::real:
        if (!std::isfinite(v.real)) return typed_double(v.real);
        return v.real;
      case Kind::string:
        return std::string(v.text);
      case Kind::list: {
        auto out = nlohmann::ordered_json::array();
        for (const Value& item : v.items) out.push_back(plain(item));
        return out;
      }
      case Kind::map: {
        auto out = nlohmann::ordered_json::object();
        for (std::size_t i = 0; i < v.items.size(); i += 2) out[key(v.items[i])] = plain(v.items[i + 1]);
        return out;
      }
      default:
        throw InputError(Place{}, "no value");
    }
  }

 private:
  void count() {
    if (++values_ > kMaxOutput) throw InputError(Place{}, "the result is too large to print");
  }
  static std::string key(const Value& v) {
    if (v.is(Kind::string)) return std::string(v.text);
    if (v.is(Kind::boolean)) return v.integer != 0 ? "true" : "false";
    return fmt::format("{}", v.integer);
  }
  std::size_t values_ = 0;
};

template <class Json>
std::string dump(const Json& j) {
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Bindings Bindings::parse(std::string_view text, const std::string& name) {
  Bindings out;
  const json object = parse_json(text, name);
  if (!object.is_object()) throw InputError(Place{name, 0, 0}, "bindings are an object of name: value");
  JsonReader(out, name).bindings(object);
  return out;
}

std::string to_json(const Value& value) { return dump(JsonWriter().plain(value)); }
std::string to_typed_json(const Value& value) { return dump(JsonWriter().typed(value)); }

std::string answer_batch_line(std::string_view line, Evaluator& evaluator) {
  std::string error;
  try {
    const json object = parse_json(line, "");
    if (!object.is_object()) throw InputError(Place{}, "a case is an object with \"expr\"");
    const auto expr = object.find("expr");
    if (expr == object.end() || !expr->is_string()) throw InputError(Place{}, "a case has \"expr\", a string");
    Bindings bindings;
    if (const auto given = object.find("bindings"); given != object.end()) JsonReader(bindings, "").bindings(*given);
    const std::string source = expr->get<std::string>();
    Fault fault;
    const auto program = compile(source, {Mode::dynamic, bindings.variables(), {}}, fault);
    if (!program) throw InputError(Place{}, fmt::format("{} (at offset {})", fault.message, fault.offset));
    const Value value = evaluator.evaluate(program->view(), bindings.values());
    if (!value.is_failure()) {
      json out = json::object();
      out["value"] = JsonWriter().typed(value);
      return dump(out);
    }
    error = value.text;
  } catch (const InputError& e) {
    error = e.message();
  }
  json out = json::object();
  out["error"] = error;
  return dump(out);
}

}  // namespace gpuadvise::cel
