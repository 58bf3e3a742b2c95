// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::base {

/// A user of this machine.
struct User {
  std::string name;
  uid_t id = 0;
  std::string home;
  std::string shell;

  bool operator==(const User&) const = default;
};

/// A portable program has the name service of its own C library alone: files and DNS, in this order, whatever
/// /etc/nsswitch.conf says. The plug-ins that this file may name (LDAP, sssd, mDNS) belong to another C
/// library, and would crash the program. Call this at its start. What files and DNS do not know, the
/// functions below ask of /usr/bin/getent, a program of the machine's C library, where there is one. Does
/// nothing in an ordinary build, whose C library is the machine's.
void disable_nss_plugins();

/// The user with that id or name. Empty: unknown, or getent has not answered within five seconds.
std::optional<User> user_of(uid_t id);
std::optional<User> user_named(const std::string& name);

/// The addresses that getent knows of a host, as numbers, each once. Empty in an ordinary build.
std::vector<std::string> addresses_by_getent(const std::string& host);

/// The user of a line of passwd(5).
std::optional<User> user_in(std::string_view line);

/// The addresses in what `getent ahosts` prints. Words that are no addresses are left out.
std::vector<std::string> addresses_in(std::string_view text);

}  // namespace adarun::base
