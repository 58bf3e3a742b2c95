// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "monitor/web/log_page.h"
#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

/// A request that an AccessPolicy has allowed.
struct PageRequest {
  std::string path;
  std::map<std::string, std::string> parameters;
};

struct PageReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

/// Answers all requests except those for events: the page and its files, the same data as JSON, and /metrics.
/// A request cannot name files of the host: logs are requested by job and rank. Thread-safe.
class Site {
 public:
  /// `registry` must outlive it.
  explicit Site(RunRegistry& registry) : registry_(registry) {}

  PageReply answer(const PageRequest& request) const;

 private:
  PageReply run(const PageRequest& request) const;
  PageReply chart(const PageRequest& request) const;
  PageReply ranks_at(const PageRequest& request) const;
  PageReply log(const PageRequest& request) const;

  RunRegistry& registry_;
  mutable UnpackedLogs unpacked_;
};

}  // namespace adarun::monitor::web
