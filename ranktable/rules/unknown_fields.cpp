// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/unknown_fields.h"

#include <algorithm>

#include "base/nearest_word.h"
#include "ranktable/model/quote.h"

namespace adarun::ranktable {
namespace {

constexpr Rule field_is_known{
    "a field must be one of the schema, or one that other tools are known to write", "",
    "write its name as the schema spells it, or leave it out; comment, and names that begin "
    "with _, are let pass",
    Severity::warning};

constexpr std::size_t longest_name = 64;         // Longer names get no suggestion.
constexpr std::size_t most_suggestions = 1'000;  // A hostile table may have millions.

bool is_ignored(const std::string& name) {
  return name.starts_with('_') || name == "comment";
}

// Converts to the schemas' style: lower case and _.
std::string as_schemas_write(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return name;
}

}  // namespace

bool KnownFields::has(const std::string& name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end() || is_ignored(name);
}

void UnknownFields::report(const std::string& name, const KnownFields& known, const std::string& path) {
  const std::string& meant = suggestion(name, known);
  ranktable::report(findings_, field_is_known, path + member_step(name),
                    in_quotes(name) + (meant.empty() ? "" : ", where " + meant + " may be meant"));
}

const std::string& UnknownFields::suggestion(const std::string& name, const KnownFields& known) {
  static const std::string nothing;
  const std::pair key(&known, name);
  if (const auto earlier = suggestions_.find(key); earlier != suggestions_.end()) return earlier->second;
  if (name.size() > longest_name || suggestions_.size() >= most_suggestions) return nothing;
  const std::vector<std::string> words(known.names().begin(), known.names().end());
  return suggestions_.emplace(key, base::nearest_word(as_schemas_write(name), words)).first->second;
}

}  // namespace adarun::ranktable
