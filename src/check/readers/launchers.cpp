// Files of tools that start work on rented machines: SkyPilot, dstack, docker compose.
#include <algorithm>

#include "base/text.h"
#include "check/readers/pods.h"
#include "check/readers/readers.h"
#include "check/readers/resource.h"
#include "check/readers/yaml_text.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

PlannedMachine blank(const Input& input, std::string_view format, const Node& at, std::string name) {
  PlannedMachine machine;
  machine.kind = std::string(format);
  machine.format = std::string(format);
  machine.name = std::move(name);
  machine.resource = machine.name.empty() ? std::string(format) : machine.name;
  machine.group = machine.resource;
  machine.place = Place{input.name, at.line, at.column};
  machine.role = Role::machine;
  machine.claims.push_back({Claim::From::name, machine.name, machine.place});
  return machine;
}

void add_type(const Node* node, const Input& input, PlannedMachine& machine) {
  const std::string text = text_of(node);
  if (!text.empty()) machine.types.push_back({text, Place{input.name, node->line, node->column}});
}

void add_comments(const Input& input, PlannedMachine& machine) {
  if (input.json) return;
  const Comments comments(input.text);
  for (const auto& type : machine.types) {
    for (const auto& [line, text] : comments.near(type.place.line)) {
      machine.claims.push_back({Claim::From::comment, text, Place{input.name, line, 1}});
    }
  }
}

// "A100:8", {A100: 8}, [A100:8, H100:8]: the card and how many a node has.
void read_accelerators(const Node* node, const Input& input, PlannedMachine& machine) {
  if (node == nullptr) return;
  std::vector<std::pair<std::string, double>> cards;
  const auto add = [&](std::string_view text) {
    const auto colon = text.rfind(':');
    double count = 1;
    if (colon != std::string_view::npos) {
      Node number;
      number.kind = Node::Kind::string;
      number.text = std::string(text.substr(colon + 1));
      count = number_of(&number).value_or(0);
      if (count > 0) text = text.substr(0, colon);
    }
    cards.emplace_back(std::string(base::trim(text)), count > 0 ? count : 1);
  };
  if (node->is(Node::Kind::map)) {
    for (const auto& member : node->members) cards.emplace_back(member.key, number_of(&member.value).value_or(1));
  } else {
    for (const Node* item : select(*node, "")) add(text_of(item));
  }
  for (const auto& [card, count] : cards) {
    if (card.empty()) continue;
    machine.claims.push_back({Claim::From::selector, card, Place{input.name, node->line, node->column}});
    if (machine.cards.empty()) machine.gpus_per_node_claimed = count;
    ask_for_card(machine, card, Place{input.name, node->line, node->column});
  }
}

void read_sky_resources(const Node& resources, const Input& input, PlannedMachine& machine) {
  add_type(resources.find("instance_type"), input, machine);
  const Node* cards = resources.find("accelerators");
  read_accelerators(cards != nullptr ? cards : resources.find("gpus"), input, machine);
  if (truthy(resources.find("use_spot"))) machine.charge = "spot";
  if (const auto size = number_of(resources.find("disk_size"))) machine.disks.push_back({true, {}, {}, size, {}});
  const std::string image = text_of(resources.find("image_id"));
  if (!image.empty()) machine.image = image;
  std::string where = text_of(resources.find("infra"));
  if (where.empty()) where = text_of(resources.find("cloud"));
  where = base::lower(where.substr(0, where.find('/')));
  if (where.starts_with("ali")) machine.vendor = "alibaba";
  if (where.starts_with("tencent")) machine.vendor = "tencent";
  if (where.starts_with("huawei")) machine.vendor = "huawei";
  if (const std::string zone = text_of(resources.find("zone")); !zone.empty()) machine.zones.push_back(zone);
}

