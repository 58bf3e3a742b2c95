// SPDX-License-Identifier: Apache-2.0
// Lines as a remote command, a host and a user: any lines give words that run the program on the node, or an
// Error. No host or user is an option.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/shell_word.h"
#include "launcher/base/error.h"
#include "launcher/transport/command/remote_command.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

namespace {

const char* set_variable(const char* name) {
  return std::string_view(name) == "JOB" ? "7 {host} {command}" : nullptr;
}

void check_words(const std::vector<std::string>& words, const std::string& line) {
  const std::vector<std::string> program{"/bin/sh", "-c", "it's"};
  demand(words.front() == launcher::split_words(line).front());
  const std::string quoted = adarun::base::shell_words(program);
  const bool has_text = std::any_of(words.begin(), words.end(), [&quoted](const std::string& word) {
    return word.find(quoted) != std::string::npos;
  });
  demand(has_text ||
         (words.size() > program.size() && std::equal(program.rbegin(), program.rend(), words.rbegin())));
}

}  // namespace

FUZZ_TARGET(remote_command) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string line(take_line(text));
  launcher::CommandTarget target{
      std::string(take_line(text)), std::string(take_line(text)), 22, "key", "", "yes"};
  try {
    const launcher::RemoteCommand command = launcher::parse_remote_command("exec", line, set_variable);
    const auto words = launcher::words_of(command, target, {"/bin/sh", "-c", "it's"});
    demand(!target.host.starts_with('-') && !target.user.starts_with('-'));
    check_words(words, line);
    demand(!launcher::text_of(command, target).empty());
  } catch (const launcher::Error&) {
  }
  return 0;
}
