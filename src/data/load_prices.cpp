#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "gpuadvise/prices.h"

#include "base/arena.h"
#include "base/csv.h"
#include "base/date.h"
#include "base/load.h"
#include "base/node.h"
#include "catalog/catalog_fields.h"
#include "catalog/lookup.h"
#include "catalog/price_order.h"
#include "data/load_digest.h"

namespace gpuadvise {

namespace {

constexpr double kMost = 1e9;  // of a price: more is a slip
constexpr double kLeastRate = 1e-6;
constexpr double kMostRate = 1e6;

// A row of a price file: docs/reference/prices.md.
struct OwnPrice {
  std::string_view type;
  ChargeType charge = ChargeType::on_demand;
  std::string_view region;
  std::string_view currency;
  double amount = 0;
  std::string_view as_of;
  std::string_view source;
  std::string_view note;
};

template <class V, Is<OwnPrice> S>
void fields(V& v, S& s) {
  v("type", s.type, Need::required);
  v("charge", s.charge, Need::required);
  v("region", s.region);
  v("currency", s.currency, Need::required);
  v("amount", s.amount, Need::required);
  v("as_of", s.as_of);
  v("source", s.source);
  v("note", s.note);
}

struct KeyNames {
  std::vector<std::string_view> optional;
  std::vector<std::string_view> required;
  template <class T>
  void operator()(std::string_view key, T&, Need need = Need::optional, std::string_view = {}) {
    (need == Need::required ? required : optional).push_back(key);
  }
};

bool ends_in_csv(std::string_view path) { return base::lower(path).ends_with(".csv"); }

// A price list from standard input says what it is by its first line.
bool looks_like_csv(std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return first.find(',') != std::string_view::npos && first.find(':') == std::string_view::npos;
}

class PriceReader {
 public:
  PriceReader(const Knowledge& base, base::Arena& arena, std::vector<std::string>& remarks)
      : catalog_(base.catalog), arena_(arena), remarks_(remarks), regions_(known_regions(base.catalog)) {
    for (const auto& c : catalog_.currencies) currencies_.push_back(c.code);
  }

  void read(const std::string& path, const std::string& bytes) {
    file_ = path;
    const bool csv = path == "-" ? looks_like_csv(bytes) : ends_in_csv(path);
    if (csv) {
      const base::Node table = base::parse_csv(bytes, path);
      if (!table.items.empty()) check_columns(table.items.front());
      if (table.items.empty()) fail(table, "holds no price");
      for (const auto& row : table.items) add(row, "");
      return;
    }
    const base::Node root = base::parse_document(bytes, path);
    for (const auto& row : rows_of(root)) add(row, fmt::format("prices[{}]", own_.size() - first_of_file_));
  }

  std::vector<Price> take() && { return std::move(own_); }

 private:
  [[noreturn]] void fail(const base::Node& at, std::string_view message) const {
    throw InputError(Place{file_, at.line, at.column}, message);
  }

  // A missing column is said once, of the first line, and not of every row.
  void check_columns(const base::Node& row) const {
    OwnPrice none;
    KeyNames keys;
    fields(keys, none);
    for (const auto key : keys.required) {
      if (row.find(key) != nullptr) continue;
      std::string all;
      for (const auto& list : {keys.required, keys.optional}) {
        for (const auto name : list) all += (all.empty() ? "" : ", ") + std::string(name);
      }
      throw InputError(Place{file_, 1, 1}, fmt::format("no column \"{}\"; the columns are {}", key, all));
    }
  }

  const std::vector<base::Node>& rows_of(const base::Node& root) {
    first_of_file_ = own_.size();
    if (!root.is(base::Node::Kind::map)) fail(root, "expected a map with the section prices");
    for (const auto& member : root.members) {
      if (member.key == "prices") continue;
      const std::vector<std::string_view> known = {"prices"};
      throw InputError(Place{file_, member.line, member.column},
                       fmt::format("unknown section \"{}\"{}; a price file has the section prices alone",
                                   base::printable(member.key), base::did_you_mean(member.key, known)));
    }
    const base::Node* section = root.find("prices");
    if (section == nullptr) fail(root, "expected a map with the section prices");
    if (!section->is(base::Node::Kind::list)) base::Loader(arena_, file_).fail_kind(*section, "prices", "a list");
    if (section->items.empty()) fail(*section, "holds no price");
    return section->items;
  }

