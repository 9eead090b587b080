#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "base/message.h"

namespace gpuadvise::base {

std::string fill(std::string_view text, std::span<const std::pair<std::string_view, std::string_view>> args) {
  std::string out;
  while (true) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) throw std::logic_error("message with an open brace: " + std::string(text));
    const auto name = text.substr(open + 1, close - open - 1);
    const auto found = std::find_if(args.begin(), args.end(), [&](const auto& a) { return a.first == name; });
    if (found == args.end()) throw std::logic_error(fmt::format("no value for {{{}}} in \"{}\"", name, text));
    out += found->second;
    text.remove_prefix(close + 1);
  }
}

const Message* Texts::find(std::string_view id) const {
  const auto at = std::lower_bound(messages_.begin(), messages_.end(), id,
                                   [](const Message& m, std::string_view wanted) { return m.id < wanted; });
  return at != messages_.end() && at->id == id ? &*at : nullptr;
}

bool Texts::has(std::string_view id) const { return find(id) != nullptr; }

std::string_view Texts::raw(std::string_view id) const {
  const Message* message = find(id);
  if (message == nullptr) throw std::logic_error(fmt::format("no message \"{}\"", id));
  return lang_ == Lang::zh ? message->zh : message->en;
}

std::string Texts::operator()(std::string_view id, MessageArgs args) const {
  return fill(raw(id), std::span(args.begin(), args.size()));
}

}  // namespace gpuadvise::base
