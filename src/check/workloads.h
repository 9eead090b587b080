// Which workload a planned machine runs: stated by the configuration, a tag or the plan, or read off the file.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpuadvise/check.h"
#include "gpuadvise/workload.h"

#include "base/message.h"
#include "check/config.h"
#include "check/subject.h"

namespace gpuadvise::check {

class Workloads {
 public:
  // All of them must outlive it. Throws InputError where a stated profile contradicts itself.
  Workloads(const Config& config, const Catalog& catalog, const base::Texts& texts);

  // Sets workload, its name, whether it is inferred, and what the machine is for. The subject's hints are read before.
  void assign(Subject& subject);
  // Those that machines run, by name.
  std::vector<CheckedWorkload> used() const;

 private:
  std::string stated_name(const PlannedMachine& machine) const;
  const Workload* inferred(const Profile& profile);

  const Config& config_;
  const Catalog& catalog_;
  const base::Texts& texts_;
  std::deque<Workload> all_;  // pointers to them stay valid
  std::unordered_map<std::string, const Workload*> stated_;
  std::unordered_map<std::string, const Workload*> inferred_;
  std::map<std::string, CheckedWorkload> used_;
};

}  // namespace gpuadvise::check
