// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace adarun::planner {

/// The members of a JSON object of a file. Every function throws Error, with the file and the place in it, if
/// the member is missing or not what is wanted.
class JsonFields {
 public:
  /// `where` names the object in messages: "model.json: layers[3]". Borrows the object.
  JsonFields(const nlohmann::json& object, std::string where);

  bool has(const char* name) const;
  std::string text(const char* name) const;
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most) const;
  double number(const char* name, double least, double most) const;
  bool flag(const char* name) const;
  std::vector<std::string> texts(const char* name) const;

  /// The value that the word of a member stands for in `words`, pairs of both.
  template <typename Words>
  auto value(const char* name, const Words& words) const {
    const std::string found = text(name);
    std::vector<std::string> wanted;
    for (const auto& [word, value] : words) {
      if (found == word) return value;
      wanted.emplace_back(word);
    }
    fail_wanting(name, found, wanted);
  }

  /// The objects of an array, at most `most` of them.
  std::vector<JsonFields> objects(const char* name, std::size_t most) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  [[noreturn]] void fail_wanting(const char* name, const std::string& found,
                                 const std::vector<std::string>& wanted) const;
  const nlohmann::json& member(const char* name) const;

  const nlohmann::json* object_;
  std::string where_;
};

/// The word of a value in such pairs.
template <typename Words, typename Value>
const char* word_for(const Words& words, Value value) {
  for (const auto& [word, of] : words) {
    if (of == value) return word;
  }
  return "";
}

/// Parses the text of file `name` (at most most_file_bytes), an object whose "schema" is `schema`. Throws
/// Error.
nlohmann::json parse_file(const std::string& text, const std::string& name, const std::string& schema);

}  // namespace adarun::planner
