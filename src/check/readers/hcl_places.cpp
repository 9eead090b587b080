#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/node.h"
#include "base/text.h"
#include "check/readers/hcl_places.h"

namespace gpuadvise::check {

namespace {

constexpr int kDeepest = 6;
constexpr int kMostFiles = 2000;
constexpr std::size_t kLargest = std::size_t{2} << 20U;

// The quoted word at the start of the text, which is moved past it; empty when there is none.
std::string_view quoted(std::string_view& text) {
  text = base::trim(text);
  if (text.empty() || text[0] != '"') return {};
  const auto end = text.find('"', 1);
  if (end == std::string_view::npos) return {};
  const std::string_view word = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return word;
}

// The comment that a line ends with; quotes are minded.
std::string_view comment_of(std::string_view line) {
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) in_text = !in_text;
    if (in_text) continue;
    if (line[i] == '#') return base::trim(line.substr(i + 1));
    if (line[i] == '/' && i + 1 < line.size() && line[i + 1] == '/') return base::trim(line.substr(i + 2));
  }
  return {};
}

int braces(std::string_view line) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) in_text = !in_text;
    if (in_text) continue;
    if (line[i] == '#') break;
    if (line[i] == '{') ++depth;
    if (line[i] == '}') --depth;
  }
  return depth;
}

}  // namespace

void HclPlaces::scan_text(const std::string& name, std::string_view text) {
  int number = 0;
  int depth = 0;
  HclBlock* open = nullptr;
  std::vector<std::pair<Place, std::string>> above;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    const std::string_view comment = comment_of(line);
    std::string_view rest = base::trim(line);
    if (open == nullptr && rest.starts_with("resource") && rest.size() > 8 &&
        (rest[8] == ' ' || rest[8] == '"' || rest[8] == '\t')) {
      const auto column = static_cast<int>(line.find("resource")) + 1;
      rest.remove_prefix(8);
      const std::string_view type = quoted(rest);
      const std::string_view label = quoted(rest);
      if (!type.empty() && !label.empty()) {
        auto& list = blocks_[std::string(type) + "." + std::string(label)];
        list.push_back({Place{name, number, column}, std::exchange(above, {})});
        open = &list.back();
        depth = 0;
      }
    }
    if (open != nullptr) {
      if (!comment.empty()) open->comments.emplace_back(Place{name, number, 1}, std::string(comment));
      depth += braces(line);
      if (depth <= 0 && line.find('}') != std::string_view::npos) open = nullptr;
      above.clear();
    } else if (!comment.empty() && (rest.starts_with("#") || rest.starts_with("//"))) {
      above.emplace_back(Place{name, number, 1}, std::string(comment));
    } else {
      above.clear();
    }
  }
}

void HclPlaces::scan_directory(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path root = directory.empty() ? fs::path(".") : fs::path(directory);
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error), last;
       !error && it != last; it.increment(error)) {
    const auto& path = it->path();
    const std::string file = path.filename().string();
    if (it->is_directory(error) && (it.depth() >= kDeepest || (file.starts_with(".") && file != ".terraform"))) {
      it.disable_recursion_pending();
    } else if (path.extension() == ".tf") {
      files.push_back(path);
      if (static_cast<int>(files.size()) >= kMostFiles) break;
    }
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::string name = path.lexically_normal().generic_string();
    try {
      scan_text(name, base::read_bytes(path.string(), {.bytes = kLargest}));
    } catch (const InputError&) {
      continue;
    }
  }
}

const HclBlock* HclPlaces::find(std::string_view type, std::string_view name, std::string_view module) const {
  const auto found = blocks_.find(std::string(type) + "." + std::string(name));
  if (found == blocks_.end() || found->second.empty()) return nullptr;
  const HclBlock* best = &found->second.front();
  std::size_t best_length = std::string::npos;
  for (const auto& block : found->second) {
    const bool of_module =
        !module.empty() && block.place.file.find("/" + std::string(module) + "/") != std::string::npos;
    if (of_module) return &block;
    if (module.empty() && block.place.file.size() < best_length) {
      best = &block;
      best_length = block.place.file.size();
    }
  }
  return best;
}

}  // namespace gpuadvise::check
