// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/protocol/archive.h"

// Small queries of the launcher to a node, with or without a job: see messages.h for their place in a
// conversation.

namespace adarun::launcher::protocol {

/// What a Query asks for.
enum class Question : std::uint8_t {
  run,        ///< What a program writes. Programs run one after another, in the order of their queries.
  read,       ///< The content of a regular file.
  list,       ///< The names in a folder, sorted.
  addresses,  ///< The node's host name and the IP addresses of its interfaces, loopback included.
  listen,  ///< argv: an address of the node. A port there, open for ten minutes to whoever sends `secret`, at
           ///< which other nodes measure their links to this one. Once in a conversation.
  link,    ///< argv: address and port of another node that listens. The costs of the link to it.
  speed,   ///< argv: a number of processes. How fast so many of them copy and compute.
};

/// launcher -> agent: a question; the agent answers each, in any order. Accepted from Hello until termination
/// begins; those still open then are not answered.
struct Query {
  std::uint32_t id = 0;  ///< Chosen by the launcher; comes back in the Answer.
  Question question = Question::run;
  std::vector<std::string> argv;         ///< run: argv[0] without '/' is looked up in the agent's PATH.
  std::string path;                      ///< read, list: a file or folder.
  std::uint32_t deadline_ms = 10'000;    ///< run, link, speed: from the arrival of the query; what still
                                         ///< runs then is killed.
  std::uint32_t limit_bytes = 64 << 10;  ///< Maximum size of the answer.
  std::string secret = {};               ///< listen, link: what both ends of a link know.

  void fields(auto& archive) { archive(id, question, argv, path, deadline_ms, limit_bytes, secret); }
  bool operator==(const Query&) const = default;
};

/// A question about `path`, whose answer may hold as much as `limit_bytes`.
inline Query query_about(Question question, std::string path,
                         std::uint32_t limit_bytes = Query{}.limit_bytes) {
  Query query;
  query.question = question;
  query.path = std::move(path);
  query.limit_bytes = limit_bytes;
  return query;
}

/// In the reason of an answer that is too late: others ran until then, and its program was not started.
constexpr std::string_view no_turn = "its turn has not come";

/// The result of a query.
enum class Outcome : std::uint8_t {
  answered,   ///< For a program: it has ended, whatever its exit code.
  not_found,  ///< No such program, file or folder.
  failed,     ///< It is there, but cannot be executed or read.
  too_late,   ///< Its deadline passed.
  too_much,   ///< More than the limit.
};

/// agent -> launcher: the answer to the Query of the same id.
struct Answer {
  std::uint32_t id = 0;
  Outcome outcome = Outcome::answered;
  std::string reason;              ///< Unless answered: one line that says why and names the program, file or
                                   ///< folder.
  std::string out;                 ///< What the program wrote to stdout, also if it was too late or too much,
                                   ///< then up to the limit; the file's content; the host name.
  std::string err;                 ///< What the program wrote to stderr.
  std::int32_t code = 0;           ///< The program's exit code, if signal is 0.
  std::int32_t signal = 0;         ///< The signal that ended it.
  std::vector<std::string> names;  ///< list: names; addresses: IPv4 and IPv6 addresses as text.
  /// listen: the port. link: time of a message there and back in ns, bytes/s to the other node, bytes/s from
  /// it. speed: bytes/s that all processes copy, operations/s of one of them (float32, multiply and add count
  /// as two); between two cores of a NUMA node, then of two NUMA nodes (0, 0: there is one), time of a
  /// message in ns and bytes/s.
  std::vector<std::uint64_t> numbers = {};

  void fields(auto& archive) { archive(id, outcome, brief(reason), out, err, code, signal, names, numbers); }
  bool operator==(const Answer&) const = default;
};

/// The answer to query `id` that has none but `reason`.
inline Answer unanswered(std::uint32_t id, Outcome outcome, std::string reason) {
  return {id, outcome, std::move(reason), "", "", 0, 0, {}};
}

}  // namespace adarun::launcher::protocol
