// Reads the HCL that `recommend --emit terraform` writes, strictly, and makes of it what `terraform show -json` would:
// resources with their counts multiplied out, inputs from the values given, references to other resources unknown.
// Only what such files use: blocks, strings, numbers, lists, maps, heredocs, references and calls.
#pragma once

#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::test {

using nlohmann::json;

struct HclBlock {
  std::string type;
  std::vector<std::string> labels;
  std::map<std::string, json> attributes;  // a reference is {"reference": "var.zone"}
  std::vector<HclBlock> blocks;
};

class HclReader {
 public:
  explicit HclReader(std::string_view text) : text_(text) {}

  HclBlock read() {
    HclBlock root;
    body(root, false);
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n') + 1;
    throw std::runtime_error("HCL line " + std::to_string(line) + ": " + what);
  }
  bool end() const { return at_ >= text_.size(); }
  char peek() const { return end() ? '\0' : text_[at_]; }

  void space() {
    while (!end()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        ++at_;
      } else if (peek() == '#') {
        while (!end() && peek() != '\n') ++at_;
      } else {
        return;
      }
    }
  }
  void expect(char c) {
    space();
    if (peek() != c) fail(std::string("'") + c + "' is expected, found '" + peek() + "'");
    ++at_;
  }
  std::string word() {
    space();
    const auto start = at_;
    while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_' || peek() == '-') ++at_;
    if (start == at_) fail("a name is expected");
    return std::string(text_.substr(start, at_ - start));
  }

  // A quoted string; `dynamic` where ${ } asks for a value.
  std::string string(bool& dynamic) {
    expect('"');
    std::string out;
    while (peek() != '"') {
      if (end() || peek() == '\n') fail("a string is not closed");
      if (text_.substr(at_, 3) == "$${" || text_.substr(at_, 3) == "%%{") {
        out += text_.substr(at_ + 1, 2);
        at_ += 3;
      } else if (text_.substr(at_, 2) == "${" || text_.substr(at_, 2) == "%{") {
        dynamic = true;
        while (!end() && peek() != '}') out += text_[at_++];
      } else if (peek() == '\\') {
        const char c = text_[at_ + 1];
        if (c == 'u') {
          out += static_cast<char>(std::stoi(std::string(text_.substr(at_ + 2, 4)), nullptr, 16));
          at_ += 4;
        } else if (c == '"' || c == '\\') {
          out += c;
        } else {
          fail("an unknown escape");
        }
        at_ += 2;
      } else {
        out += text_[at_++];
      }
    }
    ++at_;
    return out;
  }

  json heredoc() {
    at_ += 3;  // <<-
    const std::string mark = word();
    while (peek() != '\n') ++at_;
    std::string out;
    while (true) {
      ++at_;
      const auto stop = text_.find('\n', at_);
      if (stop == std::string_view::npos) fail("a heredoc is not closed");
      const std::string_view line = text_.substr(at_, stop - at_);
      at_ = stop;
      const auto first = line.find_first_not_of(' ');
      if (first != std::string_view::npos && line.substr(first) == mark) return out;
      for (std::size_t i = 0; i + 1 < line.size(); ++i) {
        const bool open = (line[i] == '$' || line[i] == '%') && line[i + 1] == '{';
        if (open && (i == 0 || line[i - 1] != line[i])) fail("a heredoc asks for a value: " + std::string(line));
      }
      out += std::string(line) + "\n";
    }
  }

  json value() {
    space();
    if (peek() == '"') {
      bool dynamic = false;
      const std::string text = string(dynamic);
      return dynamic ? json{{"reference", text}} : json(text);
    }
    if (text_.substr(at_, 3) == "<<-") return heredoc();
    if (peek() == '[') {
      json list = json::array();
      ++at_;
      for (space(); peek() != ']'; space()) {
        list.push_back(value());
        space();
        if (peek() == ',') ++at_;
      }
      ++at_;
      return list;
    }
    if (peek() == '{') {
      json map = json::object();
      ++at_;
      for (space(); peek() != '}'; space()) {
        bool dynamic = false;
        const std::string key = peek() == '"' ? string(dynamic) : word();
        expect('=');
        map[key] = value();
        space();
        if (peek() == ',') ++at_;
      }
      ++at_;
      return map;
    }
    if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      const auto start = at_;
      while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
      return std::stoi(std::string(text_.substr(start, at_ - start)));
    }
    return expression();
  }

  // true, false, a.b.c, f(...) and comparisons: kept as text up to the end of the value.
  json expression() {
    const auto start = at_;
    int depth = 0;
    bool quoted = false;
    while (!end()) {
      const char c = peek();
      if (c == '"') quoted = !quoted;
      if (!quoted && (c == '(' || c == '[')) ++depth;
      if (!quoted && depth == 0 && (c == '\n' || c == ',' || c == ']' || c == '}' || c == '#')) break;
      if (!quoted && (c == ')' || c == ']')) --depth;
      ++at_;
    }
    std::string text(text_.substr(start, at_ - start));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (text.empty()) fail("a value is expected");
    if (text == "true" || text == "false") return text == "true";
    return {{"reference", text}};
  }

  void body(HclBlock& block, bool inner) {
    while (true) {
      space();
      if (end() && !inner) return;
      if (peek() == '}' && inner) {
        ++at_;
        return;
      }
      const std::string name = word();
      space();
      if (peek() == '=') {
        ++at_;
        if (block.attributes.count(name) > 0) fail(name + " stands twice");
        block.attributes[name] = value();
        continue;
      }
      HclBlock child;
      child.type = name;
      while (peek() == '"') {
        bool dynamic = false;
        child.labels.push_back(string(dynamic));
        space();
      }
      expect('{');
      body(child, true);
      block.blocks.push_back(std::move(child));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// What stands for a reference in a plan: the value of an input, or nothing.
inline json planned(const json& value, const std::map<std::string, json>& inputs) {
  if (value.is_object() && value.size() == 1 && value.contains("reference")) {
    const std::string name = value["reference"];
    const auto at = inputs.find(name.rfind("var.", 0) == 0 ? name.substr(4) : name);
    return at == inputs.end() ? json() : at->second;
  }
  json out = value;
  if (value.is_array() || value.is_object()) {
    for (auto& item : out) item = planned(item, inputs);
  }
  return out;
}

inline json planned(const HclBlock& block, const std::map<std::string, json>& inputs) {
  json out = json::object();
  for (const auto& [name, value] : block.attributes) {
    if (name != "count") out[name] = planned(value, inputs);
  }
  for (const auto& child : block.blocks) out[child.type].push_back(planned(child, inputs));
  return out;
}

inline json plan_of(const HclBlock& root, const std::map<std::string, json>& inputs) {
  json changes = json::array();
  json configuration = json::array();
  json providers = json::object();
  for (const auto& block : root.blocks) {
    if (block.type == "provider") {
      providers[block.labels[0]] = {{"name", block.labels[0]},
                                    {"expressions", {{"region", {{"constant_value", inputs.at("region")}}}}}};
    }
    if (block.type != "resource") continue;
    const std::string address = block.labels[0] + "." + block.labels[1];
    const auto counted = block.attributes.find("count");
    const int count = counted == block.attributes.end() ? 1 : counted->second.get<int>();
    json expressions = json::object();
    json unknown = json::object();
    for (const auto& [name, value] : block.attributes) {
      if (!value.is_object() || !value.contains("reference")) continue;
      expressions[name] = {{"references", {value["reference"]}}};
      if (planned(value, inputs).is_null()) unknown[name] = true;
    }
    configuration.push_back({{"address", address},
                             {"mode", "managed"},
                             {"type", block.labels[0]},
                             {"name", block.labels[1]},
                             {"expressions", expressions}});
    for (int i = 0; i < count; ++i) {
      json change = {{"address", counted == block.attributes.end() ? address : address + "[" + std::to_string(i) + "]"},
                     {"mode", "managed"},
                     {"type", block.labels[0]},
                     {"name", block.labels[1]}};
      if (counted != block.attributes.end()) change["index"] = i;
      change["change"] = {
          {"actions", {"create"}}, {"before", nullptr}, {"after", planned(block, inputs)}, {"after_unknown", unknown}};
      changes.push_back(std::move(change));
    }
  }
  return {{"format_version", "1.2"},
          {"terraform_version", "1.9.5"},
          {"planned_values", {{"root_module", json::object()}}},
          {"resource_changes", changes},
          {"configuration", {{"provider_config", providers}, {"root_module", {{"resources", configuration}}}}}};
}

}  // namespace gpuadvise::test
