// The compiled-in facts: enough of them, consistent with each other, and right where everybody knows the answer.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "gpuadvise/knowledge.h"

#include "catch.h"

namespace gpuadvise {
namespace {

const Catalog& catalog() { return builtin_knowledge().catalog; }

const Family& family(std::string_view vendor, std::string_view name) {
  for (const auto& f : catalog().families) {
    if (f.vendor == vendor && f.name == name) return f;
  }
  FAIL("no family " << vendor << "/" << name);
  return catalog().families.front();
}

const InstanceType& type(const Family& f, std::string_view name) {
  for (const auto& t : f.types) {
    if (t.name == name) return t;
  }
  FAIL("no type " << name);
  return f.types.front();
}

const Accelerator& card(std::string_view id) {
  for (const auto& a : catalog().accelerators) {
    if (a.id == id) return a;
  }
  FAIL("no accelerator " << id);
  return catalog().accelerators.front();
}

bool contains(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

TEST_CASE("the catalog is as large as the vendors' own tables", "[data]") {
  std::size_t types = 0;
  std::set<std::string_view> vendors;
  for (const auto& f : catalog().families) {
    types += f.types.size();
    vendors.insert(f.vendor);
  }
  CHECK(catalog().accelerators.size() >= 84);
  CHECK(catalog().families.size() >= 179);
  CHECK(types >= 485);
  CHECK(catalog().prices.size() >= 871);
  CHECK(catalog().export_rules.size() >= 11);
  CHECK(catalog().names.size() >= 16);
  CHECK(vendors == std::set<std::string_view>{"alibaba", "huawei", "tencent"});
  CHECK(catalog().more_types.empty());
}

TEST_CASE("well-known families carry the card that the vendor documents", "[data]") {
  struct Fact {
    std::string_view vendor, family, accelerator, interconnect;
  };
  // Each is a vendor's own statement, and each is told wrong in some guide.
  constexpr std::array<Fact, 20> kFacts = {{
      {"alibaba", "gn6v", "nvidia-v100-sxm2-16gb", "nvlink"},
      {"alibaba", "gn6e", "nvidia-v100-sxm2-32gb", "nvlink"},
      {"alibaba", "gn6i", "nvidia-t4", "pcie"},
      {"alibaba", "gn7", "nvidia-a100-sxm4-40gb", "nvlink"},
      {"alibaba", "gn7e", "nvidia-a100-sxm4-80gb", "nvlink"},
      {"alibaba", "gn7i", "nvidia-a10", "pcie"},
      {"alibaba", "gn7s", "nvidia-a30", "pcie"},
      {"alibaba", "gn8is", "nvidia-l20", "pcie"},
      {"alibaba", "gn8v", "nvidia-h20-96gb", "nvlink"},
      {"alibaba", "ga1", "amd-firepro-s7150", "pcie"},
      {"tencent", "GN10Xp", "nvidia-v100-sxm2-32gb", "nvlink"},
      {"tencent", "GN8", "nvidia-p40", "pcie"},
      {"tencent", "GN7", "nvidia-t4", "pcie"},
      {"tencent", "GT4", "nvidia-a100-sxm4-40gb", "nvlink"},
      {"tencent", "PNV4", "nvidia-a10", "pcie"},
      {"huawei", "p2s", "nvidia-v100-pcie-32gb", "pcie"},
      {"huawei", "p2v", "nvidia-v100-sxm2-16gb", "nvlink"},
      {"huawei", "pi2", "nvidia-t4", "pcie"},
      {"huawei", "p3", "nvidia-a100-pcie-80gb", "pcie"},
      {"huawei", "p5s", "nvidia-h100-pcie-80gb", "pcie"},
  }};
  for (const auto& fact : kFacts) {
    INFO(fact.vendor << "/" << fact.family);
    const Family& f = family(fact.vendor, fact.family);
    CHECK(f.accelerator == fact.accelerator);
    CHECK(f.interconnect == fact.interconnect);
  }
  CHECK(family("alibaba", "gn6e").interconnect_gb_per_s == 300);
  CHECK(family("tencent", "GT4").interconnect_gb_per_s == 600);
  CHECK(family("alibaba", "gn8v").accelerator_named_by == NamedBy::third_party);  // the vendor prints no name
  CHECK(family("alibaba", "sccgn7ex").types.front().rdma_gbps == 800);
}

TEST_CASE("sizes that are easily mixed up", "[data]") {
  const Family& gn7 = family("tencent", "GN7");
  CHECK(type(gn7, "GN7.2XLARGE40").accelerators == 0.5);
  CHECK(type(gn7, "GN7.2XLARGE40").slice);
  CHECK(type(gn7, "GN7.2XLARGE32").accelerators == 1);
  CHECK_FALSE(type(gn7, "GN7.2XLARGE32").slice);
  // The vendor's interface says "NVIDIA A10*0.5", count 1: half a card of 12 GB, and a slice.
  const InstanceType& half = type(family("alibaba", "vgn7i-vws"), "ecs.vgn7i-vws-m12.3xlarge");
  CHECK(half.accelerators == 0.5);
  CHECK(half.accelerator_memory_gib == 12);
  CHECK(half.slice);
  const InstanceType& t4 = type(family("alibaba", "gn6i"), "ecs.gn6i-c4g1.xlarge");
  CHECK(t4.vcpus == 4);
  CHECK(t4.memory_gib == 15);
  // Joined from a file of its own, under another licence.
  CHECK(type(family("alibaba", "gn7"), "ecs.gn7-c13g1.6xlarge").status == Status::unconfirmed);
  // A flavor name counts differently from the chip in it.
  CHECK(type(family("huawei", "snt9b"), "modelarts.bm.npu.arm.4snt9b1").accelerator == "huawei-ascend-910b4");
}

TEST_CASE("cards carry the maker's figures", "[data]") {
  CHECK(card("nvidia-a100-sxm4-80gb").memory_bandwidth_gb_per_s == 2039);
  CHECK(card("nvidia-a100-pcie-80gb").memory_bandwidth_gb_per_s == 1935);
  CHECK(card("nvidia-a100-sxm4-80gb").peak.bf16 == 312);
  CHECK(card("nvidia-h100-sxm5-80gb").link_gb_per_s == 900);
  CHECK(card("nvidia-h20-96gb").peak.bf16 == 148);
  CHECK(card("nvidia-h800-sxm-80gb").link_gb_per_s == 400);
  CHECK(card("nvidia-l20").usable_memory_gib == 44);
  CHECK(card("nvidia-rtx-4090").peak.fp16 == 165.2);  // fp32 accumulate, not the faster rate
  CHECK(card("nvidia-rtx-3090-24gb").peak.fp16_fp16_accumulate == 142.3);
  CHECK(card("nvidia-v100-sxm2-32gb").peak.bf16 == std::nullopt);  // Volta has no bf16
  CHECK(card("nvidia-t4").peak.bf16 == std::nullopt);
  CHECK(card("nvidia-a100-sxm4-80gb").peak.fp8 == std::nullopt);
  CHECK(card("nvidia-a100-sxm4-80gb").rt_core_count == 0);
  CHECK(card("nvidia-a100-sxm4-80gb").nvenc_count == 0);
  CHECK(card("nvidia-a10").link == "none");
  CHECK(card("huawei-ascend-910b3").software_stack == "cann");
}

TEST_CASE("every card of a family is known, and counts times memory is the total", "[data]") {
  std::set<std::string> names;
  for (const auto& f : catalog().families) {
    INFO(f.vendor << "/" << f.name);
    if (!f.accelerator.empty()) CHECK(card(f.accelerator).id == f.accelerator);
    CHECK_FALSE((f.accelerator.empty() && f.accelerator_note.empty()));
    for (const auto& t : f.types) {
      INFO(t.name);
      CHECK(names.insert(lower(t.name)).second);
      CHECK((t.accelerator_index >= 0) == (!t.accelerator.empty() || !f.accelerator.empty()));
      if (t.accelerators && t.accelerator_memory_gib) {
        REQUIRE(t.accelerator_memory_total_gib.has_value());
        const double cards = t.slice ? 1 : *t.accelerators;
        CHECK(*t.accelerator_memory_total_gib == Approx(cards * *t.accelerator_memory_gib));
      }
      if (t.slice && t.accelerators) CHECK(*t.accelerators <= 1);
      if (t.accelerator_index >= 0 && t.accelerator_memory_gib) {
        const auto& a = catalog().accelerators[static_cast<std::size_t>(t.accelerator_index)];
        if (a.memory_gib) CHECK(*t.accelerator_memory_gib <= *a.memory_gib * 1.01);
      }
    }
  }
}

TEST_CASE("what cannot be bought plainly is kept out, or says so in both languages", "[data]") {
  for (const auto& f : catalog().families) {
    INFO(f.vendor << "/" << f.name);
    CHECK_FALSE(f.title.en.empty());
    CHECK_FALSE(f.title.zh.empty());
    CHECK(f.caveat.en.empty() == f.caveat.zh.empty());
    CHECK(f.often_said.en.empty() == f.often_said.zh.empty());
    const bool out = f.status == Status::preview || f.status == Status::retired || f.status == Status::undocumented ||
                     f.status == Status::not_recommended || !f.platform.empty();
    if (out) CHECK_FALSE(f.default_search);
    if (!f.default_search || f.status == Status::restricted || f.status == Status::unconfirmed) {
      CHECK_FALSE(f.caveat.en.empty());
    }
  }
  CHECK(family("huawei", "p3").platform == "Open Telekom Cloud");
  CHECK_FALSE(family("alibaba", "poc-test").default_search);
}

TEST_CASE("successors are newer families that can be bought", "[data]") {
  for (const auto& f : catalog().families) {
    for (const auto name : f.successors) {
      INFO(f.name << " -> " << name);
      const Status status = family(f.vendor, name).status;
      CHECK(name != f.name);
      CHECK(status != Status::retired);
      CHECK(status != Status::undocumented);
    }
  }
}

TEST_CASE("the names of the guides resolve to what is documented", "[data]") {
  struct Row {
    std::string_view vendor, name, nearest;
    bool documented;
  };
  constexpr std::array<Row, 18> kRows = {{
      {"alibaba", "gn6v", "gn6v", true},
      {"alibaba", "gn6e", "gn6i", true},
      {"alibaba", "gn7", "gn7e", true},
      {"alibaba", "gn7i", "gn7i", true},
      {"alibaba", "gn7v", "gn7e", false},
      {"alibaba", "gn7m", "gn7i", false},
      {"alibaba", "gn8", "gn8v", false},
      {"alibaba", "ga1", "ga1", true},
      {"alibaba", "ga2", "gn8v", false},
      {"alibaba", "gn9i", "gn8is", false},
      {"alibaba", "gn9s", "gn8is", false},
      {"alibaba", "gn10", "gn8is", false},
      {"tencent", "GN9", "GN10Xp", false},
      {"tencent", "GN10", "GN10Xp", false},
      {"huawei", "P3", "p3", true},
      {"huawei", "PV5", "p2v", false},
      {"huawei", "Ascend 910B", "snt9b", true},
      {"alibaba", "ecs.gn6i-c4g1xlarge", "gn6i", false},
  }};
  for (const auto& row : kRows) {
    INFO(row.vendor << "/" << row.name);
    const auto& names = catalog().names;
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const NameNote& n) { return n.vendor == row.vendor && n.name == row.name; });
    REQUIRE(found != names.end());
    CHECK(found->documented == row.documented);
    CHECK(contains(found->nearest, row.nearest));
    CHECK_FALSE(found->said.zh.empty());
    CHECK_FALSE(found->truth.zh.empty());
  }
}

TEST_CASE("export rules that cards cite exist", "[data]") {
  std::set<std::string_view> rules;
  for (const auto& r : catalog().export_rules) rules.insert(r.id);
  for (const auto& a : catalog().accelerators) {
    for (const auto id : a.export_rules) CHECK(rules.count(id) == 1);
  }
  CHECK(contains(card("nvidia-h100-sxm5-80gb").export_rules, "us-2023-10-17"));
}

TEST_CASE("an alias names one card", "[data]") {
  std::set<std::string> seen;
  for (const auto& a : catalog().accelerators) {
    std::set<std::string> own = {lower(a.id), lower(a.name)};
    for (const auto alias : a.aliases) own.insert(lower(alias));
    for (const auto& word : own) {
      INFO(word);
      CHECK(seen.insert(word).second);
    }
  }
}

// Rows that rest on the dump alone must stay in the file that carries its licence.
TEST_CASE("facts under another licence stay in their folder", "[data]") {
  const std::filesystem::path data = std::filesystem::path(GPUADVISE_SOURCE_DIR) / "data";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "families")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    INFO(entry.path().filename().string());
    CHECK(text.str().find("sources: [api_dump_2026_01]") == std::string::npos);
  }
  CHECK(files >= 145);
  CHECK(std::filesystem::exists(data / "third_party" / "LICENSE-CC-BY-SA-4.0"));
  for (const auto& s : catalog().sources) {
    if (s.id == "api_dump_2026_01") CHECK(s.licence == "CC BY-SA 4.0");
  }
}

}  // namespace
}  // namespace gpuadvise
