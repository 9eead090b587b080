// A minimal starting point for a recommendation: files for the tools that create machines and start work on them.
// What only the user can know (image, network, zone, keys) is left as an input without a default, so that a file that
// is not filled in fails at once instead of creating the wrong thing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/text.h"

namespace gpuadvise {

struct Advice;
struct Knowledge;

// One file of one format. Rows of data/emit; src/emit/template.h describes the text.
struct EmitTemplate {
  std::string_view format;
  std::string_view vendor;   // empty: every vendor
  std::string_view product;  // start of Family::product; empty: the vendor's others
  std::string_view stack;    // Accelerator::software_stack; empty: any
  std::string_view text;     // "-": the format cannot order such a type
};

// How a piece of software is started on a layout.
struct EmitLaunch {
  std::string_view id;
  std::span<const std::string_view> software;  // engines or frameworks, as profiles name them; empty: any other
  std::string_view work;                       // serving, training, job
  std::string_view stack;                      // Accelerator::software_stack; empty: any
  bool splits_layers = false;                  // understands tensor and pipeline parallelism
  std::string_view image;                      // container repository; empty: the user's own
  std::string_view command;                    // shell; a template
  std::string_view several;                    // the same where one replica or job spans machines; empty: `command`
  std::string_view benchmark;                  // a line that measures what was estimated; a template
  std::string_view source;                     // where the flags are documented
};

// The category of the system disk, best first.
struct EmitDisk {
  std::string_view vendor;
  std::string_view listed;    // the word of the family's list; empty: for families without a list
  std::string_view category;  // as the provider spells it
  std::string_view level;     // performance level; empty: none
};

// A command that tells whether the pick is what it seems. Where several rows are about the same, the most particular
// one counts.
struct EmitCheck {
  std::string_view id;
  std::string_view vendor;   // empty: every vendor
  std::string_view product;  // start of Family::product; empty: any
  std::string_view about;    // stock, price, interruptions, network, cards
  std::string_view command;  // a template; "-" or an empty result: there is none
  std::string_view source;   // where the call is documented
};

struct EmitKnowledge {
  std::span<const EmitTemplate> templates;
  std::span<const EmitLaunch> launches;
  std::span<const EmitDisk> disks;
  std::span<const EmitCheck> checks;
};

// What to run before money is spent, for the first recommendation of `advice`.
struct VerifyStep {
  std::string_view about;  // stock, price, cards, network, speed
  std::string says;        // what the command tells, in the user's language
  std::string command;     // words in capitals are to be filled in
};
std::vector<VerifyStep> verify_steps(const Advice& advice, const Knowledge& knowledge, Lang lang);

// terraform, kubernetes, skypilot, docker-compose, vendor-cli.
std::span<const std::string_view> emit_formats();

// The file for the first recommendation of `advice`. Throws InputError for a format that does not exist or cannot
// order the type, and where nothing was recommended.
std::string emit(std::string_view format, const Advice& advice, const Knowledge& knowledge, Lang lang);

}  // namespace gpuadvise
