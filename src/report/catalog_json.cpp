#include "catalog/catalog_fields.h"
#include "report/catalog.h"
#include "report/json_fields.h"

namespace gpuadvise::report {

namespace {

constexpr int kSchemaVersion = 1;

Json document(const Catalog& catalog) {
  Json out;
  out["schema_version"] = kSchemaVersion;
  out["catalog"] = {{"date", catalog.date}, {"sha256", catalog.sha256}};
  return out;
}

Json type_json(const Catalog& catalog, const Family& family, const InstanceType& type) {
  Json out = to_json(type);
  out["status"] = std::string(names(Status{})[static_cast<std::size_t>(status_of(family, type))]);
  const Accelerator* card = accelerator_of(catalog, type);
  out["accelerator"] = card == nullptr ? Json(nullptr) : Json(std::string(card->id));
  return out;
}

Json prices_json(const Catalog& catalog, const InstanceType& type) {
  Json prices = Json::array();
  for (const auto& price : catalog.prices) {
    if (price.type == type.name) prices.push_back(to_json(price));
  }
  return prices;
}

Json sources_json(const Catalog& catalog, std::span<const std::string_view> ids) {
  Json out = Json::array();
  for (const auto id : ids) {
    if (const Source* source = find_source(catalog, id)) out.push_back(to_json(*source));
  }
  return out;
}

}  // namespace

void print_catalog_list_json(std::ostream& out, const Catalog& catalog, std::span<const TypeRow> rows) {
  Json root = document(catalog);
  Json& list = root["instance_types"] = Json::array();
  for (const auto& row : rows) {
    Json item;
    item["vendor"] = row.family->vendor;
    item["family"] = row.family->name;
    item["platform"] = row.family->platform.empty() ? Json(nullptr) : Json(std::string(row.family->platform));
    item["default_search"] = row.family->default_search;
    item["interconnect"] =
        row.family->interconnect.empty() ? Json(nullptr) : Json(std::string(row.family->interconnect));
    item["rdma"] = row.family->rdma.empty() ? Json(nullptr) : Json(std::string(row.family->rdma));
    item.update(type_json(catalog, *row.family, *row.type));
    list.push_back(std::move(item));
  }
  out << root.dump(2) << '\n';
}

void print_catalog_matches_json(std::ostream& out, const Catalog& catalog, std::span<const NameMatch> matches) {
  Json root = document(catalog);
  Json& list = root["matches"] = Json::array();
  for (const auto& match : matches) {
    Json item;
    if (match.type != nullptr) {
      item["kind"] = "instance_type";
      item["vendor"] = match.family->vendor;
      item["family"] = match.family->name;
      item["caveat"] = match.family->caveat.empty() ? Json(nullptr) : to_json(match.family->caveat);
      item["instance_type"] = type_json(catalog, *match.family, *match.type);
      item["prices"] = prices_json(catalog, *match.type);
      item["sources"] = sources_json(catalog, match.type->sources);
    } else if (match.family != nullptr) {
      item["kind"] = "family";
      Json family = to_json(*match.family);
      Json types = Json::array();
      for (const auto& type : match.family->types) types.push_back(type_json(catalog, *match.family, type));
      family["types"] = std::move(types);
      item["family"] = std::move(family);
      item["sources"] = sources_json(catalog, match.family->sources);
    } else if (match.accelerator != nullptr) {
      item["kind"] = "accelerator";
      item["accelerator"] = to_json(*match.accelerator);
      item["sources"] = sources_json(catalog, match.accelerator->sources);
    } else if (match.note != nullptr) {
      item["kind"] = "name";
      item["name"] = to_json(*match.note);
      item["sources"] = sources_json(catalog, match.note->sources);
    }
    list.push_back(std::move(item));
  }
  out << root.dump(2) << '\n';
}

void print_sources_json(std::ostream& out, const Catalog& catalog) {
  Json root = document(catalog);
  root["sources"] = to_json(catalog.sources);
  out << root.dump(2) << '\n';
}

}  // namespace gpuadvise::report
