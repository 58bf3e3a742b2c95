// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "monitor/web/board.h"
#include "monitor/web/unpacked_logs.h"

namespace adarun::monitor::web {

/// What is asked for, once a Guard has let it in.
struct Request {
  std::string path;
  std::map<std::string, std::string> parameters;
};

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers all requests but that for events: the page and its parts, the same data as JSON, and /metrics.
/// Nothing of the host can be named in a request: logs are asked for by job and rank. From any thread.
class Site {
 public:
  /// `board` outlives it.
  explicit Site(Board& board) : board_(board) {}

  Reply answer(const Request& request) const;

 private:
  Reply run(const Request& request) const;
  Reply chart(const Request& request) const;
  Reply ranks_at(const Request& request) const;
  Reply log(const Request& request) const;

  Board& board_;
  mutable UnpackedLogs unpacked_;
};

}  // namespace adarun::monitor::web
