// References between the resources of a plan, out of its `configuration`: values of references are known only after
// apply, so what an argument leads to is all that a plan says of it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "check/readers/json_cursor.h"
#include "check/readers/resource.h"

namespace gpuadvise::check {

// module.a["x"].alicloud_instance.b[0] -> module.a.alicloud_instance.b, as `configuration` spells it.
std::string without_indexes(std::string_view address);

class TerraformLinks {
 public:
  // Only resources that the table knows are looked at. Both must outlive it.
  TerraformLinks(JsonCursor& cursor, const ResourceTable& table) : cursor_(cursor), table_(table) {}

  // Reads the value that the cursor stands at.
  void read();
  // Addresses that the arguments of the resource lead to, through variables and outputs of modules.
  std::vector<std::string> of(const std::string& address) const;

 private:
  // References as they are written in a module; `scope` is its address with a dot, or empty.
  struct Written {
    std::string scope;
    std::vector<std::string> references;
  };
  void read_module(const std::string& scope);
  void read_resource(const std::string& scope);
  void read_call(const std::string& scope, const std::string& name);
  void resolve(const std::string& scope, const std::string& reference, int depth, int& visits,
               std::vector<std::string>& out) const;
  // Walks the object or list that the cursor stands at; passes over anything else.
  template <class Visit>
  void each_member(Visit visit);
  template <class Visit>
  void each_item(Visit visit);

  JsonCursor& cursor_;
  const ResourceTable& table_;
  std::unordered_map<std::string, Written> written_;  // by address, "module.a.var.b" or "module.a.output.b"
};

}  // namespace gpuadvise::check
