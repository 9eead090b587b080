// Reads JSON where it lies, forward, without building what is not asked for: a plan of 50 MB holds a few hundred
// kilobytes that matter. Strict JSON; depth bounded; every value that is passed over is still checked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/node.h"

namespace gpuadvise::check {

class JsonCursor {
 public:
  // `name` is what error messages call the input. The text must be valid UTF-8 and outlive the cursor.
  JsonCursor(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // A place to come back to.
  struct Mark {
    std::size_t at = 0;
    std::size_t line_start = 0;
    int line = 1;
    int depth = 0;
  };
  Mark mark() const { return here_; }
  void seek(const Mark& mark) {
    here_ = mark;
    first_ = false;
  }

  // What stands next; does not move.
  base::Node::Kind peek();

  // Walks an object: enter(), then next_key() until it answers false. Each key's value must be read or skipped.
  void enter_object();
  bool next_key(std::string& key);
  void enter_array();
  bool next_item();

  std::string string();
  void skip();         // one value of any kind
  base::Node build();  // one value as a tree; keys that stand twice are an error
  void end();          // nothing may follow

  [[noreturn]] void fail(std::string_view message) const;
  int line() const { return here_.line; }
  int column() const { return static_cast<int>(here_.at - here_.line_start) + 1; }

 private:
  static constexpr int kDepth = 256;

  void space();
  char at() const { return here_.at < text_.size() ? text_[here_.at] : '\0'; }
  void expect(char c, std::string_view what);
  void deeper();
  void skip_string();
  std::string_view number();
  void word(std::string_view expected);
  void escape(std::string& out);
  unsigned hex4();

  std::string_view text_;
  std::string name_;
  Mark here_;
  bool first_ = false;  // the container has just been entered
};

}  // namespace gpuadvise::check
