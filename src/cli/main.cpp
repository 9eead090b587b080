#include <iostream>

#include "cli/command.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return gpuadvise::cli::run(argc, argv, std::cout, std::cerr);
}
