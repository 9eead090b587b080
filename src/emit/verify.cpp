// What to run before money is spent: the vendor's own calls, the card's own tool, and the benchmark of the software.
#include <array>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/emit.h"

#include "base/text.h"
#include "emit/format.h"
#include "emit/values.h"

namespace gpuadvise {

namespace {

using namespace emit_detail;

constexpr std::array<std::string_view, 5> kAbout = {"stock", "price", "interruptions", "cards", "network"};

const EmitCheck* find_check(std::string_view about, const Family& family, const EmitKnowledge& emit) {
  const EmitCheck* best = nullptr;
  int best_rank = -1;
  for (const auto& row : emit.checks) {
    if (row.about != about || (!row.vendor.empty() && row.vendor != family.vendor)) continue;
    if (!row.product.empty() && !family.product.starts_with(row.product)) continue;
    const int rank = (row.product.empty() ? 0 : 2) + (row.vendor.empty() ? 0 : 1);
    if (rank > best_rank) best = &row, best_rank = rank;
  }
  return best;
}

}  // namespace

std::vector<VerifyStep> verify_steps(const Advice& advice, const Knowledge& knowledge, Lang lang) {
  std::vector<VerifyStep> out;
  if (advice.recommendations.empty()) return out;
  const base::Texts texts(knowledge.messages, lang);
  Values values = values_of(advice, knowledge, lang);
  values["whole_machine"] = values["local_many"];
  add_launch(values, find_launch(advice, knowledge.emit), texts);
  const auto add = [&](std::string_view about, std::string command) {
    if (command.empty() || command == "-") return;
    out.push_back({about, texts(fmt::format("emit/says-{}", about)), std::move(command)});
  };
  for (const auto about : kAbout) {
    const EmitCheck* row = find_check(about, *advice.recommendations.front().family, knowledge.emit);
    if (row != nullptr) {
      add(about, std::string(base::trim(render(row->command, values, kVendorCli.escapes, texts))));
    }
  }
  add("speed", values["benchmark"]);
  return out;
}

}  // namespace gpuadvise
