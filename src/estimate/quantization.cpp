#include "estimate/memory_lookup.h"
#include "estimate/quantization.h"
#include "workload/profile_fields.h"

namespace gpuadvise {

double precision_bytes(const MemoryCalibration& c, Precision precision) {
  const auto words = names(Precision{});
  const auto* format = find_weight_format(c, words[static_cast<std::size_t>(precision)]);
  return format == nullptr ? 2 : format->bytes;
}

double weight_bytes(const MemoryCalibration& c, std::string_view format, const ModelShape& shape) {
  const auto* f = find_weight_format(c, format);
  const double bytes = f == nullptr ? 2 : f->bytes;
  if (!shape.known) return shape.params * bytes;
  const double table = f != nullptr && f->embedding_bytes ? *f->embedding_bytes : bytes;
  const bool apart = f != nullptr && f->untied.value_or(0) > 0 && shape.head <= 0;
  return (shape.embedding * (apart ? 2 : 1) + shape.head) * table + (shape.body + shape.experts) * bytes;
}

}  // namespace gpuadvise
