#include "check/readers/pai_service.h"
#include "check/readers/pods.h"
#include "check/readers/readers.h"
#include "check/readers/resource.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

PlannedMachine read_pai_service(const Node& service, const Place& place) {
  PlannedMachine machine;
  machine.kind = "pai-eas-service";
  machine.format = "pai-eas";
  machine.name = text_of(first(service, "metadata.name"));
  if (machine.name.empty()) machine.name = text_of(service.find("name"));
  machine.resource = machine.name.empty() ? "service" : machine.name;
  machine.group = machine.resource;
  machine.place = place;
  machine.role = Role::service;
  machine.vendor = "alibaba";
  machine.platform = "eas";
  machine.replicas = true;
  machine.behind_balancer = true;  // EAS puts every service behind its gateway
  for (const auto path : {"cloud.computing.instance_type", "cloud.computing.instances[].type",
                          "cloud.computing.instances[].instance_type"}) {
    for (const Node* node : select(service, path)) {
      const std::string text = text_of(node);
      if (!text.empty()) machine.types.push_back({text, Place{place.file, node->line, node->column}});
    }
  }
  for (const Node* instance : select(service, "cloud.computing.instances[]")) {
    if (instance->is(Node::Kind::map) && instance->find("spot_price_limit") != nullptr) {
      machine.charge = "spot";
      machine.spot_capped = true;
    }
  }
  machine.nodes = number_of(first(service, "metadata.instance"));
  machine.min_nodes = number_of(first(service, "autoscaler.min"));
  machine.max_nodes = number_of(first(service, "autoscaler.max"));
  for (const Node* node : select(service, "containers[]")) {
    Container container = read_container(*node, place.file);
    if (node->is(Node::Kind::map)) {
      if (const Node* script = node->find("script"); script != nullptr) split_words(text_of(script), container.words);
    }
    machine.containers.push_back(std::move(container));
  }
  if (machine.containers.empty()) machine.containers.emplace_back();
  machine.containers.front().gpus = number_of(first(service, "metadata.gpu"));
  if (const auto memory = number_of(first(service, "metadata.memory"))) {
    machine.containers.front().memory_gib = *memory / 1024;  // MB
  }
  machine.containers.front().place = place;
  if (machine.containers.front().image.empty()) {
    machine.containers.front().image = text_of(service.find("processor_path"));
  }
  add_labels(service.find("labels"), machine.labels);
  machine.claims.push_back({Claim::From::name, machine.name, place});
  return machine;
}

bool is_pai_service(const Input& input) {
  return input.has("metadata") && (input.has("cloud") || input.has("processor") || input.has("containers")) &&
         !input.has("apiVersion");
}

void read_pai_file(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  const Node root = base::parse_document(input.text, input.name);
  if (root.is(Node::Kind::list)) {
    for (const auto& item : root.items) {
      plan.machines.push_back(read_pai_service(item, Place{input.name, item.line, item.column}));
    }
    return;
  }
  plan.machines.push_back(read_pai_service(root, Place{input.name, root.line, root.column}));
}

}  // namespace gpuadvise::check
