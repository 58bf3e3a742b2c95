// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher::agent {

/// The variables of a process, by name.
class Environment {
 public:
  /// The variables that the agent inherited, without those that another launcher set for its own processes:
  /// PMIX_*, PMI_*, MPI_LOCALRANKID, MPI_LOCALNRANKS, OMPI_COMM_WORLD_*, OMPI_MCA_orte_* and the variables of
  /// a Slurm step. `variables` has the format of `environ`.
  static Environment inherited(const char* const* variables);

  /// Makes it the environment of this process. Call before there is a second thread.
  void install() const;

  /// Adds or replaces one "NAME=VALUE"; text without '=' or without a name is ignored.
  void set(std::string_view assignment);

  /// Adds one "NAME=VALUE" unless the name is already set.
  void set_default(std::string_view assignment);

  /// The process runs in this folder: PWD says so, if it is an absolute path.
  void set_folder(const std::string& path);

  /// Adds or replaces the variables of a rank. A rank that is given the table of several groups loses the
  /// RANK_TABLE_FILE of whoever started it, unless it is given one, too.
  void set_of_rank(const std::vector<std::string>& assignments);

  /// The value of `name`, or null.
  const std::string* find(const std::string& name) const;

  /// Where programs are looked up: PATH, or a usual default if it is not set.
  std::string path() const;

  /// "NAME=VALUE", sorted by name.
  std::vector<std::string> assignments() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace adarun::launcher::agent
