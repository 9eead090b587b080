#include "catch.h"
#include "estimate/name_match.h"

using namespace gpuadvise;

TEST_CASE("names match without case and punctuation", "[apps]") {
  CHECK(same_name("H.264", "h264"));
  CHECK_FALSE(same_name("H.264", "h2645"));
  CHECK_FALSE(same_name("H.2645", "h264"));
  CHECK(same_name("", ""));
  CHECK(name_begins("YOLOv6-N (v0.4)", "yolov6-n"));
  CHECK_FALSE(name_begins("YOLOv6-N", "yolov6-nano"));
  CHECK_FALSE(name_begins("anything", ""));
  CHECK(name_holds("built-in benchmark, FP16C storage", "fp16c"));
  CHECK_FALSE(name_holds("FP16S", "fp16c"));
  CHECK(name_holds("anything", ""));
}
