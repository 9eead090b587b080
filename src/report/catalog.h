// The catalog as people and scripts read it.
#pragma once

#include <ostream>
#include <span>
#include <vector>

#include "gpuadvise/catalog.h"

#include "base/message.h"
#include "catalog/lookup.h"

namespace gpuadvise::report {

struct TypeRow {
  const Family* family;
  const InstanceType* type;
};

void print_catalog_list(std::ostream& out, const Catalog& catalog, std::span<const TypeRow> rows,
                        const base::Texts& texts);
void print_catalog_list_json(std::ostream& out, const Catalog& catalog, std::span<const TypeRow> rows);

void print_catalog_matches(std::ostream& out, const Catalog& catalog, std::span<const NameMatch> matches,
                           const base::Texts& texts, std::size_t width);
void print_catalog_matches_json(std::ostream& out, const Catalog& catalog, std::span<const NameMatch> matches);

void print_sources(std::ostream& out, const Catalog& catalog, const base::Texts& texts);
void print_sources_json(std::ostream& out, const Catalog& catalog);

// The card's name without the remark that some carry in parentheses.
std::string_view short_name(const Accelerator& accelerator);

// "1 x NVIDIA A10 24 GB", "1/4 of NVIDIA T4, 4 GB": what a type carries, in the fewest words.
std::string card_text(const Catalog& catalog, const InstanceType& type, const base::Texts& texts);

}  // namespace gpuadvise::report
