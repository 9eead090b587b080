// What the texts of data/emit can say of a recommendation.
#pragma once

#include "gpuadvise/advise.h"

#include "emit/template.h"

namespace gpuadvise::emit_detail {

// Every name that a text may use, and its value: empty where it does not apply. Counts and words of the product are
// safe as they are; names that come from the user or a catalog overlay (type, card, region, model, id) are not.
Values values_of(const Advice& advice, const Knowledge& knowledge, Lang lang);

// How the pick's software is started. `values` get its name, image and command.
const EmitLaunch& find_launch(const Advice& advice, const EmitKnowledge& emit);
void add_launch(Values& values, const EmitLaunch& launch, const base::Texts& texts);

}  // namespace gpuadvise::emit_detail
