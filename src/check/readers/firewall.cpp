#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "check/readers/firewall.h"
#include "check/select.h"

namespace gpuadvise::check {

using base::Node;

namespace {

bool is_everybody(std::string_view range) {
  range = base::trim(range);
  return range == "0.0.0.0/0" || range == "::/0" || range == "0.0.0.0" || range == "0::0/0" || range == "0/0";
}

// "22/22" and "1/65535", "80-90", "-1/-1", "ALL": each vendor has its own spelling.
std::string plain_ports(std::string_view text) {
  std::string out(base::trim(text));
  if (out.empty() || out == "-1" || out == "-1/-1" || base::equal_ignoring_case(out, "all")) return "all";
  std::replace(out.begin(), out.end(), '/', '-');
  const auto dash = out.find('-');
  if (dash == std::string::npos) return out;
  std::string low = out.substr(0, dash);
  const std::string high = out.substr(dash + 1);
  if (low == high) return low;
  return low == "1" && high == "65535" ? "all" : out;
}

class FirewallReader {
 public:
  FirewallReader(const Vocabulary& words, std::vector<std::string>& out) : words_(words), out_(out) {}

  void read(const PlanFirewallFormat& format, const Attributes& rule) {
    if (!format.line.empty()) {
      read_line(rule.text({&format.line, 1}));
      return;
    }
    if (!lets_in("firewall_direction", rule, format.direction) || !lets_in("firewall_policy", rule, format.policy) ||
        !lets_in("firewall_protocol", rule, format.protocol) || !from_everybody(format, rule)) {
      return;
    }
    const auto low = number(rule, format.port_from);
    const auto high = number(rule, format.port_to);
    if (low) {
      add(std::to_string(static_cast<long>(*low)) + "-" + std::to_string(static_cast<long>(high.value_or(*low))));
    } else {
      const bool unknown = !format.ports.empty() && rule.is_unknown({&format.ports, 1});
      if (!unknown) add(format.ports.empty() ? "" : rule.text({&format.ports, 1}));
    }
  }

 private:
  static std::optional<double> number(const Attributes& rule, const std::string_view& path) {
    constexpr double kMostPort = 65535;
    const auto value = path.empty() ? std::nullopt : rule.number({&path, 1});
    return value && *value >= 0 && *value <= kMostPort ? value : std::nullopt;
  }

  bool lets_in(std::string_view about, const Attributes& rule, const std::string_view& path) const {
    const std::string word = path.empty() ? "" : rule.text({&path, 1});
    return word.empty() || words_.meaning(about, word) == "open";
  }

  static bool from_everybody(const PlanFirewallFormat& format, const Attributes& rule) {
    const auto sources = rule.texts(format.sources);
    if (!sources.empty()) return std::any_of(sources.begin(), sources.end(), is_everybody);
    if (rule.is_unknown(format.sources) || rule.is_unknown(format.groups)) return false;
    return format.open_by_default && rule.texts(format.groups).empty();
  }

  // ACCEPT#0.0.0.0/0#22#TCP
  void read_line(std::string_view line) {
    constexpr std::size_t kParts = 4;
    const auto parts = base::split(line, '#');
    if (parts.size() < kParts || words_.meaning("firewall_policy", parts[0]) != "open" || !is_everybody(parts[1]))
      return;
    if (words_.meaning("firewall_protocol", parts[3]) == "open") add(parts[2]);
  }

  void add(std::string_view ports) {
    constexpr std::size_t kMost = 32;
    for (const auto part : base::split(ports, ',')) {
      std::string plain = plain_ports(part);
      if (!words_.meaning("public_port", plain).empty() || out_.size() >= kMost) continue;
      if (std::find(out_.begin(), out_.end(), plain) == out_.end()) out_.push_back(std::move(plain));
    }
  }

  const Vocabulary& words_;
  std::vector<std::string>& out_;
};

}  // namespace

std::vector<std::string> open_ports(const PlanResource& row, const Vocabulary& words, const Attributes& attributes) {
  std::vector<std::string> out;
  FirewallReader reader(words, out);
  for (const auto& format : row.firewall) {
    if (format.each.empty()) {
      reader.read(format, attributes);
      continue;
    }
    if (!attributes.shown(format.each)) continue;
    const auto entries = select(attributes.values(), format.each);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      // A list of texts holds whole rules.
      if (!entries[i]->is(Node::Kind::map)) {
        Node wrapped;
        wrapped.kind = Node::Kind::map;
        wrapped.members.push_back({std::string(format.line), 0, 0, *entries[i]});
        if (!format.line.empty()) reader.read(format, Attributes(wrapped, nullptr, nullptr));
      } else {
        reader.read(format, attributes.entry(format.each, i, *entries[i]));
      }
    }
  }
  return out;
}

}  // namespace gpuadvise::check
