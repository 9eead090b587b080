#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "gpuadvise/advise.h"
#include "gpuadvise/emit.h"
#include "gpuadvise/error.h"

#include "base/text.h"
#include "emit/format.h"
#include "emit/values.h"

namespace gpuadvise {

namespace {

using namespace emit_detail;

constexpr std::array kFormats = {&kTerraform, &kKubernetes, &kSkypilot, &kDockerCompose, &kVendorCli};

const Format& find_format(std::string_view name) {
  for (const Format* format : kFormats) {
    if (format->name == name) return *format;
  }
  throw InputError(Place{}, fmt::format("there is no format \"{}\"{}", base::printable(name),
                                        base::did_you_mean(name, emit_formats())));
}

// The text of the most particular row: for the product, the vendor, anybody.
const EmitTemplate* find_template(std::string_view format, const Recommendation& pick, const EmitKnowledge& emit) {
  const Family& family = *pick.family;
  const EmitTemplate* best = nullptr;
  int best_rank = -1;
  for (const auto& row : emit.templates) {
    if (row.format != format || (!row.vendor.empty() && row.vendor != family.vendor)) continue;
    if (!row.product.empty() && !family.product.starts_with(row.product)) continue;
    if (!row.stack.empty() && row.stack != pick.machine.accelerator->software_stack) continue;
    const int rank = (row.stack.empty() ? 0 : 4) + (row.product.empty() ? 0 : 2) + (row.vendor.empty() ? 0 : 1);
    if (rank > best_rank) best = &row, best_rank = rank;
  }
  return best;
}

}  // namespace

std::span<const std::string_view> emit_formats() {
  static const auto names = [] {
    std::array<std::string_view, kFormats.size()> out;
    std::transform(kFormats.begin(), kFormats.end(), out.begin(), [](const Format* f) { return f->name; });
    return out;
  }();
  return names;
}

std::string emit(std::string_view format, const Advice& advice, const Knowledge& knowledge, Lang lang) {
  const Format& target = find_format(format);
  const base::Texts texts(knowledge.messages, lang);
  if (advice.recommendations.empty()) throw InputError(Place{}, texts("emit/nothing"));
  const Recommendation& pick = advice.recommendations.front();
  const EmitTemplate* row = find_template(format, pick, knowledge.emit);
  if (row == nullptr || row->text == "-") {
    throw InputError(Place{}, texts("emit/cannot", {{"format", format}, {"type", base::printable(pick.type->name)}}));
  }
  Values values = values_of(advice, knowledge, lang);
  values["whole_machine"] = target.per_replica ? "" : values["local_many"];
  add_launch(values, find_launch(advice, knowledge.emit), texts);
  return render(row->text, values, target.escapes, texts);
}

}  // namespace gpuadvise
