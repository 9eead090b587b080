#include <algorithm>
#include <fmt/format.h>

#include "base/text.h"
#include "check/readers/json_cursor.h"
#include "check/readers/reader.h"

namespace gpuadvise::check {

namespace {

void put_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0U | (c >> 6U)), put(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0U | (c >> 12U)), put(0x80U | ((c >> 6U) & 0x3FU)), put(0x80U | (c & 0x3FU));
  } else {
    put(0xF0U | (c >> 18U)), put(0x80U | ((c >> 12U) & 0x3FU)), put(0x80U | ((c >> 6U) & 0x3FU)),
        put(0x80U | (c & 0x3FU));
  }
}

std::string from_utf16(std::string_view bytes, bool little, const std::string& name) {
  std::string out;
  out.reserve(bytes.size() / 2);
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]);
    const auto b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(little ? a | (b << 8U) : b | (a << 8U));
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t c = unit(i);
    if (c >= 0xD800 && c < 0xE000) {
      const char32_t low = c < 0xDC00 && i + 3 < bytes.size() ? unit(i + 2) : 0;
      if (low < 0xDC00 || low >= 0xE000) throw InputError(Place{name}, "UTF-16 with half of a surrogate pair");
      c = 0x10000 + ((c - 0xD800) << 10U) + (low - 0xDC00);
      i += 2;
    }
    put_utf8(out, c);
  }
  return out;
}

// Keys that stand at the start of a line: the top level of YAML documents.
void yaml_keys(std::string_view text, std::vector<std::string>& keys) {
  constexpr std::size_t kMost = 4096;
  while (!text.empty() && keys.size() < kMost) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const auto colon = line.find(':');
    const char lead = line.empty() ? ' ' : line[0];
    if (colon != std::string_view::npos && lead != ' ' && lead != '#' && lead != '-' && lead != '\t') {
      std::string_view key = base::trim(line.substr(0, colon));
      if (key.size() > 1 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front()) {
        key = key.substr(1, key.size() - 2);
      }
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.emplace_back(key);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

// Keys of the first object. A broken file shows what stands before the break; its reader reports the break itself.
void json_keys(const Input& input, std::vector<std::string>& keys) {
  constexpr std::size_t kMost = 64;
  try {
    JsonCursor cursor(input.text, input.name);
    if (cursor.peek() == base::Node::Kind::list) {
      cursor.enter_array();
      if (!cursor.next_item()) return;
    }
    if (cursor.peek() != base::Node::Kind::map) return;
    cursor.enter_object();
    std::string key;
    while (keys.size() < kMost && cursor.next_key(key)) {
      keys.push_back(key);
      if (key == "planned_values" || key == "resource_changes") return;  // decided; the rest is long
      cursor.skip();
    }
  } catch (const InputError&) {
    return;
  }
}

}  // namespace

bool Input::has(std::string_view key) const { return std::find(keys.begin(), keys.end(), key) != keys.end(); }

Input open_input(std::string name, std::string bytes) {
  Input input;
  input.name = std::move(name);
  const std::string_view view = bytes;
  const auto nul_at = [&](std::size_t i) { return i < view.size() && view[i] == '\0'; };
  if (view.starts_with("\xFF\xFE")) {
    input.text = from_utf16(view.substr(2), true, input.name);
  } else if (view.starts_with("\xFE\xFF")) {
    input.text = from_utf16(view.substr(2), false, input.name);
  } else if (view.size() > 3 && nul_at(1) && nul_at(3)) {
    input.text = from_utf16(view, true, input.name);
  } else if (view.size() > 3 && nul_at(0) && nul_at(2)) {
    input.text = from_utf16(view, false, input.name);
  } else {
    input.text = std::move(bytes);
    if (input.text.starts_with("\xEF\xBB\xBF")) input.text.erase(0, 3);
    if (const auto bad = base::invalid_utf8_at(input.text)) {
      const std::string_view before = std::string_view(input.text).substr(0, *bad);
      const auto last = before.rfind('\n');
      throw InputError(Place{input.name, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                             static_cast<int>(*bad - (last == std::string_view::npos ? 0 : last + 1)) + 1},
                       "neither UTF-8 nor UTF-16 text");
    }
  }
  const std::string_view text = input.text;
  const auto start = text.find_first_not_of(" \t\r\n");
  input.json = start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
  if (start != std::string_view::npos) {
    input.first_line = std::string(text.substr(start, std::min<std::size_t>(text.find('\n', start) - start, 200)));
  }
  if (input.json) {
    json_keys(input, input.keys);
  } else {
    yaml_keys(text, input.keys);
  }
  return input;
}

}  // namespace gpuadvise::check
