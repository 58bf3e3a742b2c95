// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/command.h"

namespace adarun::cli {

/// `adarun complete -- WORD...`, which --help does not show: what the shells' completions
/// (cli/completion/shells) ask. The words are those behind "adarun", the last one as far as it is typed. The
/// first line is "words", with "open", "files", "folders" or "program" behind it (Completion); each further
/// one a word, a tab, what it is.
void add_complete(CLI::App& app, Invocation& invocation);

}  // namespace adarun::cli
