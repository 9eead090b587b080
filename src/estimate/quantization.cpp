#include "estimate/quantization.h"

#include "estimate/memory_lookup.h"
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
  return (shape.embedding + shape.head) * table + (shape.body + shape.experts) * bytes;
}

}  // namespace gpuadvise
