// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ranktable/model/fields.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The names of the known fields of one kind of object: the schema's, then those that other tools write
/// there. An archive (model/fields.h).
class KnownFields {
 public:
  /// Those of a struct of a table.
  template <typename Record>
  static const KnownFields& of() {
    static const KnownFields known = [] {
      KnownFields fields;
      Record().fields(fields);
      return fields;
    }();
    return known;
  }

  /// Whether there is one of this name, or any program passes it over: a comment.
  bool has(const std::string& name) const;

  const std::vector<std::string_view>& names() const { return names_; }

  void text(std::string_view key, const auto&, Presence = Presence::required) { add_single(key); }
  void number_text(std::string_view key, const auto&) { add_single(key); }
  void number(std::string_view key, const auto&) { add_single(key); }
  void texts(std::string_view key, const auto&) { names_.push_back(key); }
  void list(std::string_view key, const auto&, Presence = Presence::required) { names_.push_back(key); }
  void sole_item(std::string_view key, const auto&) { names_.push_back(key); }
  void count(std::string_view key, const auto&, std::size_t, Presence = Presence::required) {
    names_.push_back(key);
  }
  void read_later(const auto& some) { some(*this); }
  void without_version_1_2() {}
  void of_other_tools(std::initializer_list<std::string_view> names) {
    names_.insert(names_.end(), names.begin(), names.end());
  }

 private:
  void add_single(std::string_view key) {
    names_.insert(names_.begin() + singles_, key);
    ++singles_;
  }

  std::vector<std::string_view> names_;
  std::ptrdiff_t singles_ = 0;
};

/// Reports fields that are neither in the schema nor known to be written by other tools. A mistyped name of
/// an optional field (device-ip) would otherwise go unnoticed.
class UnknownFields {
 public:
  explicit UnknownFields(Findings& findings) : findings_(findings) {}

  /// Checks the extras of a struct of a table, and of all in its lists. The path is made text only for
  /// findings, because a table may have 65,536 ranks.
  template <typename Record>
  void check(const Record& record, const Path& path) {
    const KnownFields& known = KnownFields::of<Record>();
    for (const Extra& field : record.extras)
      if (!known.has(field.name)) report(field.name, known, path.text());
    Items items{{}, *this, path};
    const_cast<Record&>(record).fields(items);  // NOLINT: `fields` is one function for reading and others
  }

 private:
  struct Items : PassedOver {
    template <typename Item>
    void list(std::string_view key, const std::vector<Item>& items, Presence = Presence::required) {
      for (std::size_t i = 0; i < items.size(); ++i) unknown.check(items[i], Path(path, key, i));
    }
    template <typename Item>
    void sole_item(std::string_view key, const Item& item) {
      unknown.check(item, Path(path, key, 0));
    }

    UnknownFields& unknown;
    const Path& path;
  };

  void report(const std::string& name, const KnownFields& known, const std::string& path);
  const std::string& suggestion(const std::string& name, const KnownFields& known);

  Findings& findings_;
  std::map<std::pair<const KnownFields*, std::string>, std::string> suggestions_;
};

/// Reports all unknown fields of a table.
template <typename SomeTable>
void check_unknown_fields(const SomeTable& table, Findings& findings) {
  UnknownFields(findings).check(table, Path());
}

}  // namespace adarun::ranktable
