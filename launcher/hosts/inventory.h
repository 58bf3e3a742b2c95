// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/hosts/host.h"

namespace adarun::launcher {

/// The hosts, groups and variables of an inventory of Ansible, as a reader of a format adds them. At most
/// 65536 hosts and 1000 groups; variables that do not say where a host is are left out. Functions throw
/// Error, which names the file and, where it is known, the line.
class Inventory {
 public:
  /// `name` is the file's, for messages.
  explicit Inventory(std::string name) : name_(std::move(name)) {}

  [[noreturn]] void fail(std::size_t line, const std::string& why) const;

  /// The group is there. A child, or a group that has variables, must be added so, too.
  void add_group(const std::string& group, std::size_t line);
  void add_child(const std::string& group, const std::string& child, std::size_t line);

  /// Adds the hosts of a pattern, such as node[01:10], to a group. Returns their names.
  std::vector<std::string> add(const std::string& pattern, const std::string& group, std::size_t line);

  /// Whether a variable says where a host is, or which devices it has.
  static bool uses(std::string_view variable);

  void set(const std::vector<std::string>& hosts, const std::string& variable, const std::string& value,
           std::size_t line);
  void set_of_group(const std::string& group, const std::string& variable, const std::string& value,
                    std::size_t line);

  /// The hosts of a group and of its children in the order in which they were first added; of "all" or "" all
  /// of them. An empty name is refused where groups have different hosts.
  std::vector<Host> hosts_of(const std::string& group) const;

 private:
  using Variables = std::map<std::string, std::string, std::less<>>;

  struct Group {
    std::vector<std::string> hosts;  ///< Named in this group itself.
    std::set<std::string> children;
    Variables variables;
    std::size_t line = 0;  ///< The first one that names it.
    bool is_there = false;
  };

  Group& name_group(const std::string& group, std::size_t line);
  void store(Variables& variables, const std::string& variable, const std::string& value,
             std::size_t line) const;
  void require_group(const std::string& group) const;
  std::set<std::string> hosts_below(const std::string& group) const;
  std::vector<std::string> groups_by_depth() const;
  std::map<std::string, Variables> resolved() const;
  Host host_of(const std::string& alias, const Variables& variables) const;

  std::string name_;
  std::map<std::string, Group> groups_;
  std::map<std::string, Variables> variables_;  ///< By host; each is here.
  std::vector<std::string> order_;
  std::size_t named_ = 0;
  std::size_t settings_ = 0;  ///< Variables of hosts that were set so far.
};

}  // namespace adarun::launcher
