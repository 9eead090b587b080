#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "check/claims.h"

namespace gpuadvise::check {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_char(char c) { return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Parts of an id that say how a card is built rather than which it is.
bool is_form(std::string_view word) {
  constexpr auto kForms = std::to_array<std::string_view>({"pcie", "nvl", "oam", "mxm", "server", "sxm"});
  if (std::find(kForms.begin(), kForms.end(), word) != kForms.end() || word.starts_with("sxm")) return true;
  return word.size() > 2 && word.ends_with("gb") && digit(word[0]);
}

struct Word {
  std::string text;  // lower case
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Where "8xA100" and "A100x8" fall into two words: behind the sign, or ahead of it. 0: they do not.
std::size_t times_inside(std::string_view word) {
  const auto sign = word.find_first_of("xX");
  if (sign == std::string_view::npos || sign == 0 || sign + 1 >= word.size()) return 0;
  const auto digits = [](std::string_view part) { return std::all_of(part.begin(), part.end(), digit); };
  if (digits(word.substr(0, sign)) && !digit(word[sign + 1])) return sign + 1;
  if (!digit(word[0]) && digit(word[sign - 1]) && digits(word.substr(sign + 1))) return sign;
  return 0;
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < text.size();) {
    if (!word_char(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && word_char(text[end])) ++end;
    const std::size_t cut = times_inside(text.substr(i, end - i));
    if (cut > 0) out.push_back({base::lower(text.substr(i, cut)), i, i + cut});
    out.push_back({base::lower(text.substr(i + cut, end - i - cut)), i + cut, end});
    i = end;
  }
  return out;
}

std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [at, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || at != text.data() + text.size() || text.empty() || value <= 0 || value > 1024) {
    return std::nullopt;
  }
  return value;
}

// What stands between two words is a sign of "times".
bool times(std::string_view between) {
  between = base::trim(between);
  return between == "*" || between == "x" || between == "X" || between == "\xC3\x97";
}

std::optional<double> memory_in(const std::vector<Word>& words, std::size_t from, std::string_view text) {
  for (std::size_t i = from; i < words.size() && i < from + 3; ++i) {
    std::string_view word = words[i].text;
    for (const std::string_view unit : {"gib", "gb", "g"}) {
      if (word.size() > unit.size() && word.ends_with(unit)) {
        if (const auto value = plain_number(word.substr(0, word.size() - unit.size())); value && *value >= 4)
          return value;
        break;
      }
    }
    const bool unit_next = i + 1 < words.size() && (words[i + 1].text == "gb" || words[i + 1].text == "gib");
    if (unit_next && text.substr(words[i].end, words[i + 1].begin - words[i].end) == " ") {
      if (const auto value = plain_number(word); value && *value >= 4) return value;
    }
  }
  return std::nullopt;
}

// "2 x", "2x", "2*", "8卡" before the card; "x 2", "*2", ":8" behind it.
std::optional<double> count_around(const std::vector<Word>& words, std::size_t first, std::size_t last,
                                   std::string_view text) {
  if (first > 0) {
    const Word& before = words[first - 1];
    const std::string_view between = text.substr(before.end, words[first].begin - before.end);
    const bool fraction = before.begin > 0 && text[before.begin - 1] == '/';
    if (!fraction) {
      if (times(between) || base::trim(between).starts_with("\xE5\x8D\xA1") ||
          base::trim(between).starts_with("\xE5\xBC\xA0")) {
        if (const auto value = plain_number(before.text)) return value;
      }
      if (before.text.size() > 1 && before.text.ends_with("x") && base::trim(between).empty()) {
        if (const auto value = plain_number(std::string_view(before.text).substr(0, before.text.size() - 1)))
          return value;
      }
      if (before.text == "x" && first > 1 && base::trim(between).empty()) {
        const Word& number = words[first - 2];
        if (base::trim(text.substr(number.end, before.begin - number.end)).empty()) {
          if (const auto value = plain_number(number.text)) return value;
        }
      }
    }
  }
  if (last + 1 < words.size()) {
    const Word& after = words[last + 1];
    const std::string_view between = text.substr(words[last].end, after.begin - words[last].end);
    if (times(between) || base::trim(between) == ":") {
      if (const auto value = plain_number(after.text)) return value;
    }
    if (after.text.size() > 1 && after.text[0] == 'x' && base::trim(between).empty()) {
      if (const auto value = plain_number(std::string_view(after.text).substr(1))) return value;
    }
    if (after.text == "x" && last + 2 < words.size()) {
      if (const auto value = plain_number(words[last + 2].text)) return value;
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

// ascend-910b1 -> ascend-910b; empty: no such form.
std::string series_of(std::string_view model) {
  const auto dash = model.find('-');
  if (dash == std::string_view::npos) return {};
  std::string_view word = model.substr(dash + 1);
  word = word.substr(0, word.find('-'));
  std::size_t i = 0;
  while (i < word.size() && digit(word[i])) ++i;
  if (i == 0 || i + 1 >= word.size() || digit(word[i]) || !digit(word[i + 1])) return {};
  return std::string(model.substr(0, dash + 1)) + std::string(word.substr(0, i + 1));
}

}  // namespace

std::string model_of(const Accelerator& card) {
  const auto parts = base::split(card.id, '-');
  std::string out;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (is_form(parts[i])) break;
    out += (out.empty() ? "" : "-") + std::string(parts[i]);
  }
  return out;
}

CardNames::CardNames(const Catalog& catalog) : catalog_(catalog) {
  std::vector<std::string> seen;
  for (const auto& card : catalog.accelerators) {
    const std::string model = model_of(card);
    if (model.empty() || std::find(seen.begin(), seen.end(), model) != seen.end()) continue;
    seen.push_back(model);
    Name name;
    name.model = model;
    for (const auto part : base::split(model, '-')) name.words.emplace_back(part);
    names_.push_back(name);
    // A line of products may be left unsaid before a number of four characters: "4090", "910B1".
    if (name.words.size() > 1 && digit(name.words[1][0]) && name.words[1].size() >= 4) {
      name.words.erase(name.words.begin());
      names_.push_back(name);
    }
  }
  // Variants that differ in a last digit only share the name of their series: 910b1, 910b2 are both a 910b.
  for (const auto& card : catalog.accelerators) {
    const std::string series = series_of(model_of(card));
    if (series.empty() || std::find(seen.begin(), seen.end(), series) != seen.end()) continue;
    seen.push_back(series);
    Name name;
    name.model = series;
    for (const auto part : base::split(series, '-')) name.words.emplace_back(part);
    names_.push_back(name);
    name.words = {name.words.back()};
    names_.push_back(name);
  }
  for (auto& name : names_) name.is_short = name.words.size() == 1 && name.words[0].size() < 3;
  std::stable_sort(names_.begin(), names_.end(),
                   [](const Name& a, const Name& b) { return a.words.size() > b.words.size(); });
}

std::vector<CardMention> CardNames::find(std::string_view text, bool loose) const {
  std::vector<CardMention> out;
  constexpr std::size_t kLongest = 2000;
  text = text.substr(0, kLongest);
  const auto words = words_of(text);
  for (std::size_t i = 0; i < words.size();) {
    std::size_t taken = 0;
    for (const auto& name : names_) {
      if (i + name.words.size() > words.size()) continue;
      bool same = true;
      for (std::size_t k = 0; k < name.words.size() && same; ++k) {
        same = words[i + k].text == name.words[k];
        // Words of one name stand next to each other, with a space, a dash or nothing between.
        if (same && k > 0) same = words[i + k].begin - words[i + k - 1].end <= 1;
      }
      if (!same) continue;
      const std::string_view written = text.substr(words[i].begin, words[i].end - words[i].begin);
      if (name.is_short && !loose && written[0] >= 'a') continue;
      CardMention mention;
      const std::size_t last = i + name.words.size() - 1;
      mention.text = std::string(text.substr(words[i].begin, words[last].end - words[i].begin));
      mention.model = name.model;
      mention.count = count_around(words, i, last, text);
      mention.memory_gib = memory_in(words, last + 1, text);
      out.push_back(std::move(mention));
      taken = name.words.size();
      break;
    }
    i += std::max<std::size_t>(taken, 1);
  }
  return out;
}

bool CardNames::is(const Accelerator& card, const CardMention& mention) {
  const std::string model = model_of(card);
  if (model != mention.model && series_of(model) != mention.model) return false;
  if (!mention.memory_gib || !card.memory_gib) return true;
  return *mention.memory_gib > *card.memory_gib * 0.9 && *mention.memory_gib < *card.memory_gib * 1.1;
}

const Accelerator* CardNames::accelerator(const CardMention& mention) const {
  const Accelerator* any = nullptr;
  for (const auto& card : catalog_.accelerators) {
    const std::string model = model_of(card);
    if (model != mention.model && series_of(model) != mention.model) continue;
    if (is(card, mention)) return &card;
    if (any == nullptr) any = &card;
  }
  return any;
}

}  // namespace gpuadvise::check
