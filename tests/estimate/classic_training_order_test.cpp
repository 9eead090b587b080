// Vision, recommenders and BERT: cards come in the order in which one source measured them on the same work. Each chain
// is one configuration of a published table (NVIDIA DeepLearningExamples, Lambda's PyTorch benchmarks); neighbours that
// were measured within 5 % of each other are left out.
#include <string_view>
#include <vector>

#include "gpuadvise/advise.h"

#include "catch.h"

namespace gpuadvise {
namespace {

struct Chain {
  std::string_view task;
  std::string_view model;
  Precision precision;
  std::string_view framework;
  int micro_batch;
  int cards;
  std::vector<std::string_view> slowest_first;
};

double speed(const Chain& chain, std::string_view card) {
  Profile p;
  p.task = chain.task;
  p.model.name = chain.model;
  p.training.method = Method::full;
  p.training.precision = chain.precision;
  p.training.framework = chain.framework;
  p.training.micro_batch = chain.micro_batch;
  p.training.global_batch = chain.micro_batch * chain.cards;
  if (chain.task.starts_with("llm")) p.training.sequence_length = chain.task == "llm-pretrain" ? 128 : 384;
  p.hardware.accelerator = card;
  p.hardware.accelerators_per_node = chain.cards;
  p.hardware.interconnect = chain.cards > 1 ? LinkKind::nvlink : LinkKind::none;
  return estimate(p, builtin_knowledge()).estimate.speed.samples_per_second.value_or(0);
}

const std::vector<Chain>& chains() {
  static const std::vector<Chain> all = {
      {"cv-training",
       "resnet50",
       Precision::fp16,
       "pytorch",
       1280,
       1,
       {"nvidia-a100-pcie-80gb", "nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"}},
      {"cv-training",
       "resnet50",
       Precision::fp16,
       "pytorch",
       448,
       1,
       {"nvidia-a10", "nvidia-rtx-3090-24gb", "nvidia-rtx-4090"}},
      {"cv-training",
       "resnet50",
       Precision::fp16,
       "pytorch",
       928,
       1,
       {"nvidia-quadro-rtx-8000-48gb", "nvidia-rtx-a6000", "nvidia-rtx-6000-ada"}},
      {"cv-training", "resnet50", Precision::fp16, "mxnet", 256, 8, {"nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-80gb"}},
      {"cv-training",
       "ssd300-resnet50",
       Precision::fp16,
       "pytorch",
       448,
       1,
       {"nvidia-a100-pcie-80gb", "nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"}},
      {"cv-training", "ssd300-resnet50", Precision::fp16, "pytorch", 140, 1, {"nvidia-a10", "nvidia-rtx-3090-24gb"}},
      {"cv-training",
       "mask-rcnn-resnet50-fpn",
       Precision::fp16,
       "pytorch",
       12,
       8,
       {"nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-80gb"}},
      {"recsys-training",
       "ncf-ml20m",
       Precision::fp16,
       "pytorch",
       131072,
       8,
       {"nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-40gb"}},
      {"llm-finetune",
       "bert-base",
       Precision::fp16,
       "pytorch",
       320,
       1,
       {"nvidia-a100-pcie-80gb", "nvidia-h100-pcie-80gb", "nvidia-h100-sxm5-80gb"}},
      {"llm-finetune",
       "bert-large",
       Precision::fp16,
       "pytorch",
       28,
       1,
       {"nvidia-a10", "nvidia-rtx-3090-24gb", "nvidia-rtx-4090"}},
      {"llm-finetune", "bert-large", Precision::tf32, "pytorch", 32, 1, {"nvidia-rtx-a6000", "nvidia-rtx-6000-ada"}},
      {"llm-pretrain",
       "bert-large",
       Precision::fp16,
       "tensorflow",
       64,
       1,
       {"nvidia-v100-sxm2-32gb", "nvidia-a100-sxm4-40gb"}},
  };
  return all;
}

TEST_CASE("vision, recommender and BERT training put cards in the measured order", "[apps][order]") {
  for (const Chain& chain : chains()) {
    for (std::size_t i = 0; i + 1 < chain.slowest_first.size(); ++i) {
      const auto slower = chain.slowest_first[i];
      const auto faster = chain.slowest_first[i + 1];
      INFO(chain.model << ": " << slower << " before " << faster);
      const double least = speed(chain, slower);
      CHECK(least > 0);
      CHECK(least < speed(chain, faster));
    }
  }
}

TEST_CASE("a recommender that nobody measured is told by ratio, not by a figure", "[apps]") {
  Profile p;
  p.task = "recsys-training";
  p.model.name = "dlrm";
  p.hardware.accelerator = "nvidia-v100-sxm2-32gb";
  const SpeedEstimate dlrm = estimate(p, builtin_knowledge()).estimate.speed;
  CHECK(dlrm.known);
  CHECK_FALSE(dlrm.samples_per_second);
  REQUIRE(dlrm.relative);
  CHECK(*dlrm.relative > 0.2);
  CHECK(*dlrm.relative < 0.8);
}

}  // namespace
}  // namespace gpuadvise
