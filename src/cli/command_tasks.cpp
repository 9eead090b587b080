#include <CLI/CLI.hpp>

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "cli/command.h"
#include "cli/format.h"
#include "report/json_fields.h"

namespace gpuadvise::cli {

namespace {

class TasksCommand : public Command {
 public:
  void setup(CLI::App& app, const base::Texts& texts) override { add_format(app, format_, texts); }

  int run(Context& context) override {
    const Catalog& catalog = context.knowledge().catalog;
    if (format_ == "json") {
      report::Json root;
      root["schema_version"] = 1;
      root["tasks"] = report::to_json(catalog.tasks);
      context.out << root.dump(2) << '\n';
      return kFine;
    }
    for (const auto& task : catalog.tasks) {
      context.out << "  " << base::pad_right(task.id, 22) << (context.lang == Lang::zh ? task.title_zh : task.title_en)
                  << '\n';
    }
    return kFine;
  }

 private:
  std::string format_ = "table";
};

}  // namespace

std::unique_ptr<Command> make_tasks() { return std::make_unique<TasksCommand>(); }

}  // namespace gpuadvise::cli
