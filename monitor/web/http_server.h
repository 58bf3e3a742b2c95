// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "diagnostics/log.h"
#include "monitor/web/listen_address.h"
#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

struct HttpServerOptions {
  ListenAddress address{"127.0.0.1", 0};
  std::string token;  ///< Empty: nobody is asked for one.
  std::size_t most_viewers =
      16;  ///< Pages that are kept up to date at once. Further ones are told so, with 503.
  diagnostics::Log* log = nullptr;  ///< Receives each request and what goes wrong; outlives the server.
};

/// Serves a registry to browsers (the page, events, JSON) and Prometheus over HTTP, from threads of its own:
/// one for each connection up to a fixed number. Every request has a deadline.
class HttpServer {
 public:
  /// Binds and begins to answer. `registry` outlives it. Throws Error where the address cannot be had.
  HttpServer(RunRegistry& registry, const HttpServerOptions& options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Cuts all connections and ends its threads; closes the registry.
  ~HttpServer();

  /// Where it is reached, with the port that it has; without the token.
  std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace adarun::monitor::web
