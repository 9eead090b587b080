// Instance type names of a plan against the catalog.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "gpuadvise/catalog.h"

namespace gpuadvise::check {

struct TypeMatch {
  const Family* family = nullptr;  // of the type, or of its name
  const InstanceType* type = nullptr;
  const Accelerator* card = nullptr;
  const NameNote* note = nullptr;  // a name that guides use wrongly
  std::string_view named_vendor;   // whose naming the text follows; empty: nobody's that we know
  bool accelerated = false;        // follows the naming of accelerated machines
  bool foreign = false;            // a name of a platform (ml., modelarts., ...), not of a plain machine
  bool trial = false;              // a ".limit" type
  std::string suggestion;          // nearest documented type, when the name is not documented
};

// Answers from a table made once; answers for unknown names are kept. Not shared between threads.
class TypeIndex {
 public:
  explicit TypeIndex(const Catalog& catalog);
  const TypeMatch& find(std::string_view text);
  const Catalog& catalog() const { return catalog_; }

 private:
  TypeMatch look_up(std::string_view text) const;
  bool accelerated(std::string_view vendor, std::string_view family) const;

  const Catalog& catalog_;
  struct Entry {
    const Family* family;
    const InstanceType* type;
  };
  std::unordered_map<std::string, Entry> types_;  // lower case
  std::unordered_map<std::string, int> letters_;  // "vendor/letters that a family's name starts with"
  std::unordered_map<std::string, TypeMatch> answers_;
};

}  // namespace gpuadvise::check
