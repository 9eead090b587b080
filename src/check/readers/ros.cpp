// Alibaba Cloud ROS templates, YAML and JSON. References to parameters are resolved to their default; where an instance
// type is a parameter, each allowed value is a machine that a user of the template may end up with.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "check/readers/pai_service.h"
#include "check/readers/readers.h"
#include "check/readers/resource.h"
#include "check/readers/yaml_text.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

class RosReader {
 public:
  RosReader(const Input& input, const PlanFormats& formats, Plan& plan)
      : input_(input), plan_(plan), table_(formats), comments_(input.text) {}

  void read(const Node& root) {
    if (!root.is(Node::Kind::map)) return;
    if (text_of(root.find("Transform")).starts_with("Aliyun::Terraform")) {
      plan_.problems.push_back({PlanProblem::Kind::not_a_plan,
                                "input/not-a-plan",
                                "check.ros_terraform",
                                {},
                                Place{input_.name, root.line, root.column}});
      return;
    }
    parameters_ = root.find("Parameters");
    const Node* resources = root.find("Resources");
    if (resources == nullptr || !resources->is(Node::Kind::map)) return;
    resources_ = resources;
    const std::size_t before = plan_.machines.size();
    std::string commands;
    for (const auto& member : resources->members) {
      if (!member.value.is(Node::Kind::map)) continue;
      read_resource_entry(member, commands);
    }
    for (std::size_t i = before; i < plan_.machines.size(); ++i) {
      auto& machine = plan_.machines[i];
      if (machine.role == Role::machine || machine.role == Role::templ) machine.user_data += commands;
    }
  }

 private:
  void read_resource_entry(const Node::Member& member, std::string& commands) {
    const std::string type = text_of(member.value.find("Type"));
    const Node* raw = member.value.find("Properties");
    static const Node kNothing;
    if (raw == nullptr || !raw->is(Node::Kind::map)) raw = &kNothing;
    if (type == "ALIYUN::ECS::RunCommand") {
      const Node* content = raw->find("CommandContent");
      if (content != nullptr) commands += "\n" + text_of_value(resolve(*content, "CommandContent", 0));
    }
    for (const auto* row : table_.rows(type)) {
      choices_ = false;
      const Node properties = resolve(*raw, "", 0);
      ResourceSource source;
      source.address = member.key;
      source.type = type;
      source.name = member.key;
      source.format = "ros";
      source.place = Place{input_.name, member.line, member.column};
      source.values = &properties;
      for (auto& machine : read_resource(*row, table_, source)) {
        machine.choices = choices_;
        std::erase_if(machine.types, [](const TypeText& t) { return t.text.starts_with("${"); });
        std::erase_if(machine.zones, [](const std::string& t) { return t.starts_with("${"); });
        if (machine.types.empty() && !row->types.empty() && first_existing(*raw, row->types) != nullptr) {
          machine.type_unknown = true;
        }
        for (const auto path : row->zones) {
          if (const Node* zone = raw->find(path); zone != nullptr) {
            if (const std::string name = reference(*zone); !name.empty()) machine.zone_refs.push_back(name);
          }
        }
        collect_links(*raw, machine.refers_to, 0);
        if (!input_.json) {
          for (const auto& [line, text] : comments_.near(member.line)) {
            machine.claims.push_back({Claim::From::comment, text, Place{input_.name, line, 1}});
          }
          for (const auto& t : machine.types) {
            for (const auto& [line, text] : comments_.near(t.place.line)) {
              machine.claims.push_back({Claim::From::comment, text, Place{input_.name, line, 1}});
            }
          }
        }
        plan_.machines.push_back(std::move(machine));
      }
    }
  }

  static const Node* first_existing(const Node& root, Paths paths) {
    for (const auto path : paths) {
      if (const Node* node = first(root, path); node != nullptr) return node;
    }
    return nullptr;
  }

  // The name that {Ref: X}, {Fn::GetAtt: [X, ...]} or the short form's bare X points to; empty: no reference.
  std::string reference(const Node& node) const {
    if (node.is(Node::Kind::map) && node.members.size() == 1) {
      const auto& only = node.members.front();
      if (only.key == "Ref") return text_of(&only.value);
      if (only.key == "Fn::GetAtt") {
        if (only.value.is(Node::Kind::list)) return only.value.items.empty() ? "" : text_of(&only.value.items.front());
        return text_of(&only.value);
      }
    }
    // The YAML short form "!Ref X" reaches us as the plain word X.
    if (node.is(Node::Kind::string) && !node.quoted && (parameter(node.text) != nullptr || is_resource(node.text))) {
      return node.text;
    }
    return {};
  }

