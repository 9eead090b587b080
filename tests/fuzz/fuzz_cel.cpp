// Any bytes as a CEL expression, in both modes, evaluated and printed. What it must not do is crash, hang or read
// outside its memory; and an expression that the checker accepts never fails for want of an overload.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "gpuadvise/error.h"

#include "rules/cel/json.h"

using namespace gpuadvise;

namespace {

void run(cel::Evaluator& evaluator, std::string_view source, const cel::CompileOptions& options,
         std::span<const cel::Value> slots) {
  cel::Fault fault;
  const auto program = cel::compile(source, options, fault);
  if (!program) {
    if (fault.offset > source.size() || fault.message.empty()) std::abort();
    (void)cel::excerpt(source, fault.offset);
    return;
  }
  const cel::Value value = evaluator.evaluate(program->view(), slots);
  if (value.is_failure()) {
    if (value.text.empty()) std::abort();
    return;
  }
  try {
    (void)cel::to_json(value);
    (void)cel::to_typed_json(value);
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);  // NOLINT
  static cel::Evaluator evaluator(cel::Limits{100'000, std::size_t{1} << 20});
  static const cel::Value list[] = {cel::Value::of(std::int64_t{1}), cel::Value::of(2.5),
                                    cel::Value::of(std::string_view("a"))};
  static const cel::Value map[] = {cel::Value::of(std::string_view("a")), cel::Value::list(list)};
  static const cel::Variable variables[] = {{"x", {cel::TypeKind::integer}, {}}, {"y", {cel::TypeKind::real}, {}},
                                            {"s", {cel::TypeKind::string}, {}},  {"l", {cel::TypeKind::list}, {}},
                                            {"m.n", {cel::TypeKind::map}, {}},   {"u", {cel::TypeKind::boolean}, {}}};
  static const cel::Value slots[] = {
      cel::Value::of(std::int64_t{3}), cel::Value::of(1.5),  cel::Value::of(std::string_view("text")),
      cel::Value::list(list),          cel::Value::map(map), cel::Value::unknown("u")};
  run(evaluator, source, {cel::Mode::dynamic, variables, {}}, slots);
  run(evaluator, source, {cel::Mode::checked, variables, {}}, slots);
  (void)cel::answer_batch_line(source, evaluator);
  return 0;
}
