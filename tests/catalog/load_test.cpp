// The loader: what breaks the form or a cross-check is refused with its place; overlays replace rows.
#include <fmt/format.h>

#include "gpuadvise/error.h"
#include "gpuadvise/knowledge.h"

#include "catalog/lookup.h"
#include "catch.h"
#include "run_program.h"

namespace gpuadvise {
namespace {

using test::TempFile;

// A family in the form of data/families, whole and right; `change` replaces `what` in it.
std::string family(std::string_view what = "", std::string_view change = "") {
  std::string text =
      "sources:\n"
      "  - {id: test-source, kind: vendor, title: A page, where: 'https://example.com', date: '2026-01-01'}\n"
      "families:\n"
      "  - vendor: tencent\n"
      "    name: TEST1\n"
      "    title: {en: Test, zh: 测试}\n"
      "    product: CVM GPU\n"
      "    status: current\n"
      "    default_search: true\n"
      "    accelerator: nvidia-t4\n"
      "    accelerator_named_by: vendor\n"
      "    interconnect: pcie\n"
      "    sources: [test-source]\n"
      "    date: '2026-01-01'\n"
      "    types:\n"
      "      - name: TEST1.LARGE\n"
      "        vcpus: 8\n"
      "        memory_gib: 32\n"
      "        accelerators: 2\n"
      "        accelerator_memory_gib: 16\n"
      "        accelerator_memory_total_gib: 32\n"
      "        sources: [test-source]\n";
  if (const auto at = text.find(what); !what.empty() && at != std::string::npos) text.replace(at, what.size(), change);
  return text;
}

std::string error_of(std::string_view text) {
  const TempFile file(text, ".yaml");
  try {
    LoadedKnowledge::load({file.path()}, &builtin_knowledge());
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.starts_with(file.path()) ? what.substr(file.path().size()) : "not of the file: " + what;
  }
  return "no error";
}

void refused(std::string_view what, std::string_view change, std::string_view place, std::string_view message) {
  const std::string error = error_of(family(what, change));
  INFO(change << " -> " << error);
  CHECK(error.starts_with(place));
  CHECK(error.find(message) != std::string::npos);
}

TEST_CASE("a family of one's own joins the catalog", "[load]") {
  const TempFile file(family(), ".yaml");
  const auto loaded = LoadedKnowledge::load({file.path()}, &builtin_knowledge());
  const Catalog& c = loaded.knowledge().catalog;
  CHECK(c.families.size() == builtin_knowledge().catalog.families.size() + 1);
  CHECK(c.sha256 != builtin_knowledge().catalog.sha256);
  const InstanceType* type = find_type(c, "test1.large");
  REQUIRE(type != nullptr);
  REQUIRE(accelerator_of(c, *type) != nullptr);
  CHECK(accelerator_of(c, *type)->id == "nvidia-t4");
}

TEST_CASE("unknown keys and words are refused with their place and the nearest that exists", "[load]") {
  refused("vcpus: 8", "vcpu: 8", ":17:9: ", "did you mean \"vcpus\"?");
  refused("product: CVM", "prodcut: CVM", ":7:5: ", "did you mean \"product\"?");
  refused("families:", "familes:", ":3:1: ", "did you mean \"families\"?");
  refused("status: current", "status: curent", ":8:13: ", "did you mean \"current\"?");
  refused("vcpus: 8", "vcpus: eight", ":17:16: ", "expected");
  refused("vcpus: 8", "vcpus: 8.5", ":17:16: ", "whole number");
  refused("    name: TEST1\n", "", ":4:5: ", "name is missing");
}

TEST_CASE("references must lead somewhere", "[load]") {
  refused("accelerator: nvidia-t4", "accelerator: nvidia-t44", ":4:5: ", "did you mean \"nvidia-t4\"?");
  refused("vendor: tencent", "vendor: tencnet", ":4:5: ", "did you mean \"tencent\"?");
  refused("    sources: [test-source]\n    date", "    sources: [test-sorce]\n    date",
          ":4:5: ", "did you mean \"test-source\"?");
  refused("    date: '2026-01-01'\n    types", "    successors: [TEST2]\n    date: '2026-01-01'\n    types",
          ":4:5: ", "is not a family of tencent");
}

TEST_CASE("sums and ranges must hold", "[load]") {
  refused("total_gib: 32", "total_gib: 48", ":4:5: ", "2 x 16 GiB is 32 GiB, not 48 GiB");
  refused("accelerator_memory_gib: 16", "accelerator_memory_gib: 15", ":4:5: ", "");
  refused("accelerators: 2", "accelerators: 0.5", ":4:5: ", "not marked slice");
  refused("vcpus: 8", "vcpus: 0", ":4:5: ", "plausible");
  refused("date: '2026-01-01'\n    types", "date: 'spring'\n    types", ":4:5: ", "YYYY");
  refused("default_search: true", "default_search: false", ":4:5: ", "no caveat");
}

TEST_CASE("nothing stands twice", "[load]") {
  const std::string row =
      "families:\n"
      "  - {vendor: tencent, name: A, title: {en: a, zh: a}, product: p, status: current, default_search: true, "
      "accelerator_named_by: vendor, sources: [td_cn_compute], date: 2026-01-01}\n";
  CHECK(error_of(row) == "no error");
  const std::string twice = row + row.substr(row.find('\n') + 1);
  CHECK(error_of(twice).find("\"tencent/A\" stands here and at ") != std::string::npos);
  refused("name: TEST1.LARGE", "name: GN7.2XLARGE32", ":4:5: ", "stands twice in the catalog");
}

TEST_CASE("an overlay's row takes the place of the built-in row of its name", "[load]") {
  const Catalog& ours = builtin_knowledge().catalog;
  const auto t4 = [](const Catalog& c) { return *find_accelerator(c, "nvidia-t4"); };
  const TempFile file(
      "accelerators:\n  - {id: nvidia-t4, name: NVIDIA T4, maker: NVIDIA, software_stack: cuda, memory_gib: 16, tdp_w: "
      "71, confidence: high, "
      "sources: [td_cn_compute], date: '2026-01-01'}\n",
      ".yaml");
  const auto loaded = LoadedKnowledge::load({file.path()}, &builtin_knowledge());
  const Catalog& c = loaded.knowledge().catalog;
  CHECK(c.accelerators.size() == ours.accelerators.size());
  CHECK(t4(c).tdp_w == 71);
  CHECK(t4(ours).tdp_w != 71);
  // The row is replaced, not merged: what it does not say is unknown.
  CHECK_FALSE(t4(c).memory_bandwidth_gb_per_s.has_value());
}

TEST_CASE("--catalog-only searches the user's facts alone", "[load]") {
  const std::string card =
      "accelerators:\n  - {id: my-card, name: My Card, maker: NVIDIA, software_stack: cuda, memory_gib: 16, "
      "confidence: high, "
      "sources: [test-source], date: '2026-01-01'}\n";
  const TempFile file(family("nvidia-t4", "my-card") + card, ".yaml");
  const auto list = test::run_program({"catalog", "list", "--catalog-only", file.path()});
  CHECK(list.code == 0);
  CHECK(list.err.empty());
  CHECK(list.out.find("TEST1.LARGE") != std::string::npos);
  CHECK(list.out.find("gn7") == std::string::npos);
  const auto valid = test::run_program({"catalog", "validate", file.path()});
  CHECK(valid.code == 0);
}

}  // namespace
}  // namespace gpuadvise
