#include <algorithm>
#include <optional>

#include "base/text.h"
#include "check/readers/terraform_links.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

void collect(const Node& node, std::vector<std::string>& out) {
  for (const auto& item : node.items) collect(item, out);
  for (const auto& member : node.members) {
    if (member.key != "references") {
      collect(member.value, out);
      continue;
    }
    for (const auto& item : member.value.items) out.push_back(text_of(&item));
  }
}

}  // namespace

std::string without_indexes(std::string_view address) {
  std::string out;
  int depth = 0;
  for (const char c : address) {
    if (c == '[') ++depth;
    if (depth == 0) out += c;
    if (c == ']' && depth > 0) --depth;
  }
  return out;
}

template <class Visit>
void TerraformLinks::each_member(Visit visit) {
  if (cursor_.peek() != Node::Kind::map) {
    cursor_.skip();
    return;
  }
  std::string key;
  cursor_.enter_object();
  while (cursor_.next_key(key)) visit(key);
}

template <class Visit>
void TerraformLinks::each_item(Visit visit) {
  if (cursor_.peek() != Node::Kind::list) {
    cursor_.skip();
    return;
  }
  cursor_.enter_array();
  while (cursor_.next_item()) visit();
}

void TerraformLinks::read() {
  each_member([&](const std::string& key) {
    if (key == "root_module") {
      read_module("");
    } else {
      cursor_.skip();
    }
  });
}

void TerraformLinks::read_module(const std::string& scope) {
  each_member([&](const std::string& key) {
    if (key == "resources") {
      each_item([&] { read_resource(scope); });
    } else if (key == "module_calls") {
      each_member([&](const std::string& name) { read_call(scope, name); });
    } else if (key == "outputs") {
      each_member([&](const std::string& name) {
        Written& output = written_[scope + "output." + name];
        output.scope = scope;
        collect(cursor_.build(), output.references);
      });
    } else {
      cursor_.skip();
    }
  });
}

void TerraformLinks::read_resource(const std::string& scope) {
  std::string type;
  std::string name;
  std::optional<JsonCursor::Mark> expressions;
  each_member([&](const std::string& key) {
    if ((key == "type" || key == "name") && cursor_.peek() == Node::Kind::string) {
      (key == "type" ? type : name) = cursor_.string();
      return;
    }
    if (key == "expressions") expressions = cursor_.mark();
    cursor_.skip();
  });
  if (!expressions || table_.rows(type).empty()) return;
  const auto behind = cursor_.mark();
  cursor_.seek(*expressions);
  Written& written = written_[scope + type + "." + name];
  written.scope = scope;
  collect(cursor_.build(), written.references);
  cursor_.seek(behind);
}

void TerraformLinks::read_call(const std::string& scope, const std::string& name) {
  const std::string inside = scope + "module." + name + ".";
  each_member([&](const std::string& part) {
    if (part == "module") {
      read_module(inside);
    } else if (part == "expressions") {
      each_member([&](const std::string& variable) {
        Written& given = written_[inside + "var." + variable];
        given.scope = scope;
        collect(cursor_.build(), given.references);
      });
    } else {
      cursor_.skip();
    }
  });
}

std::vector<std::string> TerraformLinks::of(const std::string& address) const {
  std::vector<std::string> out;
  const auto found = written_.find(address);
  if (found == written_.end()) return out;
  int visits = 0;
  for (const auto& reference : found->second.references) resolve(found->second.scope, reference, 0, visits, out);
  return out;
}

void TerraformLinks::resolve(const std::string& scope, const std::string& reference, int depth, int& visits,
                             std::vector<std::string>& out) const {
  // A chain of modules is a handful long; one that passes its own outputs on has no end.
  constexpr int kDeepest = 16;
  constexpr int kMostVisits = 1000;
  if (depth > kDeepest || ++visits > kMostVisits) return;
  const std::string address = without_indexes(reference);
  const auto parts = base::split(address, '.');
  if (parts.size() < 2) return;
  std::string key;
  if (parts[0] == "var") {
    key = scope + address.substr(0, address.find('.', 4));
  } else if (parts[0] == "module") {
    if (parts.size() < 3) return;
    key = scope + "module." + std::string(parts[1]) + ".output." + std::string(parts[2]);
  } else if (parts[0] == "local" || parts[0] == "data" || parts[0] == "each" || parts[0] == "count" ||
             parts[0] == "path" || parts[0] == "self" || parts[0] == "terraform") {
    return;
  } else {
    std::string resource = scope + std::string(parts[0]) + "." + std::string(parts[1]);
    if (std::find(out.begin(), out.end(), resource) == out.end()) out.push_back(std::move(resource));
    return;
  }
  const auto found = written_.find(key);
  if (found == written_.end()) return;
  for (const auto& next : found->second.references) resolve(found->second.scope, next, depth + 1, visits, out);
}

}  // namespace gpuadvise::check