void read_sky_task(const Node& task, const Input& input, Plan& plan) {
  if (!task.is(Node::Kind::map)) return;
  PlannedMachine machine = blank(input, "skypilot", task, text_of(task.find("name")));
  if (const Node* resources = task.find("resources"); resources != nullptr && resources->is(Node::Kind::map)) {
    machine.place = Place{input.name, resources->line, resources->column};
    read_sky_resources(*resources, input, machine);
    for (const auto key : {"any_of", "ordered"}) {
      for (const Node* option : select(*resources, key)) {
        if (option->is(Node::Kind::map)) read_sky_resources(*option, input, machine);
      }
    }
  }
  machine.nodes = number_of(task.find("num_nodes"));
  Container container;
  container.place = machine.place;
  split_words(text_of(task.find("setup")), container.words);
  split_words(text_of(task.find("run")), container.words);
  for (const auto key : {"envs", "env"}) add_labels(task.find(key), container.env);
  if (machine.gpus_per_node_claimed > 0 && !machine.types.empty()) container.gpus = machine.gpus_per_node_claimed;
  machine.behind_balancer = task.find("service") != nullptr;
  machine.replicas = machine.behind_balancer;
  machine.containers.push_back(std::move(container));
  add_labels(task.find("labels"), machine.labels);
  add_comments(input, machine);
  plan.machines.push_back(std::move(machine));
}

void read_dstack_run(const Node& run, const Input& input, Plan& plan) {
  if (!run.is(Node::Kind::map)) return;
  const std::string type = text_of(run.find("type"));
  PlannedMachine machine = blank(input, "dstack", run, text_of(run.find("name")));
  machine.kind = "dstack-" + type;
  for (const Node* node : select(run, "instance_types")) add_type(node, input, machine);
  for (const Node* node : select(run, "availability_zones")) machine.zones.push_back(text_of(node));
  machine.nodes = number_of(run.find("nodes"));
  if (type == "service") {
    machine.behind_balancer = true;
    machine.replicas = true;
    if (!machine.nodes) machine.nodes = number_of(run.find("replicas"));
  }
  const std::string spot = text_of(run.find("spot_policy"));
  if (spot == "spot") machine.charge = "spot";
  if (spot == "on-demand") machine.charge = "on_demand";
  machine.spot_capped = run.find("max_price") != nullptr;
  Container container = read_container(run, input.name);
  container.place = machine.place;
  for (const Node* line : select(run, "commands")) split_words(text_of(line), container.words);
  if (const Node* gpu = first(run, "resources.gpu"); gpu != nullptr) {
    if (gpu->is(Node::Kind::map)) {
      for (const Node* name : select(*gpu, "name")) {
        machine.claims.push_back({Claim::From::selector, text_of(name), machine.place});
        ask_for_card(machine, text_of(name), machine.place);
      }
      container.gpus = number_of(gpu->find("count"));
    } else {
      // "A100:80GB:8": parts tell themselves apart by their looks.
      const std::string text = text_of(gpu);
      std::string card;
      std::string memory;
      for (const auto part : base::split(text, ':')) {
        Node number;
        number.kind = Node::Kind::string;
        number.text = std::string(part);
        if (const auto count = number_of(&number)) {
          container.gpus = *count;
        } else if (gib_of(part.substr(0, part.find("..")), 1)) {
          memory = part.substr(0, part.find(".."));
        } else {
          card = part;
        }
      }
      if (!card.empty()) {
        if (!memory.empty()) card += " " + memory;
        machine.claims.push_back({Claim::From::selector, card, machine.place});
        ask_for_card(machine, card, machine.place);
      }
      if (!container.gpus) container.gpus = 1;
    }
    machine.gpus_per_node_claimed = container.gpus.value_or(1);
  }
  machine.containers.push_back(std::move(container));
  add_comments(input, machine);
  if (!machine.types.empty() || !machine.cards.empty() || machine.gpus_per_node_claimed > 0) {
    plan.machines.push_back(std::move(machine));
  }
}

