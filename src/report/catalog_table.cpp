#include <cmath>
#include <fmt/format.h>

#include "base/text.h"
#include "catalog/catalog_fields.h"
#include "report/catalog.h"

namespace gpuadvise::report {

namespace {

using base::pad_left;
using base::pad_right;
using base::printable;

std::string number(const std::optional<double>& value, const base::Texts& texts) {
  return value ? base::significant(*value, 6) : texts("unknown");
}
std::string number(const std::optional<int>& value, const base::Texts& texts) {
  return value ? fmt::format("{}", *value) : texts("unknown");
}

std::string status_word(Status status, const base::Texts& texts) {
  return texts(fmt::format("status/{}", names(Status{})[static_cast<std::size_t>(status)]));
}

// Label in a fixed column, text wrapped beside it.
class Sheet {
 public:
  Sheet(std::ostream& out, const base::Texts& texts, std::size_t width) : out_(out), texts_(texts), width_(width) {}

  void line(std::string_view label_id, std::string_view text) {
    if (text.empty()) return;
    constexpr std::size_t kLabel = 14;
    std::string label = texts_(label_id);
    for (const auto& part : base::wrap(printable(text), width_ - kLabel - 2)) {
      out_ << "  " << pad_right(label, kLabel) << part << '\n';
      label.clear();
    }
  }
  void known(std::string_view label_id, std::string_view text) {
    line(label_id, text.empty() ? std::string_view(texts_.raw("unknown")) : text);
  }
  void sources(const Catalog& catalog, std::span<const std::string_view> ids, std::string_view date) {
    std::string text;
    for (const auto id : ids) {
      const Source* source = find_source(catalog, id);
      if (source == nullptr) continue;
      std::string basis = texts_(fmt::format("source/{}", names(SourceKind{})[static_cast<std::size_t>(source->kind)]));
      if (!source->date.empty()) basis += texts_("screen/comma") + std::string(source->date);
      if (!text.empty()) text += texts_("screen/semicolon");
      text += std::string(source->title) + texts_("screen/aside", {{"text", basis}});
    }
    line("catalog/sources", text);
    line("catalog/compiled", date);
  }

