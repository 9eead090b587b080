#include <CLI/CLI.hpp>

#include "gpuadvise/error.h"

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "cli/command.h"
#include "cli/format.h"
#include "report/json_fields.h"
#include "workload/model_lookup.h"

namespace gpuadvise::cli {

namespace {

class ModelsCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override {
    app.add_option("name", name_, texts("flag/model-name"));
    add_format(app, format_, texts);
  }

  int run(Context& context) override {
    const Catalog& catalog = context.knowledge().catalog;
    std::vector<const Model*> rows;
    if (name_.empty()) {
      for (const auto& model : catalog.models) rows.push_back(&model);
    } else if (const Model* model = find_model(catalog, name_).model) {
      rows.push_back(model);
    } else {
      std::string near;
      for (const auto id : nearest_models(catalog, name_)) near += (near.empty() ? "" : ", ") + std::string(id);
      throw InputError(Place{},
                       context.texts()("models/no-such-model", {{"name", base::printable(name_)}, {"nearest", near}}));
    }
    if (format_ == "json") {
      report::Json root;
      root["schema_version"] = 1;
      root["models"] = report::Json::array();
      for (const Model* model : rows) root["models"].push_back(report::to_json(*model));
      context.out << root.dump(2) << '\n';
      return kFine;
    }
    for (const Model* m : rows) {
      context.out << "  " << base::pad_right(m->id, 38) << base::pad_left(base::format_count(m->params), 8);
      context.out << base::pad_right(m->active_params < m->params ? " / " + base::format_count(m->active_params) : "",
                                     11);
      context.out << names(ModelKind{})[static_cast<std::size_t>(m->kind)];
      if (!m->verified) context.out << "  " << context.texts()("models/unverified");
      context.out << '\n';
    }
    return kFine;
  }

 private:
  std::string name_;
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_models() { return std::make_unique<ModelsCommand>(); }

}  // namespace gpuadvise::cli
