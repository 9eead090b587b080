#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/readers/pods.h"
#include "check/readers/resource.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

enum class Unit : unsigned char { card, gib, mib128, mib256, npu, rdma, percent, slice };

// Extended resources and what one of them is. ACK's gpu-mem counts GiB, or MiB where the component is set so.
struct Resource {
  std::string_view key;
  Unit unit;
};

// What runs on the device that a resource names; empty: nothing that we can tell.
std::string_view stack_of(std::string_view key) {
  if (key.starts_with("huawei.com/")) return "cann";
  if (key.starts_with("amd.com/")) return "rocm";
  if (key.ends_with("/ppu")) return "ppu";
  return key.starts_with("nvidia.com/") ? "cuda" : "";
}
constexpr std::array kResources = std::to_array<Resource>({
    {"nvidia.com/gpu", Unit::card},
    {"nvidia.com/gpu.shared", Unit::slice},
    {"amd.com/gpu", Unit::card},
    {"aliyun.com/gpu-mem", Unit::gib},
    {"aliyun.com/gpu-count", Unit::card},
    {"aliyun.com/gpu", Unit::card},
    {"aliyun.com/ppu", Unit::card},
    {"alibabacloud.com/ppu", Unit::card},
    {"aliyun/erdma", Unit::rdma},
    {"rdma/hca", Unit::rdma},
    {"rdma/hca_shared_devices_a", Unit::rdma},
    {"tke.cloud.tencent.com/qgpu-core", Unit::percent},
    {"tke.cloud.tencent.com/qgpu-memory", Unit::gib},
    {"tke.cloud.tencent.com/eni-rdma", Unit::rdma},
    {"tke.cloud.tencent.com/rdma", Unit::rdma},
    {"tencent.com/vcuda-core", Unit::percent},
    {"tencent.com/vcuda-memory", Unit::mib256},
    {"volcano.sh/gpu-mem.128Mi", Unit::mib128},
    {"volcano.sh/gpu-core.percentage", Unit::percent},
    {"volcano.sh/vgpu-number", Unit::slice},
    {"volcano.sh/vgpu-memory", Unit::gib},
});

void add(std::optional<double>& sum, double value) { sum = sum.value_or(0) + value; }

void read_resources(const Node& resources, Container& container) {
  for (const auto& member : resources.members) {
    const auto value = number_of(&member.value);
    if (member.key == "memory") container.memory_gib = gib_of(text_of(&member.value), 1.0 / (1U << 30U));
    if (!value) continue;
    const std::string key = base::lower(member.key);
    if (const auto stack = stack_of(key); !stack.empty() && *value > 0) {
      container.stack = stack;
      container.device = member.key;
    }
    if (key.starts_with("huawei.com/ascend") || key.starts_with("huawei.com/npu")) {
      add(container.npus, *value);
      continue;
    }
    if (key.starts_with("nvidia.com/mig-")) {
      add(container.gpus, 0.5);  // some slice of a card
      add(container.mig_slices, *value);
      continue;
    }
    if (key.starts_with("rdma/") || key.find("/rdma") != std::string::npos) container.rdma = *value > 0;
    for (const auto& resource : kResources) {
      if (resource.key != member.key) continue;
      constexpr double kMibThreshold = 1024;  // no card has a TiB; such a value counts MiB
      switch (resource.unit) {
        case Unit::card:
          add(container.gpus, *value);
          break;
        case Unit::slice:
          add(container.gpus, std::min(*value, 1.0));
          break;
        case Unit::gib:
          add(container.gpu_memory_gib, *value >= kMibThreshold ? *value / 1024 : *value);
          break;
        case Unit::mib128:
          add(container.gpu_memory_gib, *value / 8);
          break;
        case Unit::mib256:
          add(container.gpu_memory_gib, *value / 4);
          break;
        case Unit::percent:
          if (!container.gpus) container.gpus = *value / 100;
          break;
        case Unit::rdma:
          container.rdma = *value > 0;
          break;
        case Unit::npu:
          add(container.npus, *value);
          break;
      }
    }
  }
}

void add_type(std::string_view text, const Place& place, PlannedMachine& machine) {
  text = base::trim(text);
  if (text.empty()) return;
  const bool seen = std::any_of(machine.types.begin(), machine.types.end(), [&](auto& t) { return t.text == text; });
  if (!seen) machine.types.push_back({std::string(text), place});
}

bool is_type_key(std::string_view key) {
  return key == "node.kubernetes.io/instance-type" || key == "beta.kubernetes.io/instance-type" ||
         key.ends_with("/instance-type");
}
bool is_card_key(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"nvidia.com/gpu.product", "aliyun.accelerator/nvidia_name", "accelerator", "accelerator/huawei-npu",
       "alibabacloud.com/gpu-model-series", "gpu-model", "gpu-type", "alibabacloud.com/gpu-name",
       "karpenter.k8s.alibabacloud/instance-gpu-name", "aliyun.accelerator/xpu_name", "gpu.product"});
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// One demand on the node: key and the values that are accepted.
void read_demand(std::string_view key, const std::vector<const Node*>& values, const std::string& file,
                 PlannedMachine& machine) {
  std::string cards;
  for (const Node* value : values) {
    const std::string text = text_of(value);
    const Place place{file, value->line, value->column};
    if (text.empty()) continue;
    if (is_type_key(key)) {
      add_type(text, place, machine);
    } else if (is_card_key(key)) {
      cards += (cards.empty() ? "" : ", ") + text;
      ask_for_card(machine, text, place);
    } else if (key.ends_with("topology.kubernetes.io/zone") || key.ends_with("/zone")) {
      machine.zones.push_back(text);
    } else if (key == "karpenter.sh/capacity-type" && text == "spot") {
      machine.charge = "spot";
    }
  }
  // Values of one demand are alternatives.
  if (!cards.empty() && !values.empty()) {
    machine.claims.push_back({Claim::From::selector, cards, Place{file, values.front()->line, values.front()->column}});
  }
}

