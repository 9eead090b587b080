// Kubernetes manifests. Pods are found wherever they stand in an object (a map with `containers`), so that every
// controller is read the same way; the table below says where each keeps its count of pods.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "check/readers/pods.h"
#include "check/readers/readers.h"
#include "check/readers/yaml_text.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

// Keys that count pods, on the way from an object's root to a pod.
constexpr auto kCounts =
    std::to_array<std::string_view>({"replicas", "parallelism", "minReplicas", "numNodes", "size"});

// Controllers whose pods work as one job.
constexpr auto kJobs =
    std::to_array<std::string_view>({"Job", "CronJob", "PyTorchJob", "TFJob", "MPIJob", "PaddleJob", "XGBoostJob",
                                     "TrainJob", "AscendJob", "RayJob", "RayCluster", "JobSet", "LeaderWorkerSet"});

bool is_job(std::string_view kind) { return std::find(kJobs.begin(), kJobs.end(), kind) != kJobs.end(); }

class ManifestReader {
 public:
  ManifestReader(const Input& input, Plan& plan) : input_(input), plan_(plan), comments_(input.text) {}

  void read(const Node& document) {
    if (document.is(Node::Kind::list)) {
      for (const auto& item : document.items) read(item);
      return;
    }
    if (!document.is(Node::Kind::map)) return;
    const Node* items = document.find("items");
    const std::string kind = text_of(document.find("kind"));
    if (items != nullptr && items->is(Node::Kind::list) && (kind.ends_with("List") || kind == "List")) {
      for (const auto& item : items->items) read(item);
      return;
    }
    read_object(document, kind);
  }

 private:
  void read_object(const Node& object, const std::string& kind) {
    if (kind.empty() || kind == "CustomResourceDefinition") return;
    kind_ = kind;
    const Node* metadata = object.find("metadata");
    const Node* name = metadata == nullptr ? nullptr : metadata->find("name");
    if (name == nullptr && metadata != nullptr) name = metadata->find("generateName");
    name_ = text_of(name);
    namespace_ = text_of(metadata == nullptr ? nullptr : metadata->find("namespace"));
    object_metadata_ = metadata;
    object_ = &object;
    address_ = kind_ + "/" + (namespace_.empty() ? "" : namespace_ + "/") + name_;
    if (kind == "NodePool" && first(object, "spec.template.spec.requirements") != nullptr) {
      read_karpenter(object);
      return;
    }
    const std::size_t before = plan_.machines.size();
    walk(object, nullptr, 1, false, {});
    if (plan_.machines.size() == before + 1) plan_.machines.back().resource = address_;
  }

  void read_karpenter(const Node& object) {
    PlannedMachine machine = blank(object);
    const Node* inner = first(object, "spec.template.spec");
    read_pod_placement(*inner, first(object, "spec.template.metadata"), input_.name, machine);
    machine.role = Role::pool;
    if (!machine.types.empty()) keep(std::move(machine), *inner);
  }

  // `metadata` is the nearest one beside the spec that is walked.
  void walk(const Node& node, const Node* metadata, double count, bool counted, const std::string& part) {
    if (node.is(Node::Kind::list)) {
      for (std::size_t i = 0; i < node.items.size(); ++i) walk(node.items[i], metadata, count, counted, part);
      return;
    }
    if (!node.is(Node::Kind::map)) return;
    if (const Node* own = node.find("metadata"); own != nullptr && own->is(Node::Kind::map)) metadata = own;
    for (const auto key : kCounts) {
      // LeaderWorkerSet: `replicas` groups of `size` pods each; the inner one is the size of a job.
      const auto value = number_of(node.find(key));
      if (value && *value >= 0 && *value <= 1e6) {
        count = *value;
        counted = true;
        break;
      }
    }
    const Node* containers = node.find("containers");
    const Node* model = node.find("model");
    const bool kserve = model != nullptr && model->is(Node::Kind::map) && model->find("resources") != nullptr;
    if ((containers != nullptr && containers->is(Node::Kind::list)) || kserve) {
      read_pod(node, containers, kserve ? model : nullptr, metadata, counted ? std::optional(count) : std::nullopt,
               part);
      return;
    }
    for (const auto& member : node.members) {
      if (member.key == "metadata" || member.key == "status") continue;
      std::string inner = part;
      const bool names_part = member.key.size() < 40 && node_names_parts(node, member);
      if (names_part) inner = member.key;
      if (const Node* group = member.value.is(Node::Kind::map) ? member.value.find("name") : nullptr;
          group != nullptr) {
        if (member.key != "spec" && member.key != "template") inner = text_of(group);
      }
      walk(member.value, metadata, count, counted, inner);
    }
  }

  // Worker, Master under pytorchReplicaSpecs; headGroupSpec, leaderTemplate.
  static bool node_names_parts(const Node&, const Node::Member& member) {
    const std::string key = base::lower(member.key);
    return key == "worker" || key == "master" || key == "launcher" || key == "chief" || key == "ps" ||
           key == "scheduler" || key == "headgroupspec" || key == "leadertemplate" || key == "workertemplate" ||
           key == "predictor" || key == "transformer";
  }

