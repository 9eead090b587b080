// What a cost says on a screen: the amounts, and what they rest on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpuadvise/estimate.h"

#include "base/message.h"

namespace gpuadvise::report {

std::string money(std::string_view currency, double amount);  // CNY 12.3

// Every amount that is known, or in words why none is.
std::string cost_amounts(const CostEstimate& cost, const base::Texts& texts);
// Why there is no amount.
std::string no_amount(const CostEstimate& cost, const base::Texts& texts);
// The price as listed and its origin; the rate, the range, the allowance and the break-even where there are such.
std::vector<std::string> cost_basis(const CostEstimate& cost, const base::Texts& texts);

// A price from a third party, more than a year old or undated: marked wherever it is shown.
bool is_doubtful(const CostEstimate& cost);

}  // namespace gpuadvise::report
