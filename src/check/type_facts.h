// What rules may know of a planned machine and of a type in its place: fills their fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/rule_context.h"
#include "gpuadvise/rule_facts.h"

#include "check/carriers.h"
#include "check/sizing.h"
#include "check/subject.h"
#include "check/types.h"
#include "check/vocabulary.h"

namespace gpuadvise::check {

// What the fields of one type point into; must live as long as the context is used.
struct TypeFacts {
  const TypeMatch* match = nullptr;
  const Sizing* sizing = nullptr;
  std::string truth;  // about a name that guides use wrongly
  RuleLists lists;
};

class FactFiller {
 public:
  // All of them must outlive it.
  FactFiller(const Knowledge& knowledge, TypeIndex& types, Sizer& sizer, std::vector<Group>& groups, Lang lang)
      : knowledge_(knowledge), types_(types), sizer_(sizer), groups_(groups), lang_(lang) {}

  // The workload and the plan: everything but the type. `lists` as TypeFacts.
  void machine(RuleContext& context, const Subject& subject, RuleLists& lists) const;
  // The type, what it costs, and how the workload does on it.
  void type(RuleContext& context, const Subject& subject, std::string_view name, TypeFacts& facts) const;
  // A card that is asked for by name: what it is, and how the workload does on a machine that carries it.
  void card(RuleContext& context, const Subject& subject, const Carrier& carrier, RuleLists& lists) const;

 private:
  void cost(RuleContext& context, const Subject& subject, const TypeMatch& match) const;
  void sizing(RuleContext& context, const Subject& subject, const Sizing& sizing) const;

  const Knowledge& knowledge_;
  TypeIndex& types_;
  Sizer& sizer_;
  std::vector<Group>& groups_;
  Lang lang_;
};

}  // namespace gpuadvise::check
