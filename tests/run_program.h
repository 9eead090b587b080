// Runs a program as a person would and returns what it wrote: for end-to-end tests.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace gpuadvise::test {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A file in the temporary folder that goes away with the object.
class TempFile {
 public:
  explicit TempFile(std::string_view content = {}, std::string_view suffix = "") {
    std::string pattern = "/tmp/gpuadvise-test-XXXXXX" + std::string(suffix);
    const int fd = mkstemps(pattern.data(), static_cast<int>(suffix.size()));
    if (fd < 0) throw std::runtime_error("mkstemps");
    close(fd);
    path_ = pattern;
    std::ofstream(path_, std::ios::binary) << content;
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Arguments of a program, and more of them.
using Words = std::vector<std::string>;
inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Always in English, 100 columns and without colour unless the arguments say otherwise. `limits` are shell commands
// that run first, such as "ulimit -t 1".
inline Outcome run_program(const std::vector<std::string>& arguments, std::string_view input = {},
                           const std::string& limits = {}) {
  const TempFile in(input);
  const TempFile out;
  const TempFile err;
  std::string command =
      (limits.empty() ? "" : limits + "; ") + "env -u LC_MESSAGES LC_ALL=C.UTF-8 " + shell_word(GPUADVISE_BINARY);
  for (const auto& argument : arguments) command += " " + shell_word(argument);
  command += " <" + shell_word(in.path()) + " >" + shell_word(out.path()) + " 2>" + shell_word(err.path());
  const int status = std::system(command.c_str());  // NOLINT: every word is quoted
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = slurp(out.path());
  outcome.err = slurp(err.path());
  return outcome;
}

}  // namespace gpuadvise::test
