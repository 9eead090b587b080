// The flags that write a profile: named after the profile's keys in kebab-case, one table for all commands.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gpuadvise/catalog.h"
#include "gpuadvise/error.h"
#include "gpuadvise/profile.h"
#include "gpuadvise/workload.h"

#include "base/arena.h"
#include "base/message.h"
#include "base/node.h"
#include "cli/command.h"

namespace gpuadvise::cli {

// Where the value of a key such as "model.params" stands in a profile; the nearest map around it where it is absent.
Place place_of(const base::Node& profile, std::string_view key, const std::string& file);
// The profile key that a message is about: "model.params" of "model.params: 12 is out of range". Empty: none.
std::string_view key_of_message(std::string_view message);

class ProfileFlags {
 public:
  // Declares the flags that occur in `arguments`, all of them with --help: declaring a hundred costs more than an
  // answer.
  void add(CLI::App& app, const base::Texts& texts, std::span<const std::string> arguments);
  static std::vector<std::string> names();

  // What the flags and --profile say together; a flag wins over the file. Strings live in this object.
  // Warnings about what a model's files leave open go to `context.err`.
  Profile read(Context& context);

  // Says on `context.err` which engine or framework was never measured: the answer stands on the general class.
  static void warn_unmeasured(const Profile& profile, Context& context);

  // Says on `out` which fields the user set that the task does not read: each by its key and its flag.
  static void warn_unused(const Workload& workload, std::ostream& out, const base::Texts& texts);

  // An error that begins with a profile key ("model.params: ...") and has no place of its own gets one: the flag that
  // set the key, else its line in the profile file, else the file.
  InputError placed(const InputError& error) const;

 private:
  static bool occurs(std::string_view flag, std::span<const std::string> arguments);
  base::Arena arena_;
  std::map<std::string, std::vector<std::string>> values_;
  std::string profile_path_;
  std::string model_config_path_;
  std::string weight_file_;
  base::Node profile_node_;
};

}  // namespace gpuadvise::cli
