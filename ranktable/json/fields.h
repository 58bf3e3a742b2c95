// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ranktable/finding.h"
#include "ranktable/json/json_text.h"
#include "ranktable/model.h"

namespace adarun::ranktable {

/// What a number that cannot be read becomes, so that the other rules can go on.
inline constexpr int unreadable = -1;

/// The fields of one JSON object of a 1.x table, where every scalar is a string. What is wrong with one
/// becomes a finding. Borrows the object and the findings.
class Fields {
 public:
  /// `object` may be anything: what is no JSON object is a finding, and has no fields.
  Fields(const Json& object, std::string path, std::vector<Finding>& findings);

  /// A string that must be there; empty where it is not.
  std::string text(const std::string& key);

  /// A string; empty where it is absent.
  std::string optional_text(const std::string& key);

  /// A string of decimal digits, without sign or leading zero, that fits an int; else `unreadable`.
  int number(const std::string& key);

  /// An array that must be there; nullptr where it is not.
  const Json* list(const std::string& key);

  /// All fields that were not asked for so far, in the order of the file.
  std::vector<Extra> extras() const;

  const std::string& path() const { return path_; }

 private:
  const Json* find(const std::string& key);
  std::string string_of(const std::string& key, const Json* value);
  void report(const std::string& key, std::string rule, std::string code, std::string found);

  const Json& object_;
  std::string path_;
  std::vector<Finding>& findings_;
  bool is_object_;
  std::set<std::string> asked_;
};

}  // namespace adarun::ranktable
