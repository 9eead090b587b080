// What the tables of recommend, estimate and why-not are printed with: one machine, its layout, memory, speed and cost,
// and the lines that they stand in.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "gpuadvise/advise.h"

#include "base/message.h"
#include "base/text.h"
#include "report/advice.h"

namespace gpuadvise::report {

class Screen {
 public:
  Screen(std::ostream& out, const Workload& workload, const Knowledge& knowledge, const base::Texts& texts,
         const TableOptions& options)
      : out_(out), w_(workload), k_(knowledge), t_(texts), o_(options) {}

  void headline();
  void machine_line(const Family* family, const InstanceType* type, const Machine& m);
  void layout_line(const Layout& l, const Machine& m, int together);
  void memory_line(const MemoryEstimate& m, const Machine& machine);
  void speed_line(const SpeedEstimate& s, const std::optional<double>& hours);
  // Where the time of a step goes, largest first; --explain only.
  void step_line(const SpeedEstimate& s);
  std::string duration(double hours) const;
  void cost_line(const CostEstimate& c);
  void bullet(const Note& note, std::string_view mark = "- ");
  std::string work_text() const;
  void paragraph(const std::string& text, std::string_view indent);

 protected:
  static constexpr std::size_t kLabel = 10;

  // What the cards are to each other where the work is on several of them.
  std::string_view data_word() const;
  // What there is to say of memory that is not known.
  std::string memory_bound(const MemoryEstimate& m) const;
  // What decides where it is not what is on the card.
  void must_have(const MemoryEstimate& m);
  std::string band(double low, double high) const;
  // A latency target without a load: the speed is that of the largest load within it.
  bool load_is_open() const;
  // What is made or read, in the unit that people count it in.
  std::string samples_text(double rate) const;
  std::string reference_card() const;
  std::string work_amount() const;
  std::string vendor(std::string_view id) const;
  void row(std::string_view id, const std::string& text);
  std::string label(std::string_view id) const { return base::pad_right(id.empty() ? std::string() : t_(id), kLabel); }
  std::string bold(const std::string& text) const { return o_.colour ? "\x1b[1m" + text + "\x1b[0m" : text; }
  std::string faint(const std::string& text) const { return o_.colour ? "\x1b[2m" + text + "\x1b[0m" : text; }

  std::ostream& out_;
  const Workload& w_;
  const Knowledge& k_;
  const base::Texts& t_;
  const TableOptions& o_;
};

}  // namespace gpuadvise::report
