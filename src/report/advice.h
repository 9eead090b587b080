// Advice and estimates as people and scripts read them: one file per output format.
#pragma once

#include <ostream>
#include <span>

#include "gpuadvise/advise.h"
#include "gpuadvise/compare.h"
#include "gpuadvise/sensitivity.h"
#include "gpuadvise/solve.h"

#include "base/message.h"

namespace gpuadvise::report {

struct TableOptions {
  std::size_t width = 100;
  std::size_t top = 5;
  bool explain = false;
  bool colour = false;
};

void print_advice(std::ostream& out, const Advice& advice, const Knowledge& knowledge, const base::Texts& texts,
                  const TableOptions& options);
// `turns`, where they were asked for, stand under "sensitivity".
void print_advice_json(std::ostream& out, const Advice& advice, const Knowledge& knowledge, const base::Texts& texts,
                       std::size_t top, Objective objective, const std::vector<Turn>* turns = nullptr);
void print_sensitivity(std::ostream& out, std::span<const Turn> turns, const base::Texts& texts,
                       const TableOptions& options);

void print_comparison(std::ostream& out, const Comparison& comparison, const Knowledge& knowledge,
                      const base::Texts& texts, const TableOptions& options);
void print_comparison_json(std::ostream& out, const Comparison& comparison, const Knowledge& knowledge,
                           const base::Texts& texts);

// Answers to --why-not; the pick of `advice` is what they are compared with.
void print_why_not(std::ostream& out, std::span<const WhyNot> answers, const Advice& advice, const Knowledge& knowledge,
                   const base::Texts& texts, const TableOptions& options);
void print_why_not_json(std::ostream& out, std::span<const WhyNot> answers, const Advice& advice,
                        const Knowledge& knowledge, const base::Texts& texts);

void print_estimate(std::ostream& out, const ProfileEstimate& estimate, const Knowledge& knowledge,
                    const base::Texts& texts, const TableOptions& options);
// The setting that was looked for, then the estimate there.
void print_solution(std::ostream& out, const ProfileSolution& solution, const Knowledge& knowledge,
                    const base::Texts& texts, const TableOptions& options);
void print_solution_json(std::ostream& out, const ProfileSolution& solution, const base::Texts& texts);

// One line without `pretty`, for batches.
void print_estimate_json(std::ostream& out, const ProfileEstimate& estimate, const base::Texts& texts, bool pretty);

}  // namespace gpuadvise::report
