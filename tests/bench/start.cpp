// Start to finish of `recommend --task llm-finetune --params 13B` against an empty program that links the same way, run
// in turns so that noise hits both alike. Prints the ratio of the medians.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

double run_seconds(const std::vector<const char*>& arguments) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (const char* a : arguments) argv.push_back(const_cast<char*>(a));  // NOLINT: exec's signature
  argv.push_back(nullptr);
  const auto before = std::chrono::steady_clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0) std::exit(2);
  int status = 0;
  waitpid(child, &status, 0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) std::exit(2);
  return taken.count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  constexpr int kRounds = 300;
  std::vector<double> empty;
  std::vector<double> product;
  for (int i = 0; i < kRounds; ++i) {
    empty.push_back(run_seconds({EMPTY_BINARY}));
    product.push_back(run_seconds({GPUADVISE_BINARY, "recommend", "--task", "llm-finetune", "--params", "13B"}));
  }
  fmt::print("empty program {:.2f} ms, recommend {:.2f} ms: ratio {:.2f}\n", 1e3 * median(empty), 1e3 * median(product),
             median(product) / median(empty));
}