  PlannedMachine blank(const Node& at) const {
    PlannedMachine machine;
    machine.kind = kind_;
    machine.name = name_;
    machine.group = address_ + "@" + std::to_string(object_->line);
    machine.format = "kubernetes";
    machine.resource = address_;
    machine.place = Place{input_.name, at.line, at.column};
    machine.role = Role::pod;
    machine.environment = environment();
    if (object_metadata_ != nullptr) {
      for (const auto key : {"labels", "annotations"}) {
        if (const Node* pairs = object_metadata_->find(key); pairs != nullptr) {
          for (const auto& member : pairs->members) machine.labels.emplace_back(member.key, text_of(&member.value));
        }
      }
    }
    machine.workload = std::string(value_of(machine.labels, "gpuadvise/workload"));
    if (machine.workload.empty()) machine.workload = std::string(value_of(machine.labels, "gpuadvise:workload"));
    return machine;
  }

  std::string environment() const {
    std::string found;
    for (const auto key : {"labels", "annotations"}) {
      const Node* pairs = object_metadata_ == nullptr ? nullptr : object_metadata_->find(key);
      if (pairs == nullptr) continue;
      for (const auto word : {"env", "environment", "stage"}) {
        if (const Node* value = pairs->find(word); value != nullptr) found = text_of(value);
      }
    }
    if (found.empty() && (namespace_ == "prod" || namespace_ == "production" || namespace_.ends_with("-prod"))) {
      found = "production";
    }
    return found;
  }

  void read_pod(const Node& spec, const Node* containers, const Node* model, const Node* metadata,
                std::optional<double> count, const std::string& part) {
    PlannedMachine machine = blank(spec);
    machine.nodes = count;
    if (!part.empty()) machine.resource += "." + part;
    if (containers != nullptr) {
      for (const auto& container : containers->items)
        machine.containers.push_back(read_container(container, input_.name));
    }
    if (model != nullptr) {
      Container container = read_container(*model, input_.name);
      if (container.image.empty()) container.image = text_of(first(*model, "modelFormat.name"));
      machine.containers.push_back(std::move(container));
    }
    // The object's own metadata counts for a Pod, and for annotations that controllers hand down.
    if (metadata != object_metadata_ && object_metadata_ != nullptr && object_metadata_->is(Node::Kind::map)) {
      static const Node kNothing;
      read_pod_placement(kNothing, object_metadata_, input_.name, machine);
    }
    read_pod_placement(spec, metadata, input_.name, machine);
    if (const auto processes = number_of(first(*object_, "spec.nprocPerNode")); processes && *processes > 0) {
      for (auto& container : machine.containers) {
        container.words.push_back("--nproc_per_node=" + text_of(first(*object_, "spec.nprocPerNode")));
      }
    }
    const Node* behind = object_->find("spec");
    if (kind_ == "InferenceService" || (behind != nullptr && kind_ == "Service")) machine.behind_balancer = true;
    const bool asks = std::any_of(machine.containers.begin(), machine.containers.end(), [](const Container& c) {
      return c.gpus.value_or(0) > 0 || c.gpu_memory_gib.value_or(0) > 0 || c.npus.value_or(0) > 0;
    });
    if (asks || !machine.types.empty() || !machine.cards.empty()) keep(std::move(machine), spec);
  }

  void keep(PlannedMachine machine, const Node& spec) {
    if (!machine.types.empty() && machine.types.front().place.line > 0) machine.place = machine.types.front().place;
    if (!input_.json) {
      const auto note = [&](int line) {
        for (auto& [at, text] : comments_.near(line)) {
          machine.claims.push_back({Claim::From::comment, text, Place{input_.name, at, 1}});
        }
      };
      if (object_->line > 0) note(object_->line);
      for (const auto& type : machine.types) note(type.place.line);
      for (const auto& container : machine.containers) note(container.place.line);
      if (machine.types.empty()) note(spec.line);
    }
    machine.claims.push_back({Claim::From::name, machine.name, machine.place});
    machine.replicas = !is_job(kind_);
    plan_.machines.push_back(std::move(machine));
  }

  const Input& input_;
  Plan& plan_;
  Comments comments_;
  std::string kind_, name_, namespace_, address_;
  const Node* object_ = nullptr;
  const Node* object_metadata_ = nullptr;
};

}  // namespace

bool is_kubernetes(const Input& input) { return input.has("kind") && input.has("apiVersion"); }

void read_kubernetes(const Input& input, const PlanFormats&, const ReadOptions&, Plan& plan) {
  ManifestReader reader(input, plan);
  const auto documents = parse_documents(input, plan);
  for (const auto& document : documents) reader.read(document);
}

}  // namespace gpuadvise::check
