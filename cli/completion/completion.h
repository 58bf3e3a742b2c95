// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/typed_words.h"

namespace adarun::cli {

/// Possible completions of the word that is being typed.
struct Completion {
  struct Candidate {
    std::string word;
    std::string help;
    bool operator==(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;  ///< Complete words that begin with the typed text.
  bool open = false;                  ///< The word may continue: add no blank after it.
  bool files = false;                 ///< File names are possible as well,
  bool folders = false;               ///< or folder names,
  bool program = false;               ///< or a program and its arguments, completed by the shell.
};

/// Completes commands, options and their values as shown by --help, and hosts, jobs and ranks known on this
/// machine.
Completion complete(const TypedWords& typed);

/// Hosts of a --hosts option typed before, then hosts named in the SSH configuration (that of --ssh-config,
/// else the user's). Here and below, what cannot be read is left out.
std::vector<Completion::Candidate> known_hosts(const TypedWords& typed);

/// Jobs, newest first; for `stop` and `resize` only those that run on this machine, also between two
/// attempts, and for `attach` of these the detached ones.
std::vector<Completion::Candidate> known_jobs(const TypedWords& typed);

/// The ranks of the table, hosts or job typed before, else of the job in ./log_output.
std::vector<Completion::Candidate> known_ranks(const TypedWords& typed);

}  // namespace adarun::cli