  const Node* parameter(std::string_view name) const {
    return parameters_ != nullptr && parameters_->is(Node::Kind::map) ? parameters_->find(name) : nullptr;
  }
  bool is_resource(std::string_view name) const { return resources_ != nullptr && resources_->find(name) != nullptr; }

  static bool names_a_type(std::string_view key) {
    const std::string word = base::lower(key);
    return word.find("instancetype") != std::string::npos || word == "type";
  }

  static Node text_node(std::string text, const Node& at) {
    Node node;
    node.kind = Node::Kind::string;
    node.text = std::move(text);
    node.quoted = true;
    node.line = at.line;
    node.column = at.column;
    return node;
  }

  Node resolve_reference(const std::string& name, const Node& at, std::string_view key) {
    const Node* p = parameter(name);
    if (p == nullptr) return text_node("${" + name + "}", at);
    const Node* fallback = p->find("Default");
    if (names_a_type(key)) {
      const Node* allowed = p->find("AllowedValues");
      if (allowed != nullptr && allowed->is(Node::Kind::list) && !allowed->items.empty()) {
        choices_ = choices_ || allowed->items.size() > 1;
        Node all = *allowed;
        if (fallback != nullptr && !fallback->is(Node::Kind::null)) all.items.insert(all.items.begin(), *fallback);
        return all;
      }
    }
    if (fallback != nullptr && !fallback->is(Node::Kind::null)) return *fallback;
    return text_node("${" + name + "}", at);
  }

  // Intrinsic functions as far as they can be worked out without deploying.
  Node resolve(const Node& node, std::string_view key, int depth) {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) return {};
    if (const std::string name = reference(node); !name.empty()) return resolve_reference(name, node, key);
    Node out;
    out.kind = node.kind;
    out.quoted = node.quoted;
    out.line = node.line;
    out.column = node.column;
    out.text = node.text;
    if (node.is(Node::Kind::map) && node.members.size() == 1) {
      const auto& only = node.members.front();
      if (only.key == "Fn::If" && only.value.is(Node::Kind::list) && only.value.items.size() == 3) {
        // Either branch may be deployed.
        out.kind = Node::Kind::list;
        for (std::size_t i = 1; i < 3; ++i) out.items.push_back(resolve(only.value.items[i], key, depth + 1));
        if (names_a_type(key)) choices_ = true;
        return out;
      }
      if (only.key == "Fn::Join" && only.value.is(Node::Kind::list) && only.value.items.size() == 2) {
        const std::string separator = only.value.items[0].text;
        std::string joined;
        for (const auto& item : only.value.items[1].items) {
          if (!joined.empty()) joined += separator;
          const Node part = resolve(item, key, depth + 1);
          joined += part.is(Node::Kind::list) && !part.items.empty() ? part.items.front().text : part.text;
        }
        return text_node(joined, node);
      }
      if (only.key == "Fn::Sub") {
        const Node* text =
            only.value.is(Node::Kind::list) && !only.value.items.empty() ? &only.value.items[0] : &only.value;
        return text_node(text->text, node);
      }
      if (only.key == "Fn::Base64Encode" || only.key == "Fn::Base64") return resolve(only.value, key, depth + 1);
      if (only.key.starts_with("Fn::")) return text_node("${" + only.key + "}", node);
    }
    for (const auto& item : node.items) out.items.push_back(resolve(item, key, depth + 1));
    for (const auto& member : node.members) {
      out.members.push_back({member.key, member.line, member.column, resolve(member.value, member.key, depth + 1)});
    }
    return out;
  }

  static std::string text_of_value(const Node& node) {
    return node.is(Node::Kind::string) ? node.text : text_of(&node);
  }

  void collect_links(const Node& node, std::vector<std::string>& out, int depth) const {
    constexpr int kDeepest = 64;
    if (depth > kDeepest) return;
    if (const std::string name = reference(node); !name.empty()) {
      if (is_resource(name)) out.push_back(name);
      return;
    }
    for (const auto& item : node.items) collect_links(item, out, depth + 1);
    for (const auto& member : node.members) collect_links(member.value, out, depth + 1);
  }

  const Input& input_;
  Plan& plan_;
  ResourceTable table_;
  Comments comments_;
  const Node* parameters_ = nullptr;
  const Node* resources_ = nullptr;
  bool choices_ = false;
};

}  // namespace

bool is_ros(const Input& input) { return input.has("ROSTemplateFormatVersion"); }

void read_ros(const Input& input, const PlanFormats& formats, const ReadOptions&, Plan& plan) {
  RosReader reader(input, formats, plan);
  for (const auto& document : parse_documents(input, plan)) reader.read(document);
}

}  // namespace gpuadvise::check