 private:
  std::ostream& out_;
  const base::Texts& texts_;
  std::size_t width_;
};

std::string join(std::span<const std::string_view> items, std::string_view separator) {
  std::string out;
  for (const auto item : items) out += (out.empty() ? "" : std::string(separator)) + std::string(item);
  return out;
}

std::string vendor_name(const Catalog& catalog, std::string_view id, const base::Texts& texts) {
  const Vendor* vendor = find_vendor(catalog, id);
  return std::string(vendor == nullptr ? id : vendor->name.in(texts.lang()));
}

void show_type_line(std::ostream& out, const Catalog& catalog, const Family& family, const InstanceType& type,
                    const base::Texts& texts) {
  out << "    " << pad_right(printable(type.name), 30) << pad_left(number(type.vcpus, texts), 5) << " vCPU "
      << pad_left(number(type.memory_gib, texts), 7) << " GiB  " << card_text(catalog, type, texts);
  if (type.rdma_gbps) out << fmt::format("  RDMA {:g} Gbit/s", *type.rdma_gbps);
  if (type.status && *type.status != family.status) out << "  " << status_word(*type.status, texts);
  out << '\n';
}

void show_family(std::ostream& out, const Catalog& catalog, const Family& f, const base::Texts& texts,
                 std::size_t width) {
  out << f.name << "  " << vendor_name(catalog, f.vendor, texts)
      << (f.platform.empty() ? "" : fmt::format(" ({})", f.platform)) << ", " << f.title.in(texts.lang()) << ", "
      << status_word(f.status, texts) << '\n';
  Sheet sheet(out, texts, width);
  sheet.line("catalog/caveat", f.caveat.in(texts.lang()));
  const Accelerator* card = f.accelerator.empty() ? nullptr : find_accelerator(catalog, f.accelerator);
  std::string card_line = card == nullptr ? texts("unknown") : std::string(card->name);
  if (card != nullptr) {
    card_line += fmt::format(
        "  ({})",
        texts(fmt::format("named-by/{}", names(NamedBy{})[static_cast<std::size_t>(f.accelerator_named_by)])));
  }
  sheet.line("catalog/card", card_line);
  sheet.line("catalog/card-note", f.accelerator_note);
  std::string link(f.interconnect);
  if (f.interconnect_gb_per_s) link += fmt::format(", {:g} GB/s", *f.interconnect_gb_per_s);
  sheet.known("catalog/interconnect", link);
  sheet.line("catalog/interconnect-note", f.interconnect_note);
  sheet.known("catalog/rdma", f.rdma);
  sheet.line("catalog/often-said", f.often_said.in(texts.lang()));
  for (const auto& note : catalog.names) {
    const bool about = note.vendor == f.vendor && base::equal_ignoring_case(note.name, f.name);
    if (about && f.often_said.empty()) sheet.line("catalog/often-said", note.truth.in(texts.lang()));
  }
  sheet.line("catalog/cpu", f.cpu);
  sheet.line("catalog/disks", join(f.disks, ", "));
  sheet.line("catalog/licence", f.vgpu_licence);
  sheet.line("catalog/scenarios", join(f.scenarios, "; "));
  if (!f.regions.empty()) {
    sheet.line("catalog/regions",
               join(f.regions, ", ") + (f.regions_date.empty() ? "" : fmt::format(" ({})", f.regions_date)));
  }
  sheet.line("catalog/successors", join(f.successors, ", "));
  sheet.line("catalog/status-note", f.status_note);
  for (const auto note : f.notes) sheet.line("catalog/note", note);
  sheet.sources(catalog, f.sources, f.date);
  out << "  " << texts("catalog/types") << '\n';
  for (const auto& type : f.types) show_type_line(out, catalog, f, type, texts);
}

void show_type(std::ostream& out, const Catalog& catalog, const Family& f, const InstanceType& type,
               const base::Texts& texts, std::size_t width) {
  out << printable(type.name) << "  " << vendor_name(catalog, f.vendor, texts)
      << (f.platform.empty() ? "" : fmt::format(" ({})", f.platform)) << ", " << f.name << ", "
      << status_word(status_of(f, type), texts) << '\n';
  Sheet sheet(out, texts, width);
  sheet.line("catalog/caveat", f.caveat.in(texts.lang()));
  sheet.line("catalog/suspect", type.suspect);
  sheet.line("catalog/card", card_text(catalog, type, texts));
  sheet.line("catalog/card-note", f.accelerator_note);
  std::string link(f.interconnect);
  if (f.interconnect_gb_per_s) link += fmt::format(", {:g} GB/s", *f.interconnect_gb_per_s);
  sheet.known("catalog/interconnect", link);
  sheet.known("catalog/vcpus", type.vcpus ? fmt::format("{}", *type.vcpus) : std::string());
  sheet.known("catalog/memory", type.memory_gib ? fmt::format("{:g} GiB", *type.memory_gib) : std::string());
  std::string network = type.network_gbps ? fmt::format("{:g} Gbit/s", *type.network_gbps) : std::string();
  if (type.network_burst_gbps) network += fmt::format(" ({} {:g})", texts("catalog/burst"), *type.network_burst_gbps);
  sheet.known("catalog/network", network);
  sheet.known("catalog/rdma",
              type.rdma_gbps ? fmt::format("{:g} Gbit/s ({})", *type.rdma_gbps, f.rdma) : std::string(f.rdma));
  sheet.line("catalog/local-disk",
             type.local_storage_gib ? fmt::format("{:g} GiB", *type.local_storage_gib) : std::string(f.local_disk));
  for (const auto note : type.notes) sheet.line("catalog/note", note);
  bool priced = false;
  for (const auto& price : catalog.prices) {
    if (price.type != type.name) continue;
    priced = true;
    sheet.line(
        "catalog/price",
        fmt::format("{} {:g} / {}  {}  {}  {}{}", price.currency, price.amount,
                    texts(fmt::format("charge-unit/{}", names(ChargeType{})[static_cast<std::size_t>(price.charge)])),
                    price.region, price.as_of.empty() ? texts("undated") : std::string(price.as_of),
                    texts(fmt::format("source/{}", names(SourceKind{})[static_cast<std::size_t>(price.confidence)])),
                    price.suspect.empty() ? "" : fmt::format("  ! {}", price.suspect)));
  }
  if (!priced) sheet.line("catalog/price", texts("catalog/no-price"));
  sheet.sources(catalog, type.sources, f.date);
}

void show_accelerator(std::ostream& out, const Catalog& catalog, const Accelerator& a, const base::Texts& texts,
                      std::size_t width) {
  out << a.id << "  " << a.name << '\n';
  Sheet sheet(out, texts, width);
  std::string chip(a.architecture);
  if (a.compute_capability)
    chip += fmt::format(", {} {:.1f}", texts("catalog/compute-capability"), *a.compute_capability);
  sheet.known("catalog/chip", chip);
  sheet.known("catalog/form-factor", a.form_factor);
  std::string memory = a.memory_gib ? fmt::format("{:g} GB {}", *a.memory_gib, a.memory_type) : std::string();
  if (a.usable_memory_gib) memory += fmt::format(", {:.1f} GiB {}", *a.usable_memory_gib, texts("catalog/usable"));
  if (a.memory_bandwidth_gb_per_s) memory += fmt::format(", {:g} GB/s", *a.memory_bandwidth_gb_per_s);
  sheet.known("catalog/memory", memory);
  std::string peak;
  const auto rate = [&](const char* name, const std::optional<double>& value, const char* unit) {
    if (value) peak += fmt::format("{}{} {:g}", peak.empty() ? "" : ", ", name, *value) + unit;
  };
  rate("FP64", a.peak.fp64, "");
  rate("FP32", a.peak.fp32, "");
  rate("TF32", a.peak.tf32, "");
  rate("FP16", a.peak.fp16, "");
  rate("BF16", a.peak.bf16, "");
  rate("FP8", a.peak.fp8, "");
  rate("INT8", a.peak.int8, "");
  if (!peak.empty()) peak += " " + texts("catalog/dense-tflops");
  sheet.known("catalog/peak", peak);
  std::string link(a.link);
  if (a.link_gb_per_s) link += fmt::format(" {:g} GB/s", *a.link_gb_per_s);
  sheet.known("catalog/interconnect", link);
  std::string graphics;
  if (a.rt_core_count) graphics = fmt::format("{} RT cores", *a.rt_core_count);
  if (a.nvenc_count)
    graphics += fmt::format("{}{} NVENC{}", graphics.empty() ? "" : ", ", *a.nvenc_count,
                            a.nvenc_av1.value_or(false) ? " (AV1)" : "");
  if (!a.opengl.empty()) graphics += fmt::format("{}OpenGL {}", graphics.empty() ? "" : ", ", a.opengl);
  sheet.known("catalog/graphics", graphics);
  sheet.line("catalog/media", a.media_note);
  sheet.line("catalog/note", a.graphics_note);
  for (const auto id : a.export_rules) {
    for (const auto& rule : catalog.export_rules) {
      if (rule.id == id) sheet.line("catalog/export", fmt::format("{} {}: {}", rule.date, rule.authority, rule.effect));
    }
  }
  for (const auto note : a.conflicts) sheet.line("catalog/conflict", note);
  for (const auto note : a.notes) sheet.line("catalog/note", note);
  std::string sold;
  for (const auto& f : catalog.families) {
    if (f.accelerator == a.id)
      sold += fmt::format("{}{} ({})", sold.empty() ? "" : ", ", f.name, vendor_name(catalog, f.vendor, texts));
  }
  sheet.line("catalog/sold-as", sold);
  sheet.sources(catalog, a.sources, a.date);
}

void show_note(std::ostream& out, const Catalog& catalog, const NameNote& note, const base::Texts& texts,
               std::size_t width) {
  if (!note.documented) {
    out << texts("catalog/not-documented", {{"name", note.name}, {"vendor", vendor_name(catalog, note.vendor, texts)}})
        << '\n';
  } else {
    out << note.name << "  " << vendor_name(catalog, note.vendor, texts) << '\n';
  }
  Sheet sheet(out, texts, width);
  sheet.line("catalog/said", note.said.in(texts.lang()));
  sheet.line("catalog/truth", note.truth.in(texts.lang()));
  std::string nearest;
  for (const auto name : note.nearest) {
    for (const auto& f : catalog.families) {
      if (f.vendor == note.vendor && f.name == name) {
        nearest += fmt::format("{}{} ({})", nearest.empty() ? "" : ", ", f.name, f.title.in(texts.lang()));
      }
    }
  }
  sheet.line("catalog/nearest", nearest);
  sheet.sources(catalog, note.sources, {});
}

}  // namespace

std::string_view short_name(const Accelerator& accelerator) {
  return accelerator.name.substr(0, accelerator.name.find(" ("));
}

std::string card_text(const Catalog& catalog, const InstanceType& type, const base::Texts& texts) {
  const Accelerator* card = accelerator_of(catalog, type);
  const std::string name = card == nullptr ? texts("catalog/unknown-card") : std::string(short_name(*card));
  if (type.slice) {
    const std::string part = type.accelerators ? fmt::format("{:.3g}", *type.accelerators) : texts("unknown");
    return texts("catalog/slice-of", {{"part", part}, {"card", name}}) +
           (type.accelerator_memory_gib ? fmt::format(", {:g} GB", *type.accelerator_memory_gib) : "");
  }
  return fmt::format("{} x {}", type.accelerators ? fmt::format("{:g}", *type.accelerators) : texts("unknown"), name);
}

void print_catalog_list(std::ostream& out, const Catalog& catalog, std::span<const TypeRow> rows,
                        const base::Texts& texts) {
  std::size_t name_width = 20;
  for (const auto& row : rows) name_width = std::max(name_width, base::display_width(row.type->name));
  out << pad_right(texts("catalog/column-type"), name_width + 2) << pad_right(texts("catalog/column-vendor"), 10)
      << pad_right(texts("catalog/column-cards"), 42) << pad_left("vCPU", 5) << pad_left("RAM GiB", 9)
      << pad_left(texts("catalog/column-network"), 9) << pad_left("RDMA", 7) << "  " << texts("catalog/column-status")
      << '\n';
  for (const auto& row : rows) {
    const InstanceType& t = *row.type;
    out << pad_right(printable(t.name), name_width + 2) << pad_right(row.family->vendor, 10)
        << pad_right(card_text(catalog, t, texts), 42) << pad_left(number(t.vcpus, texts), 5)
        << pad_left(number(t.memory_gib, texts), 9) << pad_left(number(t.network_gbps, texts), 9)
        << pad_left(t.rdma_gbps ? fmt::format("{:g}", *t.rdma_gbps) : "-", 7) << "  "
        << status_word(status_of(*row.family, t), texts) << '\n';
  }
  out << texts("catalog/count", {{"types", fmt::format("{}", rows.size())}, {"date", catalog.date}}) << '\n';
}

void print_catalog_matches(std::ostream& out, const Catalog& catalog, std::span<const NameMatch> matches,
                           const base::Texts& texts, std::size_t width) {
  bool first = true;
  for (const auto& match : matches) {
    // A note about a documented family is part of the family's own page.
    if (match.note != nullptr && match.note->documented && matches.size() > 1) continue;
    if (!first) out << '\n';
    first = false;
    if (match.type != nullptr) {
      show_type(out, catalog, *match.family, *match.type, texts, width);
    } else if (match.family != nullptr) {
      show_family(out, catalog, *match.family, texts, width);
    } else if (match.accelerator != nullptr) {
      show_accelerator(out, catalog, *match.accelerator, texts, width);
    } else if (match.note != nullptr) {
      show_note(out, catalog, *match.note, texts, width);
    }
  }
}

void print_sources(std::ostream& out, const Catalog& catalog, const base::Texts& texts) {
  for (const auto& source : catalog.sources) {
    out << pad_right(source.id, 26) << pad_right(source.date.empty() ? texts("undated") : std::string(source.date), 12)
        << pad_right(texts(fmt::format("source/{}", names(SourceKind{})[static_cast<std::size_t>(source.kind)])), 24)
        << printable(source.title) << (source.where.empty() ? "" : "  ") << printable(source.where) << '\n';
  }
}

}  // namespace gpuadvise::report
