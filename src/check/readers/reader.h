// One file per kind of input, all behind this interface and in one table (readers.cpp): add a reader there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/plan_format.h"

#include "check/plan.h"

namespace gpuadvise::check {

// One input, as UTF-8, and what a first glance at it shows.
struct Input {
  std::string name;  // as the user named it; "-" for standard input
  std::string text;
  bool json = false;
  std::vector<std::string> keys;  // of the top level: of the first object, or of all YAML documents
  std::string first_line;
  bool has(std::string_view key) const;
};

// Reads bytes as they come: byte order marks, UTF-16 (what PowerShell's ">" writes), and the first glance. Throws
// InputError on bytes that are no text.
Input open_input(std::string name, std::string bytes);

struct ReadOptions {
  std::string source_dir;  // where *.tf files are looked for; empty: beside the plan
  bool changes_only = false;
};

struct Reader {
  std::string_view kind;  // terraform-plan, kubernetes, ...: the word of --kind
  // Whether the input is of this kind. Readers are asked in the order of the table.
  bool (*detect)(const Input& input);
  // Adds machines and problems to the plan. Throws InputError where nothing at all can be read.
  void (*read)(const Input& input, const PlanFormats& formats, const ReadOptions& options, Plan& plan);
};

std::span<const Reader> readers();

// The reader of this kind, or the first that knows the input; nullptr when none does.
const Reader* find_reader(const Input& input, std::string_view kind);

}  // namespace gpuadvise::check
