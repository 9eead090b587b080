// The data compiler: loads data/ with the product's own loader, and writes it as C++ static tables.
//   gpuadvise-datac DATA_FOLDER OUTPUT_FOLDER
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "gpuadvise/knowledge.h"

#include "base/emit.h"
#include "data/tables.h"

namespace gpuadvise {
namespace {

constexpr std::string_view kHead =
    "// Made from data/ by the data compiler.\n"
    "#include \"gpuadvise/knowledge.h\"\n\n"
    "namespace gpuadvise::tables {\nusing namespace std::literals;\nnamespace {\n";

// One file a table, so that they compile side by side.
struct Writer {
  std::filesystem::path folder;
  std::string declarations;
  std::string assignments;

  template <class T>
  void list(std::string_view key, std::span<const T>& rows) {
    base::Emitter emitter;
    const std::string top = emitter.array(rows);
    write(key, fmt::format("{}}}\nstd::span<const {}> {}() {{ return {}; }}\n}}\n", emitter.arrays(),
                           base::type_name<T>(), key, top));
    declarations += fmt::format("std::span<const {}> {}();\n", base::type_name<T>(), key);
    assignments += fmt::format("  {} = tables::{}();\n", place(key), key);
  }

  template <class T>
  void one(std::string_view key, T& value) {
    base::Emitter emitter;
    const std::string text = emitter.value(value);
    write(key, fmt::format("{0}constexpr {1} kValue = {2};\n}}\nconst {1}& {3}() {{ return kValue; }}\n}}\n",
                           emitter.arrays(), base::type_name<T>(), text, key));
    declarations += fmt::format("const {}& {}();\n", base::type_name<T>(), key);
    assignments += fmt::format("  {} = tables::{}();\n", place(key), key);
  }

  void write(std::string_view key, const std::string& body) const {
    std::ofstream out(folder / fmt::format("table_{}.cpp", key), std::ios::binary);
    out << kHead << body;
    if (!out.flush()) throw std::runtime_error("cannot write " + folder.string());
  }

  static std::string place(std::string_view key) {
    constexpr std::string_view kSuffix = "_calibration";
    if (key.ends_with(kSuffix)) {
      return fmt::format("k.calibration.{}", key.substr(0, key.size() - kSuffix.size()));
    }
    constexpr std::string_view kPlan = "plan_";
    if (key.starts_with(kPlan)) return fmt::format("k.plans.{}", key.substr(kPlan.size()));
    constexpr std::string_view kEmit = "emit_";
    if (key.starts_with(kEmit)) return fmt::format("k.emit.{}", key.substr(kEmit.size()));
    for (const std::string_view own : {"messages", "objectives", "hardware", "rules"}) {
      if (key == own) return fmt::format("k.{}", key);
    }
    return fmt::format("k.catalog.{}", key);
  }
};

void compile(const std::string& data, const std::filesystem::path& folder) {
  const LoadedKnowledge loaded = LoadedKnowledge::load({data}, nullptr);
  Knowledge knowledge = loaded.knowledge();
  Writer writer{folder, {}, {}};
  data::tables(writer, knowledge);
  std::ofstream out(folder / "table_knowledge.cpp", std::ios::binary);
  out << fmt::format(
      "// Made from data/ by the data compiler.\n"
      "#include \"gpuadvise/knowledge.h\"\n\n"
      "namespace gpuadvise {{\nnamespace tables {{\n{}}}\n\n"
      "const Knowledge& builtin_knowledge() {{\n"
      "  static const Knowledge knowledge = [] {{\n  Knowledge k;\n{}"
      "  k.catalog.date = \"{}\";\n  k.catalog.sha256 = \"{}\";\n  return k;\n  }}();\n"
      "  return knowledge;\n}}\n}}\n",
      writer.declarations, writer.assignments, knowledge.catalog.date, knowledge.catalog.sha256);
  if (!out.flush()) throw std::runtime_error("cannot write " + folder.string());
}

}  // namespace
}  // namespace gpuadvise

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: gpuadvise-datac DATA_FOLDER OUTPUT_FOLDER\n", stderr);
    return 2;
  }
  try {
    gpuadvise::compile(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
