// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Splits a line into words at blanks, tabs and line ends. Quoting is that of a POSIX shell, and nothing else
/// is special:
///   'text'  is taken as it is;
///   "text"  likewise, but \" and \\ are a double quote and a backslash;
///   \c      outside quotes is the character c.
/// So '' is an empty word, and a'b c'd is the word "ab cd". Variables, globs, pipes and redirections are for
/// a shell, which this is not: they are characters like others. Throws Error if a quote does not end, or if a
/// backslash is the last character.
std::vector<std::string> split_words(std::string_view line);

/// What the placeholders of a RemoteCommand stand for on one node; an empty text or 0: it has none.
struct CommandTarget {
  std::string host;
  std::string user = {};
  int port = 0;
  std::string identity = {};    ///< File of the private key.
  std::string ssh_config = {};  ///< File that OpenSSH reads instead of the user's.
  std::string host_key = {};    ///< OpenSSH's word for what to do with a host whose key is unknown.
};

/// A command that runs a program on a node, with its stdin and stdout as the stream to it. Its words are a
/// list; no shell of this machine reads them. In a word stand for
///   {host} {user} {port} {identity} {ssh-config} {host-key}
///       the texts of the node's CommandTarget. A word with one that the node has not is left out, unless it
///       has {host} or {command}, too: then it is an error;
///   {command}
///       the program with its arguments, quoted for a POSIX shell: for commands that hand text to a shell
///       there, as ssh does. Without it, program and arguments follow as words of their own.
struct RemoteCommand {
  std::string name;                ///< As the user chose it: "openssh", or "exec".
  std::vector<std::string> words;  ///< Variables of the environment are already in it.
};

/// A command from a line of split_words(). `{NAME}` in capitals stands for a variable of the environment, of
/// which `variable` returns the value, null if it is not set. Throws Error if there is no word, if a
/// placeholder is not known or a variable not set, if {host} is missing or in the first word, or if the
/// program is known to hand its words to a shell and {command} is missing.
RemoteCommand parse_remote_command(const std::string& name, const std::string& line,
                                   const std::function<const char*(const char*)>& variable);

/// The words that run `program` (with its arguments) on the node of `target`. Throws Error if a word lacks a
/// value, or if host or user could be taken for an option, or for more than one word by a shell.
std::vector<std::string> words_of(const RemoteCommand& command, const CommandTarget& target,
                                  const std::vector<std::string>& program);

/// The command for people, without the program to run: "ip netns exec node1".
std::string text_of(const RemoteCommand& command, const CommandTarget& target);

}  // namespace adarun::launcher
