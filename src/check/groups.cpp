#include <algorithm>
#include <set>
#include <unordered_map>

#include "check/groups.h"

namespace gpuadvise::check {

namespace {

// A stated training workload is one job: separate resources of one type that run it work together.
bool is_one_job(const Subject& subject) {
  const PlannedMachine& m = *subject.machine;
  return subject.use == Use::training && !subject.inferred && subject.workload != nullptr && m.format != "gpuadvise" &&
         m.role == Role::machine && m.types.size() == 1;
}

// Machines that one job, or one replica of a service, spans.
int span_of(const Subject& subject, double nodes) {
  constexpr double kMost = 4096;
  double span = 1;
  if (subject.use == Use::training && !subject.machine->replicas) {
    span = subject.hints.job_nodes ? std::max(*subject.hints.job_nodes, nodes) : nodes;
  } else if (subject.workload != nullptr && subject.use == Use::serving) {
    // A replica that is cut over more cards than a machine has spans several machines.
    const auto& cut = subject.workload->profile.parallelism;
    if (cut.pipeline.value_or(1) > 1) span = std::min(nodes, static_cast<double>(*cut.pipeline));
  }
  return static_cast<int>(std::clamp(span, 1.0, kMost));
}

void fill(Group& group, std::vector<Subject>& subjects, TypeIndex& types) {
  std::set<std::string> zones;
  std::set<std::string> cards;
  for (const std::size_t i : group.members) {
    const PlannedMachine& m = *subjects[i].machine;
    zones.insert(m.zones.begin(), m.zones.end());
    for (const auto& type : m.types) {
      const TypeMatch& match = types.find(type.text);
      if (!m.choices && match.card != nullptr) cards.insert(std::string(match.card->name));
    }
    group.nodes += m.nodes.value_or(1);
    group.nodes_known = group.nodes_known || m.nodes.has_value() || group.members.size() > 1;
  }
  group.zones.assign(zones.begin(), zones.end());
  group.cards.assign(cards.begin(), cards.end());
  for (const auto& zone : group.zones) group.zone_views.emplace_back(zone);
  for (const auto& card : group.cards) group.card_views.emplace_back(card);
  for (const std::size_t i : group.members) subjects[i].nodes = span_of(subjects[i], group.nodes);
}

std::string_view task_of(const Subject& subject) {
  if (subject.workload != nullptr && subject.workload->task != nullptr) return subject.workload->task->id;
  return subject.use == Use::training ? "training" : subject.use == Use::serving ? "inference" : "";
}

// Pods that ask for the same machines share a pool.
void fill_pools(std::vector<Subject>& subjects) {
  struct Pool {
    Subject* first = nullptr;
    std::set<std::string_view> tasks;
  };
  std::unordered_map<std::string, Pool> pools;
  for (auto& subject : subjects) {
    const PlannedMachine& m = *subject.machine;
    const std::string_view task = task_of(subject);
    if (m.role != Role::pod || task.empty() || (m.types.empty() && m.cards.empty())) continue;
    Pool& pool = pools[m.types.empty() ? m.cards.front().text : m.types.front().text];
    if (pool.first == nullptr) pool.first = &subject;
    pool.tasks.insert(task);
  }
  for (auto& [asked, pool] : pools) {
    for (const auto task : pool.tasks) pool.first->pool_tasks.push_back(cel::Value::of(task));
  }
}

}  // namespace

std::vector<Group> make_groups(std::vector<Subject>& subjects, TypeIndex& types) {
  std::vector<Group> groups;
  std::unordered_map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Subject& subject = subjects[i];
    const PlannedMachine& m = *subject.machine;
    const std::string key =
        is_one_job(subject) ? "workload " + subject.workload_name + " " + m.types.front().text : m.group;
    const auto [at, fresh] = by_key.emplace(key, groups.size());
    if (fresh) groups.emplace_back().name = m.group;
    subject.group = at->second;
    groups[at->second].members.push_back(i);
  }
  for (auto& group : groups) fill(group, subjects, types);
  fill_pools(subjects);
  return groups;
}

}  // namespace gpuadvise::check
