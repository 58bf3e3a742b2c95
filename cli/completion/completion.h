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

}  // namespace adarun::cli
