#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

#include "gpuadvise/knowledge.h"

#include "base/arena.h"
#include "base/load.h"
#include "base/node.h"
#include "data/load_digest.h"
#include "data/tables.h"
#include "data/validate.h"

namespace gpuadvise {

namespace {

std::vector<data::File> read_files(const std::vector<std::string>& paths) {
  std::vector<data::File> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back({path, base::read_bytes(path)});
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      const auto extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".yaml" || extension == ".yml"))
        found.push_back(entry.path().string());
    }
    // The hash and every order that follows from the files must not depend on the file system.
    std::sort(found.begin(), found.end());
    if (found.empty()) throw InputError(Place{path}, "no *.yaml file in this folder");
    for (const auto& file : found) files.push_back({file, base::read_bytes(file)});
  }
  return files;
}

// Reads every top-level section of every file into growing lists, with the place of each row.
struct Reader {
  base::Arena& arena;
  std::vector<std::string_view> known;

  struct Document {
    std::string file;
    base::Node root;
  };
  std::vector<Document> documents;
  const std::string* base_name = nullptr;
  data::Places places;

  template <class T>
  void list(std::string_view key, std::span<const T>& rows) {
    known.push_back(key);
    std::vector<T> merged(rows.begin(), rows.end());
    std::unordered_map<std::string, std::size_t> by_key;
    for (std::size_t i = 0; i < merged.size(); ++i) by_key.emplace(data::key_of(merged[i]), i);
    std::vector<Place> row_places(merged.size(), Place{"built-in data"});
    const std::size_t base_rows = merged.size();
    bool changed = false;
    for (const auto& document : documents) {
      const base::Node* section = document.root.find(key);
      if (section == nullptr) continue;
      changed = true;
      base::Loader loader(arena, document.file);
      if (!section->is(base::Node::Kind::list)) loader.fail_kind(*section, key, "a list");
      for (std::size_t i = 0; i < section->items.size(); ++i) {
        const base::Node& item = section->items[i];
        T row{};
        loader.read(item, row, fmt::format("{}[{}]", key, i));
        const Place place{document.file, item.line, item.column};
        const auto [at, fresh] = by_key.emplace(data::key_of(row), merged.size());
        if (fresh) {
          merged.push_back(row);
          row_places.push_back(place);
        } else if (at->second < base_rows && row_places[at->second].line == 0) {
          merged[at->second] = row;  // an overlay takes the place of the built-in row
          row_places[at->second] = place;
        } else {
          throw InputError(place, fmt::format("{}: \"{}\" stands here and at {}", key, base::printable(at->first),
                                              row_places[at->second].str()));
        }
      }
    }
    if (changed) rows = arena.copy(merged);
    places.add(std::string(key), std::move(row_places));
  }

  template <class T>
  void one(std::string_view key, T& value) {
    known.push_back(key);
    const Document* first = nullptr;
    for (const auto& document : documents) {
      const base::Node* section = document.root.find(key);
      if (section == nullptr) continue;
      base::Loader loader(arena, document.file);
      if (first != nullptr) loader.fail(*section, fmt::format("{} stands in {} too", key, first->file));
      first = &document;
      value = T{};
      loader.read(*section, value, std::string(key));
    }
  }
};

}  // namespace

struct LoadedKnowledge::Storage {
  base::Arena arena;
  Knowledge knowledge;
};

LoadedKnowledge::LoadedKnowledge(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
LoadedKnowledge::LoadedKnowledge(LoadedKnowledge&&) noexcept = default;
LoadedKnowledge& LoadedKnowledge::operator=(LoadedKnowledge&&) noexcept = default;
LoadedKnowledge::~LoadedKnowledge() = default;

const Knowledge& LoadedKnowledge::knowledge() const { return storage_->knowledge; }

LoadedKnowledge LoadedKnowledge::load(const std::vector<std::string>& paths, const Knowledge* base) {
  auto storage = std::make_unique<Storage>();
  Knowledge& knowledge = storage->knowledge;
  if (base != nullptr) knowledge = *base;

  const auto files = read_files(paths);
  Reader reader{storage->arena, {}, {}, nullptr, {}};
  for (const auto& file : files) {
    auto root = base::parse_document(file.bytes, file.path);
    if (!root.is(base::Node::Kind::map)) {
      throw InputError(Place{file.path, root.line, root.column},
                       "expected a map with sections such as families, prices");
    }
    reader.documents.push_back({file.path, std::move(root)});
  }
  data::tables(reader, knowledge);
  for (const auto& document : reader.documents) {
    for (const auto& member : document.root.members) {
      if (std::find(reader.known.begin(), reader.known.end(), member.key) == reader.known.end()) {
        throw InputError(Place{document.file, member.line, member.column},
                         fmt::format("unknown section \"{}\"{}", base::printable(member.key),
                                     base::did_you_mean(member.key, reader.known)));
      }
    }
  }
  knowledge.catalog.sha256 = storage->arena.copy(data::sha256_hex(files, base == nullptr ? "" : base->catalog.sha256));
  data::finish(knowledge, storage->arena, reader.places);
  return LoadedKnowledge(std::move(storage));
}

}  // namespace gpuadvise
