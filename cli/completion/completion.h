// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/completion/typed_words.h"

namespace adarun::cli {

/// What may stand in the place of the word that is being typed.
struct Completion {
  struct Candidate {
    std::string word;
    std::string help;
    bool operator==(const Candidate&) const = default;
  };
  std::vector<Candidate> candidates;  ///< Whole words that begin as it does.
  bool open = false;                  ///< More may follow in the same word: no blank is wanted behind it.
  bool files = false;                 ///< Or a file,
  bool folders = false;               ///< or a folder,
  bool program = false;               ///< or a program and its arguments, which the shell knows.
};

/// Of commands, options and their values: those that --help shows, and hosts, jobs and ranks as far as they
/// are known here (cli/completion/known_names.h).
Completion complete(const TypedWords& typed);

}  // namespace adarun::cli
