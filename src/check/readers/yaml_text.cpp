#include "base/text.h"
#include "check/readers/yaml_text.h"

namespace gpuadvise::check {

using base::Node;

namespace {

constexpr base::Limits kLimits{.bytes = std::size_t{16} << 20U, .values = 1'000'000, .depth = 64};

void move_down(Node& node, int lines) {
  node.line += lines;
  for (auto& item : node.items) move_down(item, lines);
  for (auto& member : node.members) {
    member.line += lines;
    move_down(member.value, lines);
  }
}

bool separates(std::string_view line) {
  if (!line.starts_with("---")) return false;
  return line.size() == 3 || line[3] == ' ' || line[3] == '\r' || line[3] == '\t';
}

std::string_view comment_of(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return base::trim(line.substr(i + 1));
    }
  }
  return {};
}

}  // namespace

std::vector<Node> parse_documents(const Input& input, Plan& plan) {
  std::vector<Node> out;
  const auto problem = [&](const InputError& error, int lines) {
    Place place = error.place();
    if (place.line > 0) place.line += lines;
    plan.problems.push_back(
        {PlanProblem::Kind::unreadable, "input/unreadable", "check.cannot_parse", {{"why", error.message()}}, place});
  };
  if (input.json) {
    out.push_back(base::parse_json(input.text, input.name, kLimits));
    return out;
  }
  const std::string_view text = input.text;
  std::size_t start = 0;
  int start_line = 0;
  int line = 0;
  std::size_t documents = 0;
  constexpr std::size_t kMost = 20'000;
  const auto take = [&](std::size_t end) {
    const std::string_view part = text.substr(start, end - start);
    if (base::trim(part).empty() || ++documents > kMost) return;
    try {
      for (auto& document : base::parse_yaml_documents(part, input.name, kLimits)) {
        move_down(document, start_line);
        out.push_back(std::move(document));
      }
    } catch (const InputError& error) {
      problem(error, start_line);
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    if (separates(text.substr(at, end - at)) && at > start) {
      take(at);
      start = at;
      start_line = line;
    }
    at = end + 1;
    ++line;
  }
  take(text.size());
  return out;
}

Comments::Comments(std::string_view text) : lines_(base::split(text, '\n')) {}

std::vector<std::pair<int, std::string>> Comments::near(int line) const {
  std::vector<std::pair<int, std::string>> out;
  if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return out;
  const auto text = [&](int n) { return lines_[static_cast<std::size_t>(n) - 1]; };
  if (const auto comment = comment_of(text(line)); !comment.empty()) out.emplace_back(line, comment);
  constexpr int kAbove = 5;
  for (int n = line - 1; n >= 1 && n >= line - kAbove; --n) {
    if (!base::trim(text(n)).starts_with("#")) break;
    out.emplace_back(n, comment_of(text(n)));
  }
  return out;
}

}  // namespace gpuadvise::check
