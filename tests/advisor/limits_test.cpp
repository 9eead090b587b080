// Limits of the request that say where and which: regions and export rules.
#include <algorithm>
#include <set>

#include "gpuadvise/advise.h"
#include "gpuadvise/emit.h"

#include "builtin_rules.h"
#include "catalog/regions.h"
#include "catch.h"

namespace gpuadvise::test {
namespace {

using Names = std::vector<std::string_view>;

const Knowledge& knowledge() { return builtin_knowledge(); }

Profile serving() {
  Profile profile;
  profile.task = "llm-inference";
  profile.model.params = 7e9;
  return profile;
}

Advice advise(const Profile& profile) {
  RecommendOptions options;
  options.exhaustive = true;
  options.top = 1000;  // warnings are filled for what is shown
  return recommend(profile, knowledge(), rules(), options);
}

std::set<std::string_view> cards_of(const Advice& advice) {
  std::set<std::string_view> out;
  for (const auto& r : advice.recommendations) out.insert(r.machine.accelerator->id);
  return out;
}

TEST_CASE("a region that a vendor does not have turns its types away", "[advisor]") {
  const Names region = {"us-east-1"};
  for (const std::string_view vendor : {"huawei", "tencent"}) {
    const Names vendors = {vendor};
    Profile profile = serving();
    profile.constraints.regions = region;
    profile.constraints.vendors = vendors;
    const Advice advice = advise(profile);
    INFO(vendor);
    CHECK(advice.recommendations.empty());
    REQUIRE_FALSE(advice.rejected.empty());
    CHECK(std::any_of(advice.rejected.begin(), advice.rejected.end(), [](const auto& r) {
      return r.reason.rule == "limits/region" && r.reason.text.find("us-east-1") != std::string::npos;
    }));
  }
}

TEST_CASE("whatever is answered for a region is sold there or says that it is not known", "[advisor]") {
  for (const std::string_view region : {"us-east-1", "cn-hangzhou", "ap-guangzhou", "cn-north-4", "na-*"}) {
    const Names regions = {region};
    Profile profile = serving();
    profile.constraints.regions = regions;
    for (const auto& r : advise(profile).recommendations) {
      const Sold sold = sold_in(knowledge().catalog, *r.family, region);
      INFO(region << " " << r.type->name);
      CHECK(sold != Sold::no);
      CHECK(says(r.warnings, "limits/region-unknown") == (sold == Sold::unknown));
    }
  }
}

TEST_CASE("the region of an emitted file is one of the pick's vendor", "[advisor]") {
  const Names regions = {"us-east-1", "ap-guangzhou"};
  const Names vendors = {"tencent"};
  Profile profile = serving();
  profile.constraints.regions = regions;
  profile.constraints.vendors = vendors;
  const std::string text = emit("terraform", advise(profile), knowledge(), Lang::en);
  CHECK(text.find("default = \"ap-guangzhou\"") != std::string::npos);
  CHECK(text.find("us-east-1") == std::string::npos);
}

TEST_CASE("unrestricted cards are neither named by a rule nor above its limit", "[advisor]") {
  Profile profile = serving();
  const auto all = cards_of(advise(profile));
  REQUIRE(all.contains("nvidia-rtx-4090-48gb"));
  REQUIRE(all.contains("nvidia-rtx-5090"));
  profile.constraints.export_unrestricted = true;
  const auto free = cards_of(advise(profile));
  CHECK(free.contains("nvidia-l20"));
  for (const auto& card : knowledge().catalog.accelerators) {
    constexpr double kLimit = 4800;
    const bool reaches = card.maker == "NVIDIA" &&
                         (16 * card.peak.fp16.value_or(0) >= kLimit || 8 * card.peak.int8.value_or(0) >= kLimit);
    INFO(card.id);
    if (reaches || !card.export_rules.empty()) CHECK_FALSE(free.contains(card.id));
  }
}

}  // namespace
}  // namespace gpuadvise::test