void read_annotation(std::string_view key, const Node& value, const std::string& file, PlannedMachine& machine) {
  const std::string text = text_of(&value);
  const Place place{file, value.line, value.column};
  if (key == "k8s.aliyun.com/eci-use-specs" || key == "k8s.aliyun.com/eci-instance-type" ||
      key == "k8s.aliyun.com/eci-instance-spec") {
    machine.vendor = "alibaba";
    for (const auto part : base::split(text, ',')) {
      const std::string_view spec = base::trim(part);
      const bool shape = !spec.empty() && spec[0] >= '0' && spec[0] <= '9';  // "2-4Gi"
      if (!shape) add_type(spec, place, machine);
    }
  } else if (key == "k8s.aliyun.com/eci-spot-strategy") {
    machine.charge = text == "NoSpot" ? "on_demand" : "spot";
    if (text == "SpotWithPriceLimit") machine.spot_capped = true;
  } else if (key == "k8s.aliyun.com/eci-gpu-driver-version") {
    const auto equals = text.find('=');
    machine.gpu_driver = equals == std::string::npos ? text : text.substr(equals + 1);
  } else if (key == "eks.tke.cloud.tencent.com/gpu-type") {
    machine.vendor = "tencent";
    // "A10*GNV4,1/4*T4": card or fraction before the star; card or family behind it.
    for (const auto part : base::split(text, ',')) ask_for_card(machine, base::trim(part), place);
    machine.claims.push_back({Claim::From::selector, text, place});
  } else if (key == "eks.tke.cloud.tencent.com/gpu-count") {
    if (const auto count = number_of(&value); count && *count > 0) machine.gpus_per_node_claimed = *count;
  } else if (key == "eks.tke.cloud.tencent.com/spot-pod") {
    if (truthy(&value)) machine.charge = "spot";
  } else if (is_type_key(key)) {
    add_type(text, place, machine);
  } else if (is_card_key(key)) {
    machine.claims.push_back({Claim::From::selector, text, place});
    ask_for_card(machine, text, place);
  }
}

}  // namespace

Container read_container(const Node& node, const std::string& file) {
  Container container;
  container.place = Place{file, node.line, node.column};
  if (!node.is(Node::Kind::map)) return container;
  container.name = text_of(node.find("name"));
  container.image = text_of(node.find("image"));
  for (const auto key : {"command", "args"}) {
    const Node* words = node.find(key);
    if (words == nullptr) continue;
    if (words->is(Node::Kind::list)) {
      for (const auto& item : words->items) {
        const std::string text = text_of(&item);
        // "sh -c" takes a whole line as one argument.
        if (text.find(' ') != std::string::npos || text.find('\n') != std::string::npos) {
          split_words(text, container.words);
        } else if (!text.empty()) {
          container.words.push_back(text);
        }
      }
    } else {
      split_words(text_of(words), container.words);
    }
  }
  if (const Node* env = node.find("env"); env != nullptr) add_labels(env, container.env);
  const Node* resources = node.find("resources");
  if (resources != nullptr && resources->is(Node::Kind::map)) {
    const Node* limits = resources->find("limits");
    const Node* requests = resources->find("requests");
    if (limits != nullptr) read_resources(*limits, container);
    const bool nothing = !container.gpus && !container.gpu_memory_gib && !container.npus;
    if (requests != nullptr && nothing) read_resources(*requests, container);
  }
  if (const Node* extra = node.find("storageUri"); extra != nullptr)
    container.env.emplace_back("STORAGE_URI", text_of(extra));
  return container;
}

void read_pod_placement(const Node& spec, const Node* metadata, const std::string& file, PlannedMachine& machine) {
  if (const Node* selector = spec.find("nodeSelector"); selector != nullptr && selector->is(Node::Kind::map)) {
    for (const auto& member : selector->members) read_demand(member.key, {&member.value}, file, machine);
    add_labels(selector, machine.labels);
  }
  // Preferred terms are wishes, but a pod that wishes for a machine is planned for it.
  for (const auto path :
       {"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms.matchExpressions",
        "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.preference.matchExpressions",
        "requirements"}) {
    for (const Node* expression : select(spec, path)) {
      if (!expression->is(Node::Kind::map)) continue;
      const std::string op = text_of(expression->find("operator"));
      if (op != "In" && !op.empty()) continue;
      read_demand(text_of(expression->find("key")), select(*expression, "values"), file, machine);
    }
  }
  for (const Node* toleration : select(spec, "tolerations")) {
    if (!toleration->is(Node::Kind::map)) continue;
    const std::string key = text_of(toleration->find("key"));
    if (key.find("spot") != std::string::npos && machine.charge.empty()) machine.charge = "spot";
  }
  if (metadata == nullptr) return;
  for (const auto part : {"annotations", "labels"}) {
    const Node* pairs = metadata->find(part);
    if (pairs == nullptr || !pairs->is(Node::Kind::map)) continue;
    for (const auto& member : pairs->members) read_annotation(member.key, member.value, file, machine);
    add_labels(pairs, machine.labels);
  }
}

}  // namespace gpuadvise::check
