// What readers make of their files: machines, counts, places, links.
#include <algorithm>
#include <string>

#include "gpuadvise/check.h"

#include "catch.h"
#include "check/claims.h"
#include "check/config.h"
#include "check/links.h"
#include "check/readers/hcl_places.h"
#include "check/readers/reader.h"
#include "check/readers/resource.h"

using namespace gpuadvise;
using namespace gpuadvise::check;

namespace {

Plan read(std::string name, std::string text, bool changes_only = false) {
  const Input input = open_input(std::move(name), std::move(text));
  const Reader* reader = find_reader(input, "");
  REQUIRE(reader != nullptr);
  Plan plan;
  reader->read(input, builtin_knowledge().plans, {"/nonexistent", changes_only}, plan);
  return plan;
}

}  // namespace

TEST_CASE("a plan's resources become machines, deletions do not", "[check][readers]") {
  const std::string text = R"({"format_version":"1.2","resource_changes":[
    {"address":"module.a[0].alicloud_instance.n[1]","mode":"managed","type":"alicloud_instance","name":"n","index":1,"change":{"actions":["delete","create"],
      "after":{"instance_type":"ecs.gn7i-c8g1.2xlarge","availability_zone":"cn-beijing-l","spot_strategy":"SpotWithPriceLimit","spot_price_limit":3,
               "system_disk_category":"cloud_essd","system_disk_size":40,"data_disks":[{"category":"cloud_auto","size":100}],"internet_max_bandwidth_out":5}}},
    {"address":"alicloud_instance.gone","mode":"managed","type":"alicloud_instance","name":"gone","change":{"actions":["delete"],"after":null}},
    {"address":"alicloud_instance.same","mode":"managed","type":"alicloud_instance","name":"same","change":{"actions":["no-op"],"after":{"instance_type":"ecs.gn7i-c8g1.2xlarge"}}},
    {"address":"data.alicloud_instance.d","mode":"data","type":"alicloud_instance","name":"d","change":{"actions":["read"],"after":{}}}]})";
  const Plan plan = read("plan.json", text);
  REQUIRE(plan.machines.size() == 2);
  const auto& m = plan.machines[0];
  CHECK(m.resource == "module.a[0].alicloud_instance.n[1]");
  CHECK(m.group == "module.a[0].alicloud_instance.n");
  CHECK(m.action == Action::replace);
  CHECK(m.charge == "spot");
  CHECK(m.spot_capped);
  CHECK(m.public_address);
  REQUIRE(m.disks.size() == 2);
  CHECK(m.disks[0].size_gib == 40);
  CHECK(m.zones == std::vector<std::string>{"cn-beijing-l"});
  CHECK(read("plan.json", text, true).machines.size() == 1);
}

TEST_CASE("a state and a plan without changes are read through their values", "[check][readers]") {
  const Plan plan = read(
      "s.json",
      R"({"format_version":"1.0","values":{"root_module":{"resources":[],"child_modules":[{"address":"module.a","resources":[
    {"address":"module.a.tencentcloud_instance.x","mode":"managed","type":"tencentcloud_instance","name":"x","values":{"instance_type":"GN7.2XLARGE32","instance_charge_type":"SPOTPAID"}}]}]}}})");
  REQUIRE(plan.machines.size() == 1);
  CHECK(plan.machines[0].charge == "spot");
  CHECK(plan.machines[0].vendor == "tencent");
}

TEST_CASE("providers that are copies are read with the rows of the original", "[check][readers]") {
  const ResourceTable table(builtin_knowledge().plans);
  CHECK(table.rows("g42cloud_compute_instance").size() == 1);
  CHECK(table.rows("opentelekomcloud_compute_instance_v2").size() == 1);
  CHECK(table.rows("flexibleengine_compute_instance_v2").size() == 1);
  CHECK(table.rows("alicloud_vpc").empty());
  CHECK(table.rows("tencentcloud_kubernetes_cluster").size() == 2);
}