void read_compose_service(const Node::Member& member, const Input& input, Plan& plan) {
  const Node& service = member.value;
  if (!service.is(Node::Kind::map)) return;
  PlannedMachine machine = blank(input, "compose", service, member.key);
  machine.place = Place{input.name, member.line, member.column};
  machine.role = Role::pod;
  machine.replicas = true;
  Container container = read_container(service, input.name);
  container.place = machine.place;
  for (const auto key : {"entrypoint"}) {
    for (const Node* word : select(service, key)) split_words(text_of(word), container.words);
  }
  if (const Node* env = service.find("environment"); env != nullptr) {
    if (env->is(Node::Kind::list)) {
      for (const auto& item : env->items) {
        const std::string text = text_of(&item);
        const auto equals = text.find('=');
        if (equals != std::string::npos) container.env.emplace_back(text.substr(0, equals), text.substr(equals + 1));
      }
    } else {
      add_labels(env, container.env);
    }
  }
  for (const Node* device : select(service, "deploy.resources.reservations.devices")) {
    if (!device->is(Node::Kind::map)) continue;
    const auto capabilities = select(*device, "capabilities");
    const bool gpu = std::any_of(capabilities.begin(), capabilities.end(), [](auto* c) { return text_of(c) == "gpu"; });
    if (!gpu) continue;
    const auto ids = select(*device, "device_ids");
    container.gpus = ids.empty() ? number_of(device->find("count")).value_or(0) : static_cast<double>(ids.size());
    machine.gpus_per_node_claimed = *container.gpus;
  }
  const bool wants =
      container.gpus.has_value() || service.find("gpus") != nullptr || text_of(service.find("runtime")) == "nvidia";
  for (const Node* device : select(service, "devices")) {
    if (text_of(device).find("/dev/davinci") != std::string::npos &&
        text_of(device).find("davinci_manager") == std::string::npos) {
      container.npus = container.npus.value_or(0) + 1;
    }
  }
  machine.nodes = number_of(first(service, "deploy.replicas"));
  for (const Node* constraint : select(service, "deploy.placement.constraints")) {
    const std::string text = text_of(constraint);
    const auto equals = text.find("==");
    if (text.find("instance-type") == std::string::npos && text.find("instance_type") == std::string::npos) continue;
    if (equals == std::string::npos) continue;
    machine.types.push_back({std::string(base::trim(std::string_view(text).substr(equals + 2))),
                             Place{input.name, constraint->line, constraint->column}});
  }
  add_labels(service.find("labels"), machine.labels);
  for (const Node* label : select(service, "labels")) {
    const std::string text = text_of(label);
    const auto equals = text.find('=');
    if (equals != std::string::npos) machine.labels.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto key : {"gpuadvise.instance-type", "gpuadvise/instance-type", "gpuadvise:instance-type"}) {
    const std::string type(value_of(machine.labels, key));
    if (!type.empty()) machine.types.push_back({type, machine.place});
  }
  const bool npu = container.npus.has_value();
  machine.containers.push_back(std::move(container));
  add_comments(input, machine);
  if (wants || npu || !machine.types.empty()) plan.machines.push_back(std::move(machine));
}

}  // namespace

bool is_skypilot(const Input& input) {
  return input.has("resources") &&
         (input.has("run") || input.has("num_nodes") || input.has("setup") || input.has("service"));
}

void read_skypilot(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  for (const auto& document : parse_documents(input, plan)) read_sky_task(document, input, plan);
}

bool is_dstack(const Input& input) {
  if (!input.has("type") || input.has("kind")) return false;
  for (const auto word : {"type: task", "type: service", "type: dev-environment", "type: fleet"}) {
    const auto at = input.text.find(word);
    if (at == 0 || (at != std::string::npos && input.text[at - 1] == '\n')) return true;
  }
  return false;
}

void read_dstack(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  for (const auto& document : parse_documents(input, plan)) read_dstack_run(document, input, plan);
}

bool is_compose(const Input& input) { return input.has("services") && !input.has("apiVersion"); }

void read_compose(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  for (const auto& document : parse_documents(input, plan)) {
    const Node* services = document.is(Node::Kind::map) ? document.find("services") : nullptr;
    if (services == nullptr || !services->is(Node::Kind::map)) continue;
    for (const auto& member : services->members) read_compose_service(member, input, plan);
  }
}

}  // namespace gpuadvise::check