  void add(const base::Node& node, const std::string& path) {
    OwnPrice row;
    base::Loader(arena_, file_).read(node, row, path);
    const auto at = [&](std::string_view key) -> const base::Node& {
      const base::Node* value = node.find(key);
      return value == nullptr ? node : *value;
    };
    const Family* family = nullptr;
    const InstanceType* type = find_type(catalog_, row.type, &family);
    if (type == nullptr) fail(at("type"), unknown_type(row.type));
    if (row.amount <= 0 || row.amount > kMost) {
      fail(at("amount"), fmt::format("amount: {:g} is not a price; expected above 0, up to {:g}", row.amount, kMost));
    }
    const auto currency = std::find_if(currencies_.begin(), currencies_.end(), [&](std::string_view code) {
      return base::equal_ignoring_case(code, row.currency);
    });
    if (currency == currencies_.end()) {
      fail(at("currency"), fmt::format("currency: \"{}\" is not one of {}{}", base::printable(row.currency),
                                       joined(currencies_), base::did_you_mean(row.currency, currencies_)));
    }
    if (!row.as_of.empty() && !base::is_iso_date(row.as_of)) {
      fail(at("as_of"), fmt::format("as_of: \"{}\" is not YYYY, YYYY-MM or YYYY-MM-DD", base::printable(row.as_of)));
    }
    check_region(row.region, at("region"));
    Price price{};
    price.vendor = family->vendor;
    price.type = type->name;
    price.region = row.region;
    price.charge = row.charge;
    price.currency = *currency;
    price.amount = row.amount;
    price.as_of = row.as_of;
    price.source = row.source.empty() ? arena_.copy(fmt::format("{}:{}", file_, node.line)) : row.source;
    price.confidence = SourceKind::user;
    price.note = row.note;
    check_fresh(price, node);
    own_.push_back(price);
  }

  void check_fresh(const Price& price, const base::Node& node) {
    const auto key =
        fmt::format("{}\n{}\n{}\n{}", price.type, static_cast<int>(price.charge), price.region, price.currency);
    const Place here{file_, node.line, node.column};
    const auto [before, fresh] = places_.emplace(key, here);
    if (fresh) return;
    throw InputError(
        here, fmt::format("{}, {}{}{}, in {}: the price stands here and at {}", price.type,
                          names(ChargeType{})[static_cast<std::size_t>(price.charge)], price.region.empty() ? "" : ", ",
                          base::printable(price.region), price.currency, before->second.str()));
  }

  std::string unknown_type(std::string_view name) const {
    std::vector<std::string_view> types;
    for (const auto& family : catalog_.families) {
      for (const auto& type : family.types) types.push_back(type.name);
    }
    return fmt::format("type: \"{}\" is not an instance type of the catalog{}", base::printable(name),
                       base::did_you_mean(name, types));
  }

  // A region that nothing in the catalog names may be real: the catalog does not list every one.
  void check_region(std::string_view region, const base::Node& at) {
    if (region.empty() || std::find(regions_.begin(), regions_.end(), region) != regions_.end()) return;
    remarks_.push_back(fmt::format("{}: the catalog knows no region \"{}\"{}", Place{file_, at.line, at.column}.str(),
                                   base::printable(region), base::did_you_mean(region, regions_)));
  }

  static std::string joined(std::span<const std::string_view> words) {
    std::string out;
    for (const auto word : words) out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
  }

