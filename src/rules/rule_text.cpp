#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "rules/cel/value.h"
#include "rules/rule_text.h"

namespace gpuadvise {

std::string walk_text(std::string_view text, const std::function<void(std::string_view)>& literal,
                      const std::function<void(const Placeholder&)>& placeholder) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto brace = text.find_first_of("{}", at);
    literal(text.substr(at, brace - at));
    if (brace == std::string_view::npos) return {};
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
      literal(text.substr(brace, 1));
      at = brace + 2;
      continue;
    }
    if (text[brace] == '}') return "a \"}\" without its \"{\"; write }} for a brace";
    const auto close = text.find_first_of("{}", brace + 1);
    if (close == std::string_view::npos || text[close] == '{') return "a \"{\" without its \"}\"; write {{ for a brace";
    const auto inner = text.substr(brace + 1, close - brace - 1);
    const auto colon = inner.find(':');
    placeholder({inner.substr(0, colon), colon == std::string_view::npos ? "" : inner.substr(colon + 1), brace});
    at = close + 1;
  }
  return {};
}

std::string check_format(std::string_view format, cel::TypeKind type) {
  constexpr std::string_view kFormats[] = {"0", "1", "2", "sig", "percent", "count", "version"};
  if (format.empty()) return {};
  if (std::find(std::begin(kFormats), std::end(kFormats), format) == std::end(kFormats)) {
    return fmt::format("unknown format \"{}\"; there are 0, 1, 2, sig, percent, count, version{}",
                       base::printable(format), base::did_you_mean(format, kFormats));
  }
  if (type != cel::TypeKind::integer && type != cel::TypeKind::real && type != cel::TypeKind::dynamic) {
    return fmt::format("format \"{}\" is for numbers, and this is {}", format, cel::type_name({type}));
  }
  return {};
}

std::string format_value(const cel::Value& value, std::string_view format, bool chinese) {
  using cel::Kind;
  switch (value.kind) {
    case Kind::string:
      return base::printable(value.text);
    case Kind::boolean:
      return value.integer != 0 ? (chinese ? "是" : "yes") : (chinese ? "否" : "no");
    case Kind::list: {
      std::string out;
      for (const auto& item : value.items) {
        if (!out.empty()) out += chinese ? "、" : ", ";
        out += format_value(item, format, chinese);
      }
      return out;
    }
    case Kind::integer:
    case Kind::real:
      break;
    default:
      return chinese ? "未知" : "unknown";
  }
  const double number = value.is(Kind::integer) ? static_cast<double>(value.integer) : value.real;
  if (!std::isfinite(number)) return cel::format_double(number);
  if (format == "0" || format == "1" || format == "2") return base::group_thousands(number, format[0] - '0');
  if (format == "sig") return base::significant(number);
  if (format == "percent") return base::group_thousands(number * 100, std::fabs(number) < 0.0995 ? 1 : 0) + "%";
  if (format == "count") return base::format_count(number);
  if (format == "version") {
    const auto n = static_cast<std::int64_t>(std::llround(number));
    return fmt::format("{}.{}", n / 100, n % 100);
  }
  if (value.is(Kind::integer))
    return value.integer < 10000 ? fmt::format("{}", value.integer) : base::group_thousands(number);
  // Four significant digits are enough for a sentence; 7.5 stays 7.5, and 8 is written 8.0 only by request.
  return fmt::format("{:.4g}", number).find('e') == std::string::npos ? fmt::format("{:.4g}", number)
                                                                      : base::group_thousands(number);
}

}  // namespace gpuadvise
