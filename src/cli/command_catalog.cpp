#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gpuadvise/error.h"

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "cli/command.h"
#include "cli/format.h"
#include "report/catalog.h"

namespace gpuadvise::cli {

namespace {

class CatalogCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    app.require_subcommand(1);
    list_ = app.add_subcommand("list", texts("catalog/help-list"));
    list_->add_option("--vendor", vendors_, texts("flag/vendor"));
    list_->add_option("--family", families_, texts("flag/family"));
    list_->add_option("--accelerator", accelerators_, texts("flag/accelerator"));
    list_->add_option("--status", statuses_, texts("flag/status"));
    list_->add_option("--region", region_, texts("flag/region"));
    list_->add_option("--min-memory", min_memory_, texts("flag/min-memory"))->check(CLI::NonNegativeNumber);
    list_->add_option("--min-accelerators", min_accelerators_, texts("flag/min-accelerators"))
        ->check(CLI::NonNegativeNumber);
    list_->add_flag("--rdma", rdma_, texts("flag/rdma"));
    list_->add_flag("--default-search", default_search_, texts("flag/default-search"));
    show_ = app.add_subcommand("show", texts("catalog/help-show"));
    show_->add_option("name", name_, texts("flag/name"))->required()->expected(1, -1);
    validate_ = app.add_subcommand("validate", texts("catalog/help-validate"));
    validate_->add_option("path", paths_, texts("flag/validate-path"));
    sources_ = app.add_subcommand("sources", texts("catalog/help-sources"));
    for (CLI::App* sub : {list_, show_, validate_, sources_}) {
      sub->fallthrough();  // --lang and the others may stand behind the subcommand
      sub->get_formatter()->label("OPTIONS", texts("cli/options"));
      add_format(*sub, format_, texts);
    }
  }

  int run(Context& context) override {
    if (list_->parsed()) return list(context);
    if (show_->parsed()) return show(context);
    if (validate_->parsed()) return validate(context);
    const Catalog& catalog = context.knowledge().catalog;
    if (format_ == "json") {
      report::print_sources_json(context.out, catalog);
    } else {
      report::print_sources(context.out, catalog, context.texts());
    }
    return kFine;
  }

 private:
  template <class Names>
  static void check_known(std::string_view flag, std::string_view given, const Names& known) {
    for (const auto name : known) {
      if (base::equal_ignoring_case(name, given)) return;
    }
    std::vector<std::string_view> names(known.begin(), known.end());
    throw InputError(Place{std::string(flag)},
                     fmt::format("unknown \"{}\"{}", base::printable(given), base::did_you_mean(given, names)));
  }

  int list(Context& context) {
    if (!std::isfinite(min_memory_)) throw InputError(Place{"--min-memory"}, "expected a number");
    if (!std::isfinite(min_accelerators_)) throw InputError(Place{"--min-accelerators"}, "expected a number");
    const Catalog& catalog = context.knowledge().catalog;
    std::vector<std::string_view> vendor_ids;
    for (const auto& name : vendors_) {
      const Vendor* vendor = find_vendor(catalog, name);
      std::vector<std::string_view> known;
      for (const auto& v : catalog.vendors) known.push_back(v.id);
      if (vendor == nullptr) {
        check_known("--vendor", name, known);
        continue;
      }
      vendor_ids.push_back(vendor->id);
    }
    std::vector<const Family*> families;
    for (const auto& name : families_) {
      const auto request = find_families(catalog, name);
      if (request.families.empty()) {
        std::vector<std::string_view> known;
        for (const auto& f : catalog.families) known.push_back(f.name);
        check_known("--family", name, known);
      }
      families.insert(families.end(), request.families.begin(), request.families.end());
    }
    std::vector<const Accelerator*> cards;
    for (const auto& name : accelerators_) cards.push_back(nullptr), cards.back() = accelerator_named(catalog, name);
    for (const auto& status : statuses_) check_known("--status", status, names(Status{}));
    if (!region_.empty()) check_known("--region", region_, known_regions(catalog));

    std::vector<report::TypeRow> rows;
    for (const auto& f : catalog.families) {
      if (!vendor_ids.empty() && std::find(vendor_ids.begin(), vendor_ids.end(), f.vendor) == vendor_ids.end())
        continue;
      if (!families.empty() && std::find(families.begin(), families.end(), &f) == families.end()) continue;
      if (default_search_ && !f.default_search) continue;
      if (!region_.empty() && std::find(f.regions.begin(), f.regions.end(), region_) == f.regions.end()) continue;
      for (const auto& t : f.types) {
        const Accelerator* card = accelerator_of(catalog, t);
        if (!cards.empty() && std::find(cards.begin(), cards.end(), card) == cards.end()) continue;
        const auto status = names(Status{})[static_cast<std::size_t>(status_of(f, t))];
        if (!statuses_.empty() && std::find(statuses_.begin(), statuses_.end(), status) == statuses_.end()) continue;
        // An unknown size passes no minimum.
        if (min_memory_ > 0 && t.accelerator_memory_gib.value_or(0) < min_memory_) continue;
        if (min_accelerators_ > 0 && t.accelerators.value_or(0) < min_accelerators_) continue;
        if (rdma_ && !t.rdma_gbps) continue;
        rows.push_back({&f, &t});
      }
    }
    if (format_ == "json") {
      report::print_catalog_list_json(context.out, catalog, rows);
    } else {
      report::print_catalog_list(context.out, catalog, rows, context.texts());
    }
    return rows.empty() ? kNo : kFine;
  }

