// Reads one resource of a table-driven format (Terraform, ROS, PAI service files) by its row of data/plan_formats.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpuadvise/plan_format.h"

#include "base/node.h"
#include "check/plan.h"
#include "check/vocabulary.h"

namespace gpuadvise::check {

// The rows of the tables, by resource type, copies of providers included.
class ResourceTable {
 public:
  explicit ResourceTable(const PlanFormats& formats);
  // Rows for this type; more than one where a resource holds several kinds of machine. Empty: not ours.
  std::vector<const PlanResource*> rows(std::string_view type) const;
  // What the words of the formats mean.
  const Vocabulary& words() const { return words_; }

 private:
  const PlanFormats& formats_;
  Vocabulary words_;
  std::unordered_map<std::string_view, std::vector<const PlanResource*>> by_type_;
};

struct ResourceSource {
  std::string address;
  std::string type;
  std::string name;
  std::string format;  // the reader's kind
  Place place;
  const base::Node* values = nullptr;     // attributes
  const base::Node* unknown = nullptr;    // true at leaves known only after apply; may be null
  const base::Node* sensitive = nullptr;  // true at leaves that must not be shown; may be null
  bool values_have_places = true;         // lines and columns of the values are worth reporting
};

// Machines that the resource stands for: one, or one per entry of the row's list. Values marked sensitive are not read.
std::vector<PlannedMachine> read_resource(const PlanResource& row, const ResourceTable& table,
                                          const ResourceSource& source);

Role role_of(std::string_view word);

// Labels and tags: a map, or a list of {key, value} in the spellings that providers use.
void add_labels(const base::Node* node, Pairs& out);

// Words of a shell line; quotes and escapes are taken off, line continuations joined.
void split_words(std::string_view text, std::vector<std::string>& out);

// User data as a script: base64 is decoded where it is base64.
std::string script_text(std::string_view text);

}  // namespace gpuadvise::check
