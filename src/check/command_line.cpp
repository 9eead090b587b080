#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "check/command_line.h"

namespace gpuadvise::check {

FlagTable::FlagTable(const Vocabulary& vocabulary) {
  std::size_t rank = 0;
  for (const PlanWord* word : vocabulary.about("flag"))
    flags_.try_emplace(std::string(word->word), Flag{word->means, rank++});
}

const FlagTable::Flag* FlagTable::find(std::string_view flag) const {
  while (!flag.empty() && flag[0] == '-') flag.remove_prefix(1);
  std::string name(flag);
  std::replace(name.begin(), name.end(), '_', '-');
  const auto found = flags_.find(name);
  return found == flags_.end() ? nullptr : &found->second;
}

CommandLine::CommandLine(const Words& words, const FlagTable& table) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') continue;
    const auto equals = word.find('=');
    const FlagTable::Flag* flag = table.find(std::string_view(word).substr(0, equals));
    if (flag == nullptr) continue;
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size() && words[i + 1] != ";" && (words[i + 1][0] != '-' || words[i + 1].size() == 1)) {
      value = words[i + 1];
    }
    given_.push_back({*flag, std::move(value)});
  }
}

const std::string* CommandLine::text(std::string_view meaning) const {
  const Given* best = nullptr;
  for (const auto& one : given_) {
    if (one.flag.means == meaning && (best == nullptr || one.flag.rank < best->flag.rank)) best = &one;
  }
  return best == nullptr ? nullptr : &best->value;
}

std::optional<double> CommandLine::number(std::string_view meaning) const {
  const std::string* value = text(meaning);
  if (value == nullptr) return std::nullopt;
  constexpr double kMost = 1e9;
  double out = 0;
  const char* end = value->data() + value->size();
  const auto [at, status] = std::from_chars(value->data(), end, out);
  if (status != std::errc{} || !(out >= 0 && out <= kMost)) return std::nullopt;
  if (at == end) return out;
  if (at + 1 == end && (*at == 'k' || *at == 'K')) return out * (*at == 'K' ? 1024 : 1000);
  return std::nullopt;
}

std::optional<int> CommandLine::count(std::string_view meaning) const {
  const auto value = number(meaning);
  constexpr double kMost = 1e7;
  return value && *value >= 1 && *value <= kMost ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

bool CommandLine::yes(std::string_view meaning) const {
  const std::string* value = text(meaning);
  return value != nullptr && base::lower(*value) != "false" && *value != "0";
}

}  // namespace gpuadvise::check
