// Names as people type them.
#include <algorithm>

#include "gpuadvise/knowledge.h"

#include "catalog/lookup.h"
#include "catch.h"

namespace gpuadvise {
namespace {

const Catalog& catalog() { return builtin_knowledge().catalog; }

bool finds_family(std::string_view asked, std::string_view vendor, std::string_view name) {
  const auto request = find_families(catalog(), asked);
  return std::any_of(request.families.begin(), request.families.end(),
                     [&](const Family* f) { return f->vendor == vendor && f->name == name; });
}

TEST_CASE("instance types are found in any case, with or without the prefix", "[lookup]") {
  const Family* family = nullptr;
  for (const auto name : {"GN10Xp.2XLARGE40", "gn10xp.2xlarge40", "Tencent GN10Xp.2XLARGE40",
                          "tencent/gn10xp.2xlarge40", "  gn10xp.2xlarge40 "}) {
    INFO(name);
    const InstanceType* type = find_type(catalog(), name, &family);
    REQUIRE(type != nullptr);
    CHECK(type->name == "GN10Xp.2XLARGE40");
    CHECK(family->name == "GN10Xp");
  }
  for (const auto name : {"ecs.gn7e-c16g1.4xlarge", "gn7e-c16g1.4xlarge", "ECS.GN7E-C16G1.4XLARGE",
                          "阿里云 gn7e-c16g1.4xlarge", "Alibaba Cloud ecs.gn7e-c16g1.4xlarge"}) {
    INFO(name);
    const InstanceType* type = find_type(catalog(), name);
    REQUIRE(type != nullptr);
    CHECK(type->name == "ecs.gn7e-c16g1.4xlarge");
  }
  CHECK(find_type(catalog(), "huawei gn10xp.2xlarge40") == nullptr);  // another vendor's
  CHECK(find_type(catalog(), "") == nullptr);
}

TEST_CASE("families are found, and a vendor in front narrows", "[lookup]") {
  CHECK(finds_family("Alibaba gn6v", "alibaba", "gn6v"));
  CHECK(finds_family("alibaba/gn6v", "alibaba", "gn6v"));
  CHECK(finds_family("GN7", "alibaba", "gn7"));
  CHECK(finds_family("GN7", "tencent", "GN7"));
  CHECK(finds_family("tencent gn7", "tencent", "GN7"));
  CHECK_FALSE(finds_family("tencent gn7", "alibaba", "gn7"));
  CHECK(find_families(catalog(), "nonsense").families.empty());
}

TEST_CASE("every name of the names table resolves as the table says", "[lookup]") {
  REQUIRE(catalog().names.size() >= 18);
  for (const auto& note : catalog().names) {
    INFO(note.vendor << "/" << note.name);
    const std::string asked = std::string(note.vendor) + " " + std::string(note.name);
    const auto matches = find_name(catalog(), asked);
    CHECK(std::any_of(matches.begin(), matches.end(), [&](const NameMatch& m) { return m.note == &note; }));
    const auto request = find_families(catalog(), asked);
    CHECK(request.note == &note);
    CHECK(request.families.empty() == note.nearest.empty());  // a disk level or a price claim has no family
    for (const auto nearest : note.nearest) {
      INFO(nearest);
      if (!note.documented) CHECK(finds_family(asked, note.vendor, nearest));
    }
    for (const Family* family : request.families) CHECK(family->vendor == note.vendor);
  }
}

TEST_CASE("the misspelt type of the guides leads to the real one", "[lookup]") {
  const auto matches = find_name(catalog(), "ecs.gn6i-c4g1xlarge");
  REQUIRE(matches.size() == 1);
  REQUIRE(matches.front().note != nullptr);
  CHECK(matches.front().note->truth.en.find("ecs.gn6i-c4g1.xlarge") != std::string_view::npos);
  CHECK(finds_family("ecs.gn6i-c4g1xlarge", "alibaba", "gn6i"));
}

TEST_CASE("a name that both a vendor and a mistake use means both, until the vendor is named", "[lookup]") {
  CHECK(finds_family("GN8", "tencent", "GN8"));
  CHECK(finds_family("GN8", "alibaba", "gn8v"));
  CHECK_FALSE(finds_family("Tencent GN8", "alibaba", "gn8v"));
}

TEST_CASE("cards are found by id, name and alias", "[lookup]") {
  for (const auto name : {"nvidia-t4", "NVIDIA-T4", "T4"}) {
    INFO(name);
    REQUIRE(find_accelerator(catalog(), name) != nullptr);
    CHECK(find_accelerator(catalog(), name)->id == "nvidia-t4");
  }
  for (const auto& a : catalog().accelerators) {
    CHECK(find_accelerator(catalog(), a.id) == &a);
    CHECK(find_accelerator(catalog(), a.name) == &a);
  }
  CHECK(find_accelerator(catalog(), "no-such-card") == nullptr);
}

TEST_CASE("vendors are found by id, name and alias", "[lookup]") {
  for (const auto name : {"alibaba", "Alibaba Cloud", "阿里云", "aliyun"}) {
    INFO(name);
    REQUIRE(find_vendor(catalog(), name) != nullptr);
    CHECK(find_vendor(catalog(), name)->id == "alibaba");
  }
  CHECK(find_vendor(catalog(), "aws") == nullptr);
}

TEST_CASE("an unknown name gives real ones, nearest first, across vendors", "[lookup]") {
  const auto near = nearest_names(catalog(), "gn10xp.2xlarge41");
  REQUIRE(near.size() == 3);
  CHECK(near.front() == "GN10Xp.2XLARGE40");
  for (const auto name : near) CHECK_FALSE(find_name(catalog(), name).empty());
  CHECK(nearest_names(catalog(), "ecs.gn7e-c16g1.4xlargee").front() == "ecs.gn7e-c16g1.4xlarge");
}

// Every family and type is found by its own name, so nothing in the catalog is out of reach.
TEST_CASE("everything in the catalog can be named", "[lookup]") {
  for (const auto& f : catalog().families) {
    INFO(f.vendor << "/" << f.name);
    CHECK(finds_family(std::string(f.vendor) + " " + std::string(f.name), f.vendor, f.name));
    if (f.types.empty()) continue;
    const Family* family = nullptr;
    CHECK(find_type(catalog(), f.types.front().name, &family) == &f.types.front());
    CHECK(family == &f);
  }
}

}  // namespace
}  // namespace gpuadvise
