#include <algorithm>
#include <array>

#include "base/text.h"
#include "catalog/lookup.h"
#include "check/types.h"

namespace gpuadvise::check {

namespace {

bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return upper(c) || (c >= 'a' && c <= 'z'); }

// The letters that a family's name starts with: "ebmgn" of ebmgn7e. What a vendor names accelerated machines by.
std::string letters_of(std::string_view family) {
  std::string out;
  for (const char c : family) {
    if (!letter(c)) break;
    out += c;
  }
  return base::lower(out);
}

// Name spaces of platforms: what stands behind the prefix is not an instance type of the plain cloud.
constexpr auto kForeign =
    std::to_array<std::string_view>({"ml.", "modelarts.", "fc.gpu.", "fc.", "efg", "dsw.", "eas.", "mlm."});

// Whose naming a text follows, by its form alone: "ecs." is Alibaba's; capitals and two parts are Tencent's; lower case
// and three parts, the last a number, are Huawei's.
std::string_view naming_of(std::string_view text, std::string_view& family) {
  if (base::equal_ignoring_case(text.substr(0, 4), "ecs.")) {
    family = text.substr(4);
    const auto end = family.find('.');
    const auto dash = family.find('-');
    family = family.substr(0, std::min(end, dash));
    return "alibaba";
  }
  const auto parts = base::split(text, '.');
  family = parts[0];
  if (parts.size() == 2 && !parts[0].empty() && upper(parts[0][0]) && !parts[1].empty() &&
      (digit(parts[1][0]) || upper(parts[1][0]))) {
    return "tencent";
  }
  if (parts.size() == 3 && !parts[0].empty() && !upper(parts[0][0]) && !parts[2].empty() && digit(parts[2][0])) {
    return "huawei";
  }
  return {};
}

}  // namespace

TypeIndex::TypeIndex(const Catalog& catalog) : catalog_(catalog) {
  for (const auto& family : catalog.families) {
    letters_[std::string(family.vendor) + "/" + letters_of(family.name)] = 1;
    for (const auto& type : family.types) types_.try_emplace(base::lower(type.name), Entry{&family, &type});
  }
}

bool TypeIndex::accelerated(std::string_view vendor, std::string_view family) const {
  return letters_.contains(std::string(vendor) + "/" + letters_of(family));
}

const TypeMatch& TypeIndex::find(std::string_view text) {
  const std::string key(base::trim(text));
  const auto found = answers_.find(key);
  if (found != answers_.end()) return found->second;
  return answers_.emplace(key, look_up(key)).first->second;
}

TypeMatch TypeIndex::look_up(std::string_view text) const {
  TypeMatch match;
  constexpr std::size_t kLongest = 96;  // no vendor's name is longer; what is, is not looked up
  if (text.empty() || text.size() > kLongest) return match;
  std::string_view family_name;
  match.named_vendor = naming_of(text, family_name);
  constexpr std::string_view kTrial = ".limit";
  std::string_view name = text;
  if (name.ends_with(kTrial)) {
    match.trial = true;
    name.remove_suffix(kTrial.size());
  }
  const auto found = types_.find(base::lower(name));
  if (found != types_.end()) {
    match.family = found->second.family;
    match.type = found->second.type;
    match.card = accelerator_of(catalog_, *match.type);
    match.accelerated = true;
    if (match.named_vendor.empty()) match.named_vendor = match.family->vendor;
    return match;
  }
  for (const auto prefix : kForeign) match.foreign = match.foreign || base::lower(text).starts_with(prefix);
  if (match.foreign || match.named_vendor.empty()) return match;
  match.accelerated = accelerated(match.named_vendor, family_name);
  for (const auto& note : catalog_.names) {
    if (note.vendor == match.named_vendor && base::equal_ignoring_case(note.name, family_name)) {
      match.note = &note;
      match.accelerated = true;
    }
  }
  for (const auto& family : catalog_.families) {
    if (family.vendor == match.named_vendor && base::equal_ignoring_case(family.name, family_name))
      match.family = &family;
  }
  if (!match.accelerated) return match;
  // Types of its own family first: the family is rarely what was mistyped.
  std::vector<std::string_view> own;
  if (match.family != nullptr) {
    for (const auto& type : match.family->types) own.push_back(type.name);
  }
  const auto near = base::nearest(name, own, 1, false);
  if (!near.empty()) {
    match.suggestion = near.front();
    return match;
  }
  if (match.note != nullptr) {
    for (const auto nearest : match.note->nearest) {
      for (const auto& family : catalog_.families) {
        if (family.vendor == match.named_vendor && base::equal_ignoring_case(family.name, nearest) &&
            !family.types.empty()) {
          std::vector<std::string_view> names;
          for (const auto& type : family.types) names.push_back(type.name);
          match.suggestion = base::nearest(name, names, 1, false).front();
          return match;
        }
      }
    }
  }
  // No family of that name: the nearest type of any vendor, one that is sold.
  std::vector<std::string_view> all;
  for (const auto& family : catalog_.families) {
    if (!family.default_search) continue;
    for (const auto& type : family.types) all.push_back(type.name);
  }
  const auto any = base::nearest(name, all, 1, false);
  if (!any.empty()) match.suggestion = any.front();
  return match;
}

}  // namespace gpuadvise::check