TEST_CASE("a template takes count and zones from the group that starts it", "[check][readers]") {
  Plan plan = read("plan.json", R"({"format_version":"1.2","resource_changes":[
    {"address":"tencentcloud_as_scaling_config.c","mode":"managed","type":"tencentcloud_as_scaling_config","name":"c","change":{"actions":["create"],"after":{"instance_types":["GN7.2XLARGE32"]}}},
    {"address":"tencentcloud_as_scaling_group.g","mode":"managed","type":"tencentcloud_as_scaling_group","name":"g","change":{"actions":["create"],"after":{"desired_capacity":3,"zones":["ap-guangzhou-6","ap-guangzhou-7"],"multi_zone_subnet_policy":"EQUALITY"}}}],
    "configuration":{"root_module":{"resources":[{"address":"tencentcloud_as_scaling_group.g","mode":"managed","type":"tencentcloud_as_scaling_group","name":"g",
      "expressions":{"configuration_id":{"references":["tencentcloud_as_scaling_config.c.id","tencentcloud_as_scaling_config.c"]}}}]}}})");
  link_resources(plan);
  const auto& config = plan.machines[0];
  CHECK(config.nodes == 3);
  CHECK(config.zones.size() == 2);
  CHECK(config.zones_spread);
}

TEST_CASE("pods are found in every controller", "[check][readers]") {
  const Plan plan = read("all.yaml", R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: t, namespace: ml}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}}]}}
    Worker:
      replicas: 3
      template: {spec: {containers: [{name: pytorch, image: x, resources: {limits: {nvidia.com/gpu: 8}}}]}}
---
apiVersion: v1
kind: List
items:
  - apiVersion: apps/v1
    kind: Deployment
    metadata: {name: d}
    spec:
      replicas: 2
      template:
        metadata: {annotations: {k8s.aliyun.com/eci-use-specs: "ecs.gn6i-c4g1.xlarge, 2-4Gi"}}
        spec: {containers: [{name: a, resources: {limits: {aliyun.com/gpu-mem: 8}}}]}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: v}
spec:
  tasks:
    - {name: w, replicas: 4, template: {spec: {nodeSelector: {accelerator: nvidia-t4}, containers: [{name: a, resources: {limits: {huawei.com/Ascend910: 8}}}]}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: b}
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: k}
spec: {predictor: {minReplicas: 1, model: {modelFormat: {name: huggingface}, args: [--model_name=x], resources: {limits: {nvidia.com/gpu: 1}}}}}
)");
  REQUIRE(plan.problems.empty());
  REQUIRE(plan.machines.size() == 5);
  CHECK(plan.machines[0].nodes == 1);
  CHECK(plan.machines[1].nodes == 3);
  CHECK(plan.machines[0].group == plan.machines[1].group);
  CHECK(plan.machines[0].containers[0].rdma);
  CHECK_FALSE(plan.machines[1].containers[0].rdma);
  CHECK(plan.machines[2].types.size() == 1);
  CHECK(plan.machines[2].containers[0].gpu_memory_gib == 8);
  CHECK(plan.machines[2].replicas);
  CHECK(plan.machines[3].containers[0].npus == 8);
  REQUIRE(plan.machines[3].cards.size() == 1);
  CHECK(plan.machines[3].cards[0].text == "nvidia-t4");
  CHECK(plan.machines[4].behind_balancer);
}

TEST_CASE("a broken document does not hide the others", "[check][readers]") {
  const Plan plan = read(
      "two.yaml",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: [\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"
      "spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}\n");
  CHECK(plan.problems.size() == 1);
  REQUIRE(plan.machines.size() == 1);
  CHECK(plan.machines[0].resource == "Pod/b");
}

TEST_CASE("allowed values of a ROS parameter are machines that a user may pick", "[check][readers]") {
  const Plan plan = read(
      "t.json",
      R"({"ROSTemplateFormatVersion":"2015-09-01","Parameters":{"T":{"Type":"String","Default":"ecs.gn7i-c8g1.2xlarge","AllowedValues":["ecs.gn7i-c8g1.2xlarge","ecs.gn6i-c16g1.3xlarge"]}},
    "Resources":{"M":{"Type":"ALIYUN::ECS::InstanceGroup","Properties":{"InstanceType":{"Ref":"T"},"MaxAmount":2,"SystemDiskCategory":"cloud_essd"}}}})");
  REQUIRE(plan.machines.size() == 1);
  CHECK(plan.machines[0].types.size() == 2);
  CHECK(plan.machines[0].choices);
  CHECK(plan.machines[0].nodes == 2);
}

