// Terraform and OpenTofu: `show -json` of a plan or a state. A plan is walked once; only the changes of resources that
// the tables know are built, one at a time.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "base/text.h"
#include "check/readers/hcl_places.h"
#include "check/readers/json_cursor.h"
#include "check/readers/pai_service.h"
#include "check/readers/readers.h"
#include "check/readers/resource.h"
#include "check/readers/terraform_links.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

// module.a["x"].alicloud_instance.b[0] -> module.a["x"].alicloud_instance.b
std::string without_index(std::string_view address) {
  if (!address.ends_with("]")) return std::string(address);
  const auto bracket = address.rfind('[');
  return std::string(address.substr(0, bracket));
}

// The name of the innermost module of an address; empty at the root.
std::string innermost_module(std::string_view address) {
  std::string module;
  std::size_t at = 0;
  while (address.substr(at).starts_with("module.")) {
    at += 7;
    const auto end = address.find_first_of(".[", at);
    if (end == std::string_view::npos) break;
    module = std::string(address.substr(at, end - at));
    at = address[end] == '[' ? address.find("].", end) : end;
    if (at == std::string_view::npos) break;
    at += address[at] == ']' ? 2 : 1;
  }
  return module;
}

class TerraformReader {
 public:
  TerraformReader(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan)
      : input_(input), options_(options), plan_(plan), table_(formats), cursor_(input.text, input.name) {}

