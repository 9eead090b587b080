#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "check/subject.h"

namespace gpuadvise::check {

namespace {

std::string_view role_word(Role role) {
  switch (role) {
    case Role::machine:
      return "machine";
    case Role::pool:
      return "pool";
    case Role::templ:
      return "template";
    case Role::group:
      return "group";
    case Role::pod:
      return "pod";
    case Role::service:
      return "service";
    default:
      return "other";
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

}  // namespace

void set_plan(RuleContext& c, const Subject& subject, Group& group) {
  const PlannedMachine& m = *subject.machine;
  c.set(Field::plan_role, role_word(m.role));
  c.set(Field::plan_format, m.format);
  c.set(Field::plan_kind, m.kind);
  c.set(Field::plan_resource_vendor, m.vendor);
  c.set(Field::plan_platform, m.platform);
  c.set(Field::plan_type_given, !m.types.empty());
  c.set(Field::plan_type_unknown, m.type_unknown);
  c.set(Field::plan_type_sensitive, m.type_sensitive);
  c.set(Field::plan_type_optional, m.type_optional && m.families.empty());
  c.set(Field::plan_type_count, static_cast<int>(m.types.size()));
  c.set(Field::plan_choices, m.choices);
  c.set(Field::plan_machines, static_cast<int>(std::clamp(group.nodes, 0.0, 1e6)));
  c.set(Field::plan_zones, std::span<const std::string_view>(group.zone_views), group.zone_values);
  if (!m.zones_unknown || !group.zones.empty()) c.set(Field::plan_zone_count, static_cast<int>(group.zones.size()));
  c.set(Field::plan_subnet_count, static_cast<int>(m.subnets.size()));
  c.set(Field::plan_zones_spread, m.zones_spread);
  c.set(Field::plan_cards, std::span<const std::string_view>(group.card_views), group.card_values);
  // Alternatives of which one is taken do not mix; machines of one pool or one job do.
  const bool pooled =
      (m.role == Role::pool || m.role == Role::templ || (m.role == Role::machine && subject.use == Use::training)) &&
      !m.choices;
  if (pooled) c.set(Field::plan_card_kinds, static_cast<int>(group.cards.size()));
  c.set(Field::plan_charge, m.charge);
  c.set(Field::plan_spot_capped, m.spot_capped);
  c.set(Field::plan_behind_load_balancer, m.behind_balancer);
  c.set(Field::plan_public_address, m.public_address);
  if (!subject.open_ports.empty()) c.put(Field::plan_open_ports, cel::Value::list(subject.open_ports));
  if (!subject.pool_tasks.empty()) c.put(Field::plan_tasks, cel::Value::list(subject.pool_tasks));
  c.set(Field::plan_min_size,
        m.min_nodes ? std::optional(static_cast<int>(std::clamp(*m.min_nodes, 0.0, 1e6))) : std::nullopt);
  c.set(Field::plan_max_size,
        m.max_nodes ? std::optional(static_cast<int>(std::clamp(*m.max_nodes, 0.0, 1e6))) : std::nullopt);
  if (m.min_nodes && m.max_nodes) c.set(Field::plan_autoscaling, *m.max_nodes > *m.min_nodes);
  bool data_disk = false;
  std::optional<bool> encrypted;  // one disk that is not makes the machine so
  for (const auto& disk : m.disks) {
    if (disk.encrypted) encrypted = encrypted.value_or(true) && *disk.encrypted;
    if (disk.system) {
      c.set(Field::plan_system_disk_gib, disk.size_gib);
      c.set(Field::plan_system_disk_category, disk.category);
    } else {
      data_disk = true;
    }
  }
  c.set(Field::plan_data_disk, data_disk);
  c.set(Field::plan_encrypted, encrypted);
  c.set(Field::plan_image,
        subject.hints.image.empty() ? std::string_view(m.image) : std::string_view(subject.hints.image));
  // A plain image that a script completes at first start is no longer plain.
  const bool completed = subject.hints.stack == "plain" && subject.hints.driver_script;
  c.set(Field::plan_image_stack, completed ? std::string_view("cuda") : std::string_view(subject.hints.stack));
  if (m.role == Role::machine || m.role == Role::templ) c.set(Field::plan_gpu_driver_set, subject.hints.driver_script);
  c.set(Field::plan_placement, m.placement_strategy == "low_latency" ? std::string_view("cluster")
                               : !m.placement_strategy.empty()       ? std::string_view(m.placement_strategy)
                               : m.placement_given                   ? std::string_view("")
                                                                     : std::string_view("none"));
  c.set(Field::plan_hpc_cluster, m.hpc_cluster);
  if (m.erdma) c.set(Field::plan_erdma, *m.erdma);
  double gpus = 0;
  double gpu_memory = 0;
  double npus = 0;
  double memory = 0;
  bool rdma = false;
  bool stated = false;
  for (const auto& container : m.containers) {
    gpus += container.gpus.value_or(0);
    gpu_memory += container.gpu_memory_gib.value_or(0);
    npus += container.npus.value_or(0);
    memory += container.memory_gib.value_or(0);
    rdma = rdma || container.rdma;
    stated = stated || container.gpus || container.npus || container.gpu_memory_gib;
  }
  if (gpus > 0) c.set(Field::plan_gpus_requested, gpus);
  if (gpu_memory > 0) c.set(Field::plan_gpu_memory_requested_gib, gpu_memory);
  if (npus > 0) c.set(Field::plan_npus_requested, npus);
  if (memory > 0) c.set(Field::plan_host_memory_requested_gib, memory);
  if (m.role == Role::pod && stated && m.format == "kubernetes") c.set(Field::plan_rdma_requested, rdma);
  if (subject.hints.processes_per_node && *subject.hints.processes_per_node >= 1 &&
      *subject.hints.processes_per_node < 1e4) {
    c.set(Field::plan_processes_per_node, static_cast<int>(*subject.hints.processes_per_node));
  }
  c.set(Field::plan_checkpoint_pickle, subject.hints.pickle);
  if (subject.hints.saves && !c.known(Field::request_checkpointing)) c.set(Field::request_checkpointing, true);
  c.set(Field::plan_workload, subject.workload_name);
  c.set(Field::plan_workload_inferred, subject.inferred);
  if (subject.storage != nullptr) {
    c.set(Field::plan_storage_zone_differs, true);
    c.set(Field::plan_storage_zone, subject.storage->storage_zone);
    c.set(Field::plan_machine_zone, subject.storage->machine_zone);
  }
  if (!subject.environment.empty()) c.set(Field::request_environment, subject.environment);
  // How the machines are bought is the plan's statement, whatever the workload asks for.
  if (!m.charge.empty()) c.clear(Field::request_charge);
  if (subject.workload == nullptr && subject.use != Use::unknown) {
    c.set(Field::workload_is_training, subject.use == Use::training);
    c.set(Field::workload_is_serving, subject.use == Use::serving);
    c.set(Field::workload_is_graphics, subject.use == Use::graphics);
  }
  c.set(Field::layout_nodes, subject.nodes);
  c.set(Field::layout_machines_together, subject.nodes);
  if (subject.hints.cuda) {
    const double cuda = *subject.hints.cuda;
    const double major = std::floor(cuda);
    c.set(Field::software_cuda, static_cast<int>(major) * 100 + static_cast<int>(std::lround((cuda - major) * 10)));
  }
  if (!m.gpu_driver.empty()) {
    const auto branch = number(std::string_view(m.gpu_driver).substr(0, m.gpu_driver.find('.')));
    if (branch && *branch > 0 && *branch < 10000) c.set(Field::software_driver, static_cast<int>(*branch));
  }
}

void set_disk(RuleContext& c, const PlannedDisk& disk, const Vocabulary& vocabulary,
              std::span<const std::string_view> supported, std::string& storage) {
  c.set(Field::plan_disk_category, disk.category);
  c.set(Field::plan_disk_performance_level, disk.level);
  c.set(Field::plan_disk_size_gib, disk.size_gib);
  c.set(Field::plan_disk_system, disk.system);
  c.clear(Field::plan_disk_supported);
  c.clear(Field::plan_disk_level_min_gib);
  c.clear(Field::plan_disk_level_ignored);
  const std::string_view vendor_word = vocabulary.meaning("disk_name", disk.category);
  if (!vendor_word.empty() && !supported.empty()) {
    c.set(Field::plan_disk_supported, std::any_of(supported.begin(), supported.end(), [&](std::string_view name) {
            return base::equal_ignoring_case(name, vendor_word);
          }));
  }
  storage.clear();
  for (const auto name : supported) storage += (storage.empty() ? "" : ", ") + std::string(name);
  c.set(Field::plan_disk_names, storage);
  const std::string_view least = vocabulary.meaning("disk_level_min_gib", disk.level);
  if (!least.empty()) c.set(Field::plan_disk_level_min_gib, number(least));
  c.set(Field::plan_disk_level_known, disk.level.empty() || !least.empty());
  const std::string_view use = vocabulary.meaning("disk_level", disk.category);
  if (!use.empty()) c.set(Field::plan_disk_level_ignored, use == "ignored");
}

}  // namespace gpuadvise::check