TEST_CASE("launchers' files", "[check][readers]") {
  const Plan sky = read("task.yaml",
                        "name: t\nnum_nodes: 2\nresources:\n  instance_type: ecs.gn7i-c8g1.2xlarge\n  use_spot: "
                        "true\nrun: |\n  torchrun --nproc_per_node=1 train.py\n");
  REQUIRE(sky.machines.size() == 1);
  CHECK(sky.machines[0].charge == "spot");
  CHECK(sky.machines[0].nodes == 2);
  const Plan stack =
      read("d.yaml", "type: service\nname: s\ncommands: [vllm serve x]\nresources: {gpu: \"A100:80GB:8\"}\n");
  REQUIRE(stack.machines.size() == 1);
  REQUIRE(stack.machines[0].cards.size() == 1);
  CHECK(stack.machines[0].cards[0].text == "A100 80GB");
  CHECK(stack.machines[0].gpus_per_node_claimed == 8);
  const Plan compose = read("docker-compose.yml",
                            "services:\n  chat:\n    image: vllm/vllm-openai\n    deploy:\n      resources:\n        "
                            "reservations:\n          devices: [{driver: nvidia, count: 2, capabilities: [gpu]}]\n");
  REQUIRE(compose.machines.size() == 1);
  CHECK(compose.machines[0].containers[0].gpus == 2);
}

TEST_CASE("lines come from the .tf files beside the plan", "[check][readers]") {
  HclPlaces places;
  places.scan_text("main.tf",
                   "# two nodes\nresource \"alicloud_instance\" \"n\" {\n  instance_type = \"x\" # 2 x A10\n  tags = { "
                   "a = \"b\" }\n}\n");
  places.scan_text("modules/net/main.tf", "\n\nresource \"alicloud_instance\" \"n\" {}\n");
  const HclBlock* root = places.find("alicloud_instance", "n", "");
  REQUIRE(root != nullptr);
  CHECK(root->place.line == 2);
  CHECK(root->comments.size() == 2);
  const HclBlock* module = places.find("alicloud_instance", "n", "net");
  REQUIRE(module != nullptr);
  CHECK(module->place.line == 3);
  CHECK(places.find("alicloud_instance", "other", "") == nullptr);
}

TEST_CASE("cards that a text speaks of", "[check][claims]") {
  const CardNames names(builtin_knowledge().catalog);
  const auto one = [&](std::string_view text, bool loose = false) {
    const auto found = names.find(text, loose);
    return found.empty() ? CardMention{} : found.front();
  };
  CHECK(one("2 x A10").model == "a10");
  CHECK(one("2 x A10").count == 2);
  CHECK(one("8xA100").count == 8);
  CHECK(one("A100:8").count == 8);
  CHECK(one("NVIDIA-H100-80GB-HBM3").model == "h100");
  CHECK(one("NVIDIA-H100-80GB-HBM3").memory_gib == 80);
  CHECK(one("1/4*T4", true).model == "t4");
  CHECK_FALSE(one("1/4*T4", true).count.has_value());
  CHECK(one("RTX 4090").model == "rtx-4090");
  CHECK(one("Ascend 910B").model == "ascend-910b");
  CHECK(one("t4").model.empty());
  CHECK(one("t4", true).model == "t4");
  CHECK(one("version v1.0.0, part a1000x").model.empty());
}

TEST_CASE("globs take brackets as they are", "[check][config]") {
  CHECK(glob_match("module.train.*", "module.train.alicloud_instance.n[0]"));
  CHECK(glob_match("*.n[0]", "alicloud_instance.n[0]"));
  CHECK(glob_match("*", ""));
  CHECK_FALSE(glob_match("a?c", "abbc"));
  CHECK(glob_match("a*b*c", "aXbYbZc"));
}

TEST_CASE("a configuration is read strictly", "[check][config]") {
  const auto reading = [](const std::string& text) {
    Config config;
    read_config(text, "gpuadvise.yaml", config);
    return config.workloads.size();
  };
  CHECK(reading("version: 1\nworkloads: {a: {task: llm-pretrain, model: {params: 13B}}}\nmap: [{match: '*', workload: "
                "a}]\n") == 1);
  CHECK_THROWS_AS(reading("version: 2\n"), InputError);
  CHECK_THROWS_AS(reading("wrkloads: {}\n"), InputError);
  CHECK_THROWS_AS(reading("map: [{match: '*', workload: b}]\n"), InputError);
  CHECK_THROWS_AS(reading("severity: {a/b: fatal}\n"), InputError);
  CHECK_THROWS_AS(reading("suppress: [{rule: a/b, reason: x, until: soon}]\n"), InputError);
  CHECK_THROWS_AS(reading("suppress: [{rule: a/b}]\n"), InputError);
}