  void read() {
    namespace fs = std::filesystem;
    std::string directory = options_.source_dir;
    if (directory.empty() && input_.name != "-" && !input_.name.empty()) {
      directory = fs::path(input_.name).parent_path().string();
      if (directory.empty()) directory = ".";
    }
    if (!directory.empty()) hcl_.scan_directory(directory);

    bool changes = false;
    std::optional<JsonCursor::Mark> planned;
    std::optional<JsonCursor::Mark> state;
    std::optional<JsonCursor::Mark> configuration;
    std::vector<std::string> seen;
    std::string key;
    cursor_.enter_object();
    while (cursor_.next_key(key)) {
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        cursor_.fail(fmt::format("key \"{}\" stands twice", base::printable(key)));
      }
      seen.push_back(key);
      if (key == "format_version") {
        check_version(cursor_.build());
      } else if (key == "errored") {
        const Node value = cursor_.build();
        if (truthy(&value)) problem(PlanProblem::Kind::incomplete, "input/plan-errored", "check.plan_errored");
      } else if (key == "complete") {
        const Node value = cursor_.build();
        if (value.is(Node::Kind::boolean) && !truthy(&value)) {
          problem(PlanProblem::Kind::incomplete, "input/plan-incomplete", "check.plan_incomplete");
        }
      } else if (key == "variables" && cursor_.peek() == Node::Kind::map) {
        read_variables(cursor_.build());
      } else if (key == "resource_changes") {
        changes = true;
        each_item("resource_changes", [&] { read_change(); });
      } else {
        if (key == "planned_values") planned = cursor_.mark();
        if (key == "values") state = cursor_.mark();
        if (key == "configuration") configuration = cursor_.mark();
        cursor_.skip();
      }
    }
    cursor_.end();
    if (!changes && (planned || state)) {
      cursor_.seek(planned ? *planned : *state);
      read_values_root();
    }
    if (configuration) {
      cursor_.seek(*configuration);
      TerraformLinks links(cursor_, table_);
      links.read();
      link(links);
    }
    std::move(found_.begin(), found_.end(), std::back_inserter(plan_.machines));
  }

 private:
  void problem(PlanProblem::Kind kind, std::string rule, std::string message, Pairs values = {}) {
    plan_.problems.push_back({kind, std::move(rule), std::move(message), std::move(values),
                              Place{input_.name, cursor_.line(), cursor_.column()}});
  }

  void wrong_kind(std::string_view what, Node::Kind expected) {
    problem(PlanProblem::Kind::unreadable, "input/unreadable", "check.wrong_kind",
            {{"what", std::string(what)}, {"expected", std::string(base::kind_name(expected))}});
  }

  template <class Read>
  void each_item(std::string_view what, Read read) {
    if (cursor_.peek() != Node::Kind::list) {
      if (cursor_.peek() != Node::Kind::null) wrong_kind(what, Node::Kind::list);
      cursor_.skip();
      return;
    }
    cursor_.enter_array();
    while (cursor_.next_item()) {
      if (cursor_.peek() == Node::Kind::map) {
        read();
      } else {
        wrong_kind(std::string(what) + "[]", Node::Kind::map);
        cursor_.skip();
      }
    }
  }

  void check_version(const Node& version) {
    const std::string text = text_of(&version);
    const std::string_view major = std::string_view(text).substr(0, text.find('.'));
    if (major != "0" && major != "1") {
      problem(PlanProblem::Kind::unreadable, "input/unreadable", "check.format_version", {{"version", text}});
    }
  }

  void read_variables(const Node& variables) {
    for (const auto& member : variables.members) {
      const std::string name = base::lower(member.key);
      const std::string text = text_of(member.value.is(Node::Kind::map) ? member.value.find("value") : &member.value);
      if (text.empty()) continue;
      if (name == "env" || name == "environment" || name == "stage") plan_.environment = text;
      if (name == "region") plan_.region = text;
    }
  }

  // The strings that say what a resource is; its long values are only marked.
  struct Head {
    std::string address, type, name, mode, module;
    bool deposed = false;
    std::optional<JsonCursor::Mark> body, unknown, sensitive;
    int line = 0, column = 0;
  };

  Head read_head(std::string_view body_key) {
    Head head;
    head.line = cursor_.line();
    head.column = cursor_.column();
    std::string key;
    cursor_.enter_object();
    while (cursor_.next_key(key)) {
      std::string* text = key == "address"          ? &head.address
                          : key == "type"           ? &head.type
                          : key == "name"           ? &head.name
                          : key == "mode"           ? &head.mode
                          : key == "module_address" ? &head.module
                                                    : nullptr;
      if (text != nullptr && cursor_.peek() == Node::Kind::string) {
        *text = cursor_.string();
        continue;
      }
      if (key == "deposed") head.deposed = cursor_.peek() == Node::Kind::string;
      if (key == body_key) head.body = cursor_.mark();
      if (key == "sensitive_values") head.sensitive = cursor_.mark();
      cursor_.skip();
    }
    if (head.address.empty() && !head.type.empty()) head.address = head.type + "." + head.name;
    return head;
  }

  void read_change() {
    const Head head = read_head("change");
    const auto rows = table_.rows(head.type);
    if (rows.empty() || head.deposed || !head.body || (!head.mode.empty() && head.mode != "managed")) return;
    const auto after_item = cursor_.mark();
    cursor_.seek(*head.body);
    if (cursor_.peek() != Node::Kind::map) {
      wrong_kind(head.address + ".change", Node::Kind::map);
      cursor_.seek(after_item);
      return;
    }
    Node actions, after, unknown, sensitive;
    std::string key;
    cursor_.enter_object();
    while (cursor_.next_key(key)) {
      Node* part = key == "actions"           ? &actions
                   : key == "after"           ? &after
                   : key == "after_unknown"   ? &unknown
                   : key == "after_sensitive" ? &sensitive
                                              : nullptr;
      if (part != nullptr) {
        *part = cursor_.build();
      } else {
        cursor_.skip();
      }
    }
    cursor_.seek(after_item);
    const auto action = action_of(actions);
    if (!action || after.is(Node::Kind::null)) return;
    if (options_.changes_only && *action == Action::no_op) return;
    if (!after.is(Node::Kind::map)) {
      wrong_kind(head.address + ".change.after", Node::Kind::map);
      return;
    }
    add(head, rows, after, &unknown, &sensitive, *action);
  }

  // Empty: nothing is left running (delete, forget, read).
  static std::optional<Action> action_of(const Node& actions) {
    bool creates = false, updates = false, deletes = false, no_op = false;
    std::vector<std::string> words;
    for (const auto& item : actions.items) words.push_back(text_of(&item));
    if (!actions.is(Node::Kind::list)) words.push_back(text_of(&actions));
    for (const auto& word : words) {
      creates = creates || word == "create";
      updates = updates || word == "update";
      deletes = deletes || word == "delete";
      no_op = no_op || word == "no-op";
    }
    if (creates) return deletes ? Action::replace : Action::create;
    if (updates) return Action::update;
    if (no_op) return Action::no_op;
    const bool gone = deletes || std::find(words.begin(), words.end(), "forget") != words.end() ||
                      std::find(words.begin(), words.end(), "read") != words.end();
    return gone ? std::nullopt : std::optional(Action::create);  // an action we do not know: judged, not passed over
  }

  void add(const Head& head, const std::vector<const PlanResource*>& rows, const Node& values, const Node* unknown,
           const Node* sensitive, Action action) {
    ResourceSource source;
    source.address = head.address;
    source.type = head.type;
    source.name = head.name;
    source.format = "terraform-plan";
    source.values = &values;
    source.unknown = unknown;
    source.sensitive = sensitive;
    source.values_have_places = false;
    source.place = Place{input_.name, head.line, head.column};
    const HclBlock* block = hcl_.find(head.type, head.name, innermost_module(head.address));
    if (block != nullptr) source.place = block->place;
    for (const auto* row : rows) {
      for (auto& machine : read_resource(*row, table_, source)) {
        machine.action = action;
        machine.group = without_index(head.address);
        if (!row->part.empty()) machine.group += "." + std::string(row->part);
        if (block != nullptr) {
          for (const auto& [place, text] : block->comments)
            machine.claims.push_back({Claim::From::comment, text, place});
        }
        found_.push_back(std::move(machine));
      }
    }
    // The service's own JSON stands inside one string.
    const bool hidden = sensitive != nullptr && truthy(sensitive->find("service_config"));
    const Node* service = hidden ? nullptr : values.find("service_config");
    if (service != nullptr && service->is(Node::Kind::string)) {
      try {
        PlannedMachine machine = read_pai_service(base::parse_json(service->text, input_.name), source.place);
        machine.resource = head.address;
        machine.group = without_index(head.address);
        machine.kind = head.type;
        machine.name = head.name;
        machine.format = source.format;
        machine.action = action;
        found_.push_back(std::move(machine));
      } catch (const InputError& error) {
        problem(PlanProblem::Kind::unreadable, "input/unreadable", "check.service_config",
                {{"resource", head.address}, {"why", error.message()}});
      }
    }
  }

  void read_values_root() {
    if (cursor_.peek() != Node::Kind::map) return;
    std::string key;
    cursor_.enter_object();
    while (cursor_.next_key(key)) {
      if (key == "root_module" && cursor_.peek() == Node::Kind::map) {
        read_module();
      } else {
        cursor_.skip();
      }
    }
  }

  void read_module() {
    std::string key;
    cursor_.enter_object();
    while (cursor_.next_key(key)) {
      if (key == "resources") {
        each_item("resources", [&] { read_value(); });
      } else if (key == "child_modules") {
        each_item("child_modules", [&] { read_module(); });
      } else {
        cursor_.skip();
      }
    }
  }

  void read_value() {
    const Head head = read_head("values");
    const auto rows = table_.rows(head.type);
    if (rows.empty() || !head.body || (!head.mode.empty() && head.mode != "managed")) return;
    const auto after_item = cursor_.mark();
    cursor_.seek(*head.body);
    const Node values = cursor_.build();
    Node sensitive;
    if (head.sensitive) {
      cursor_.seek(*head.sensitive);
      sensitive = cursor_.build();
    }
    cursor_.seek(after_item);
    if (!values.is(Node::Kind::map)) {
      wrong_kind(head.address + ".values", Node::Kind::map);
      return;
    }
    add(head, rows, values, nullptr, &sensitive, Action::no_op);
  }

  // References between resources: which deployment set a machine stands in, which group starts a template.
  void link(TerraformLinks& links) {
    for (auto& machine : found_) machine.refers_to = links.of(without_indexes(base_address(machine)));
  }

  static std::string base_address(const PlannedMachine& machine) {
    // Parts of a resource ("...worker") share the resource's links.
    const auto name = machine.resource.find(machine.kind + "." + machine.name);
    if (name == std::string::npos) return machine.resource;
    return machine.resource.substr(0, name + machine.kind.size() + 1 + machine.name.size());
  }

  const Input& input_;
  const ReadOptions& options_;
  Plan& plan_;
  ResourceTable table_;
  JsonCursor cursor_;
  HclPlaces hcl_;
  std::vector<PlannedMachine> found_;
};

}  // namespace

bool is_terraform(const Input& input) {
  return input.json && input.has("format_version") &&
         (input.has("planned_values") || input.has("resource_changes") || input.has("values"));
}

void read_terraform(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan) {
  TerraformReader(input, formats, options, plan).read();
}

}  // namespace gpuadvise::check