  const Catalog& catalog_;
  base::Arena& arena_;
  std::vector<std::string>& remarks_;
  std::vector<std::string_view> regions_;
  std::vector<std::string_view> currencies_;
  std::string file_;
  std::size_t first_of_file_ = 0;
  std::vector<Price> own_;
  std::map<std::string, Place> places_;
};

std::vector<Price> laid_over(std::span<const Price> listed, const std::vector<Price>& own) {
  using Key = std::tuple<std::string_view, ChargeType, std::string_view>;
  std::set<Key> mine;
  for (const auto& price : own) mine.emplace(price.type, price.charge, price.region);
  std::vector<Price> out = own;
  for (const auto& price : listed) {
    const bool replaced =
        mine.contains({price.type, price.charge, price.region}) || mine.contains({price.type, price.charge, {}});
    if (!replaced) out.push_back(price);
  }
  std::sort(out.begin(), out.end(), price_before);
  return out;
}

// "USD=7.1"
ExchangeRate read_rate(std::string_view text, const Catalog& catalog) {
  const Place place{"--fx"};
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(place, fmt::format("\"{}\": expected a currency and what it is worth in {}, such as USD=7.1",
                                        base::printable(text), catalog.currencies.front().code));
  }
  const std::string_view code = base::trim(text.substr(0, equals));
  const std::string_view number = base::trim(text.substr(equals + 1));
  std::vector<std::string_view> known;
  const Currency* currency = nullptr;
  for (const auto& c : catalog.currencies.subspan(1)) {
    known.push_back(c.code);
    if (base::equal_ignoring_case(c.code, code)) currency = &c;
  }
  if (currency == nullptr) {
    if (base::equal_ignoring_case(code, catalog.currencies.front().code)) {
      throw InputError(place, fmt::format("\"{}\": rates are stated in {} itself", base::printable(text), code));
    }
    throw InputError(place,
                     fmt::format("unknown currency \"{}\"{}", base::printable(code), base::did_you_mean(code, known)));
  }
  double worth = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), worth);
  if (status != std::errc{} || end != number.data() + number.size() || !(worth >= kLeastRate && worth <= kMostRate)) {
    throw InputError(place, fmt::format("{}: \"{}\" is not a rate; expected a number from {:g} to {:g}", currency->code,
                                        base::printable(number), kLeastRate, kMostRate));
  }
  return {currency->code, worth};
}

}  // namespace

struct PricedKnowledge::Storage {
  base::Arena arena;
  Knowledge knowledge;
  std::vector<std::string> remarks;
};

PricedKnowledge::PricedKnowledge(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
PricedKnowledge::PricedKnowledge(PricedKnowledge&&) noexcept = default;
PricedKnowledge& PricedKnowledge::operator=(PricedKnowledge&&) noexcept = default;
PricedKnowledge::~PricedKnowledge() = default;

const Knowledge& PricedKnowledge::knowledge() const { return storage_->knowledge; }
const std::vector<std::string>& PricedKnowledge::remarks() const { return storage_->remarks; }

PricedKnowledge PricedKnowledge::load(const std::vector<std::string>& paths, const std::vector<std::string>& rates,
                                      const Knowledge& base) {
  auto storage = std::make_unique<Storage>();
  storage->knowledge = base;
  Catalog& catalog = storage->knowledge.catalog;
  if (!paths.empty()) {
    PriceReader reader(base, storage->arena, storage->remarks);
    std::vector<data::File> files;
    for (const auto& path : paths) {
      files.push_back({path, base::read_bytes(path)});
      reader.read(path, files.back().bytes);
    }
    catalog.prices = storage->arena.copy(laid_over(base.catalog.prices, std::move(reader).take()));
    catalog.sha256 = storage->arena.copy(data::sha256_hex(files, base.catalog.sha256));
  }
  std::vector<ExchangeRate> worth;
  for (const auto& text : rates) {
    const ExchangeRate rate = read_rate(text, catalog);
    for (const auto& other : worth) {
      if (other.currency == rate.currency) {
        throw InputError(Place{"--fx"}, fmt::format("{} is given twice", rate.currency));
      }
    }
    worth.push_back(rate);
  }
  if (!worth.empty()) catalog.exchange_rates = storage->arena.copy(worth);
  return PricedKnowledge(std::move(storage));
}

}  // namespace gpuadvise
