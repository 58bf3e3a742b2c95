// SPDX-License-Identifier: Apache-2.0
// Fields that neither a schema has nor another tool is known to write: a mistyped name of an
// optional field (device-ip) leaves a table that looks right without it.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ranktable/json/path.h"
#include "ranktable/json/quote.h"
#include "base/nearest_word.h"
#include "ranktable/rules/groups.h"
#include "ranktable/rules/known_fields.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_known{"a field must be one of the schema, or one that other tools are known to write", "",
                        "write its name as the schema has it, or leave it out; comment, and names that begin "
                        "with _, are let pass",
                        Severity::warning};

constexpr std::size_t longest_name = 64;     // Of those that are looked at for what they may mean.
constexpr std::size_t most_guesses = 1'000;  // A hostile table has millions.

bool has(const KnownFields::Names& names, std::string_view name) {
  return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
}

bool is_let_pass(const std::string& name) {
  return name.starts_with('_') || name == "comment";
}

// As schemas write names: small letters and _.
std::string as_schemas_write(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return name;
}

// Looks at the fields of objects that no rule asked for.
class Search {
 public:
  explicit Search(Findings& findings) : findings_(findings) {}

  /// `path()` makes the object's path, for findings alone: a table may have 65,536 ranks.
  template <typename MakePath>
  void look(const std::vector<Extra>& fields, const KnownFields& known, MakePath path) {
    for (const Extra& field : fields) {
      if (has(known.schema, field.name) || has(known.others, field.name) || is_let_pass(field.name)) continue;
      const std::string& meant = meant_by(field.name, known);
      report(findings_, is_known, path() + step_to(field.name),
             in_quotes(field.name) + (meant.empty() ? "" : ", where " + meant + " may be meant"));
    }
  }

 private:
  const std::string& meant_by(const std::string& name, const KnownFields& known) {
    static const std::string nothing;
    const std::pair key(&known, name);
    if (const auto guess = guesses_.find(key); guess != guesses_.end()) return guess->second;
    if (name.size() > longest_name || guesses_.size() >= most_guesses) return nothing;
    std::vector<std::string> words(known.schema.begin(), known.schema.end());
    words.insert(words.end(), known.others.begin(), known.others.end());
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    return guesses_.emplace(key, base::nearest_word(as_schemas_write(name), words)).first->second;
  }

  Findings& findings_;
  std::map<std::pair<const KnownFields*, std::string>, std::string> guesses_;
};

std::string root() {
  return "$";
}

template <typename MakePath>
auto item_of(MakePath parent, const char* list, std::size_t index) {
  return [=] { return parent() + "." + list + "[" + std::to_string(index) + "]"; };
}

}  // namespace

void check_unknown_fields(const Table& table, Findings& findings) {
  namespace known = fields_of_v1;
  Search search(findings);
  search.look(table.extras, known::root, root);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    search.look(table.servers[i].extras, known::server, [i] { return path_of(i); });
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::size_t j = 0; j < devices.size(); ++j)
      search.look(devices[j].extras, known::device, [i, j] { return path_of(i, j); });
  }
  for (std::size_t i = 0; i < table.super_pods.size(); ++i) {
    const SuperPod& pod = table.super_pods[i];
    const auto path = item_of(root, "super_pod_list", i);
    search.look(pod.extras, known::pod, path);
    for (std::size_t j = 0; j < pod.servers.size(); ++j)
      search.look(pod.servers[j].extras, known::member, item_of(path, "server_list", j));
  }
}

void check_unknown_fields(const CloudTable& table, Findings& findings) {
  namespace known = fields_of_cloud;
  Search search(findings);
  search.look(table.extras, known::root, root);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const CloudGroup& group = table.groups[i];
    search.look(group.extras, known::group, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const CloudInstance& instance = group.instances[j];
      const auto path = [i, j] { return instance_path(i, j); };
      search.look(instance.extras, known::instance, path);
      for (std::size_t k = 0; k < instance.devices.size(); ++k)
        search.look(instance.devices[k].extras, known::device, item_of(path, "devices", k));
    }
  }
}

void check_unknown_fields(const LabTable& table, Findings& findings) {
  namespace known = fields_of_lab;
  Search search(findings);
  search.look(table.extras, known::root, root);
  for (std::size_t i = 0; i < table.groups.size(); ++i) {
    const LabGroup& group = table.groups[i];
    search.look(group.extras, known::group, [i] { return group_path(i); });
    for (std::size_t j = 0; j < group.instances.size(); ++j) {
      const auto path = [i, j] { return instance_path(i, j); };
      search.look(group.instances[j].extras, known::instance, path);
      search.look(group.instances[j].device_extras, known::device, item_of(path, "devices", 0));
    }
  }
}

void check_unknown_fields(const RankListTable& table, Findings& findings) {
  namespace known = fields_of_rank_list;
  Search search(findings);
  search.look(table.extras, known::root, root);
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const auto path = item_of(root, "rank_list", i);
    search.look(rank.extras, known::rank, path);
    for (std::size_t j = 0; j < rank.layers.size(); ++j) {
      const NetLayer& layer = rank.layers[j];
      const auto layer_path = item_of(path, "level_list", j);
      search.look(layer.extras, known::layer, layer_path);
      for (std::size_t k = 0; k < layer.addresses.size(); ++k)
        search.look(layer.addresses[k].extras, known::address, item_of(layer_path, "rank_addr_list", k));
    }
  }
}

}  // namespace adarun::ranktable
