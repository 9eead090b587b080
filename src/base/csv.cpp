#include <fmt/format.h>

#include "base/csv.h"
#include "base/text.h"

namespace gpuadvise::base {

namespace {

struct Cell {
  std::string text;
  int line = 0;
  int column = 0;
};

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool at_end() const { return at_ >= text_.size(); }

  std::vector<Cell> row() {
    std::vector<Cell> cells;
    while (true) {
      cells.push_back(cell());
      if (at_end()) return cells;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      end_line();
      return cells;
    }
  }

  [[noreturn]] void fail(int line, int column, std::string_view message) const {
    throw InputError(Place{name_, line, column}, message);
  }

 private:
  int column() const { return static_cast<int>(at_ - line_start_) + 1; }

  Cell cell() {
    Cell out{{}, line_, column()};
    if (!at_end() && text_[at_] == '"') {
      quoted(out);
    } else {
      plain(out);
    }
    return out;
  }

  void plain(Cell& out) {
    for (; !at_end() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r'; ++at_) {
      if (text_[at_] == '"') fail(line_, column(), "a quote inside a cell that does not begin with one");
      out.text += text_[at_];
    }
    out.text = std::string(trim(out.text));
  }

  void quoted(Cell& out) {
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
          ++at_;
          if (!at_end() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
            fail(line_, column(), "text after the closing quote of a cell");
          }
          return;
        }
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
      out.text += text_[at_];
    }
    fail(out.line, out.column, "a quote that is never closed");
  }

  void end_line() {
    if (text_[at_] == '\r') ++at_;
    if (!at_end() && text_[at_] == '\n') ++at_;
    ++line_;
    line_start_ = at_;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

bool blank(const std::vector<Cell>& cells) { return cells.size() == 1 && cells.front().text.empty(); }

void check_names(const CsvReader& reader, const std::vector<Cell>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Cell& name = names[i];
    if (name.text.empty()) reader.fail(name.line, name.column, "a column without a name");
    for (std::size_t k = 0; k < i; ++k) {
      if (names[k].text != name.text) continue;
      reader.fail(name.line, name.column, fmt::format("column \"{}\" stands twice", printable(name.text)));
    }
  }
}

Node row_node(const std::vector<Cell>& names, const std::vector<Cell>& cells) {
  Node row;
  row.kind = Node::Kind::map;
  row.line = cells.front().line;
  row.column = cells.front().column;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Node value = scalar_node(cells[i].text);
    value.line = cells[i].line;
    value.column = cells[i].column;
    row.members.push_back({names[i].text, names[i].line, names[i].column, std::move(value)});
  }
  return row;
}

}  // namespace

Node parse_csv(std::string_view text, const std::string& name, const Limits& limits) {
  text = checked_text(text, name, limits);
  CsvReader reader(text, name);
  Node table;
  table.kind = Node::Kind::list;
  table.line = table.column = 1;
  std::vector<Cell> names;
  std::size_t values = 0;
  while (!reader.at_end()) {
    const std::vector<Cell> cells = reader.row();
    if (blank(cells)) continue;
    values += cells.size();
    if (values > limits.values) throw InputError(Place{name}, "too many values");
    if (names.empty()) {
      check_names(reader, cells);
      names = cells;
      continue;
    }
    if (cells.size() != names.size()) {
      reader.fail(cells.front().line, cells.front().column,
                  fmt::format("{} cells, and the first line names {} columns", cells.size(), names.size()));
    }
    table.items.push_back(row_node(names, cells));
  }
  if (names.empty()) throw InputError(Place{name, 1, 1}, "empty: the first line should name the columns");
  return table;
}

}  // namespace gpuadvise::base
