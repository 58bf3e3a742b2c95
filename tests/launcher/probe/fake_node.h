// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/probe/probe_session.h"

namespace adarun::launcher {

/// A simulated node: the output of its programs, by command line, and the contents of its files.
struct FakeNode {
  std::map<std::string, std::string> programs;
  std::map<std::string, std::string> files;
  std::vector<std::string> devices;
  std::vector<std::string> asked;
  std::string hostname = "host";
  std::vector<std::string> addresses = {"127.0.0.1"};

  protocol::Answer answer(const protocol::Query& query) {
    protocol::Answer answer;
    if (query.question == protocol::Question::list) {
      answer.names = devices;
      return answer;
    }
    if (query.question == protocol::Question::addresses) {
      answer.out = hostname;
      answer.names = addresses;
      return answer;
    }
    const bool is_file = query.question == protocol::Question::read;
    std::string thing = is_file ? query.path : "";
    for (const std::string& word : query.argv) thing += (thing.empty() ? "" : " ") + word;
    asked.push_back(thing);
    const auto& things = is_file ? files : programs;
    const auto found = things.find(thing);
    if (found == things.end()) {
      answer.outcome = protocol::Outcome::not_found;
      answer.reason = thing + ": No such file or directory";
    } else {
      answer.out = found->second;
    }
    return answer;
  }

  /// Answers every query.
  void hold(NodeProbe& probe) {
    for (std::vector<protocol::Query> queries = probe.next(); !queries.empty(); queries = probe.next())
      for (const protocol::Query& query : queries) probe.take(query, answer(query));
  }
};

}  // namespace adarun::launcher