  static const Accelerator* accelerator_named(const Catalog& catalog, const std::string& name) {
    const Accelerator* card = find_accelerator(catalog, name);
    if (card == nullptr) {
      std::vector<std::string_view> known;
      for (const auto& a : catalog.accelerators) known.push_back(a.id);
      check_known("--accelerator", name, known);
    }
    return card;
  }

  int show(Context& context) {
    const Catalog& catalog = context.knowledge().catalog;
    std::string name;  // "Alibaba gn6v" may be given as two words
    for (const auto& word : name_) name += (name.empty() ? "" : " ") + word;
    const auto matches = find_name(catalog, name);
    if (matches.empty()) {
      std::string near;
      for (const auto real : nearest_names(catalog, name)) near += (near.empty() ? "" : ", ") + std::string(real);
      throw InputError(Place{},
                       context.texts()("catalog/no-such-name", {{"name", base::printable(name)}, {"nearest", near}}));
    }
    if (format_ == "json") {
      report::print_catalog_matches_json(context.out, catalog, matches);
    } else {
      report::print_catalog_matches(context.out, catalog, matches, context.texts(), context.width);
    }
    return kFine;
  }

  int validate(Context& context) {
    const Knowledge* checked = &context.knowledge();
    std::optional<LoadedKnowledge> loaded;
    if (!paths_.empty()) {
      loaded = LoadedKnowledge::load(paths_, &builtin_knowledge());
      checked = &loaded->knowledge();
    }
    const Catalog& c = checked->catalog;
    std::size_t types = 0;
    for (const auto& f : c.families) types += f.types.size();
    const auto text = [](std::size_t n) { return fmt::format("{}", n); };
    if (format_ == "json") {
      context.out << fmt::format(
          "{{\"schema_version\": 1, \"valid\": true, \"date\": \"{}\", \"sha256\": \"{}\", \"families\": {}, "
          "\"instance_types\": {}, \"accelerators\": {}, \"prices\": {}, \"models\": {}, \"sources\": {}}}\n",
          c.date, c.sha256, c.families.size(), types, c.accelerators.size(), c.prices.size(), c.models.size(),
          c.sources.size());
    } else {
      context.out << context.texts()("catalog/valid", {{"families", text(c.families.size())},
                                                       {"types", text(types)},
                                                       {"accelerators", text(c.accelerators.size())},
                                                       {"prices", text(c.prices.size())},
                                                       {"models", text(c.models.size())},
                                                       {"sources", text(c.sources.size())},
                                                       {"date", c.date}})
                  << '\n';
    }
    return kFine;
  }

  CLI::App* list_ = nullptr;
  CLI::App* show_ = nullptr;
  CLI::App* validate_ = nullptr;
  CLI::App* sources_ = nullptr;
  std::vector<std::string> vendors_;
  std::vector<std::string> families_;
  std::vector<std::string> accelerators_;
  std::vector<std::string> statuses_;
  std::string region_;
  double min_memory_ = 0;
  double min_accelerators_ = 0;
  bool rdma_ = false;
  bool default_search_ = false;
  std::vector<std::string> name_;
  std::vector<std::string> paths_;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_catalog() { return std::make_unique<CatalogCommand>(); }

}  // namespace gpuadvise::cli
