// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/log/log.h"
#include "monitor/web/access_policy.h"
#include "monitor/web/run_registry.h"

namespace adarun::monitor::web {

struct HttpServerOptions {
  ListenAddress address{"127.0.0.1", 0};
  std::string token;              ///< Of each request; empty: none is required.
  std::size_t most_viewers = 16;  ///< Pages kept up to date at once; more get 503.
  base::Log* log = nullptr;       ///< Receives each request and each error; must outlive the server.
};

/// Serves a registry to browsers (the page, events, JSON) and to Prometheus over HTTP. Runs in its own
/// threads: one per connection, up to a fixed number. Every request has a deadline.
class HttpServer {
 public:
  /// Binds and starts to serve. `registry` must outlive it. Throws Error if the address is not available.
  HttpServer(RunRegistry& registry, const HttpServerOptions& options);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Closes all connections and the registry, and joins its threads.
  ~HttpServer();

  /// The URL, with the actual port and without the token.
  std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace adarun::monitor::web
