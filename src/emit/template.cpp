#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>

#include "base/text.h"
#include "emit/template.h"

namespace gpuadvise::emit_detail {

namespace {

class Renderer {
 public:
  Renderer(const Values& values, const Escapes& escapes, const base::Texts& texts)
      : values_(values), escapes_(escapes), texts_(texts) {}

  std::string run(std::string_view text) {
    while (true) {
      const auto open = text.find("{{");
      if (open == std::string_view::npos) break;
      const auto close = text.find("}}", open);
      if (close == std::string_view::npos) throw std::logic_error("emit: a tag is not closed");
      const std::string_view tag = text.substr(open + 2, close - open - 2);
      const char sign = tag.empty() ? ' ' : tag[0];
      if (sign == '#' || sign == '^' || sign == '/') {
        section(text, open, close + 2, tag);
      } else {
        put(text.substr(0, open));
        if (shown()) value(tag);
        text.remove_prefix(close + 2);
      }
    }
    put(text);
    if (!sections_.empty()) throw std::logic_error("emit: section " + sections_.back().name + " is not closed");
    return std::move(out_);
  }

 private:
  struct Section {
    std::string name;
    bool shown;
  };

  bool shown() const { return sections_.empty() || sections_.back().shown; }

  void put(std::string_view text) {
    if (shown()) out_ += text;
  }

  const std::string& find(std::string_view name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) throw std::logic_error(fmt::format("emit: no value is called \"{}\"", name));
    return at->second;
  }

  // Moves `text` behind the tag.
  void section(std::string_view& text, std::size_t open, std::size_t end, std::string_view tag) {
    put(text.substr(0, open));
    text.remove_prefix(end);
    const std::string_view name = tag.substr(1);
    if (tag[0] == '/') {
      if (sections_.empty() || sections_.back().name != name) {
        throw std::logic_error(fmt::format("emit: section \"{}\" is closed but not open", name));
      }
      sections_.pop_back();
      return;
    }
    const bool set = !find(name).empty();
    sections_.push_back({std::string(name), shown() && set == (tag[0] == '#')});
  }

  void value(std::string_view tag) {
    if (tag.starts_with("t:") || tag.starts_with("q:")) {
      std::vector<std::pair<std::string_view, std::string_view>> args;
      for (const auto& [name, text] : values_) args.emplace_back(name, text);
      const std::string text = base::printable(base::fill(texts_.raw(tag.substr(2)), args));
      out_ += tag[0] == 'q' ? escapes_.quoted(text) : text;
    } else if (tag.starts_with('&')) {
      out_ += find(tag.substr(1));
    } else if (tag.starts_with('>')) {
      block(find(tag.substr(1)));
    } else {
      out_ += escapes_.quoted(find(tag));
    }
  }

  void block(std::string_view text) {
    const auto line = out_.rfind('\n');
    const std::size_t column = out_.size() - (line == std::string::npos ? 0 : line + 1);
    bool first = true;
    for (const auto part : base::split(text, '\n')) {
      if (!first) out_ += '\n' + std::string(part.empty() ? 0 : column, ' ');
      out_ += escapes_.block(part);
      first = false;
    }
  }

  const Values& values_;
  const Escapes& escapes_;
  const base::Texts& texts_;
  std::vector<Section> sections_;
  std::string out_;
};

// Lines that hold nothing but tags of sections become those tags, without a line of their own.
std::string without_bare_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view rest = base::trim(text.substr(0, end));
    std::string tags;
    while (rest.starts_with("{{#") || rest.starts_with("{{^") || rest.starts_with("{{/")) {
      const auto close = rest.find("}}");
      if (close == std::string_view::npos) break;
      tags += rest.substr(0, close + 2);
      rest = base::trim(rest.substr(close + 2));
    }
    if (!tags.empty() && rest.empty()) {
      out += tags;
    } else {
      out += text.substr(0, std::min(end + 1, text.size()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::string render(std::string_view text, const Values& values, const Escapes& escapes, const base::Texts& texts) {
  return Renderer(values, escapes, texts).run(without_bare_lines(text));
}

std::string plain(std::string_view text) { return std::string(text); }

}  // namespace gpuadvise::emit_detail
