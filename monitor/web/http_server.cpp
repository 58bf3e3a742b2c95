// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/http_server.h"

#include <httplib.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <mutex>

#include "base/clean_text.h"
#include "base/system_text.h"
#include "monitor/base/error.h"
#include "monitor/web/client_connection.h"
#include "monitor/web/site.h"

namespace adarun::monitor::web {
namespace {

using Clock = RunRegistry::Clock;

constexpr std::size_t short_requests = 16;  // served at the same time besides the viewers' event streams
constexpr std::size_t rejecting = 4;        // threads that only answer that the server is full
constexpr std::chrono::milliseconds most_silence{20'000};  // of a machine to which something was sent

constexpr const char* content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri "
    "'none'; "
    "form-action 'none'; frame-ancestors 'none'";

/// Adapts a connection to httplib's interface.
class HttpStream : public httplib::Stream {
 public:
  explicit HttpStream(ClientConnection& connection) : connection_(connection) {}

  bool is_readable() const override { return connection_.is_readable(); }
  bool is_writable() const override { return connection_.is_open(); }
  ssize_t read(char* bytes, std::size_t size) override { return connection_.read(bytes, size); }
  ssize_t write(const char* bytes, std::size_t size) override { return connection_.write({bytes, size}); }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return connection_.socket(); }

 private:
  ClientConnection& connection_;
};

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string full_words(std::size_t most) {
  return "No room: " + std::to_string(most) +
         " pages are open already, as many as this adarun monitor keeps up to date. Close one and load "
         "again.\n";
}

std::string busy_answer() {
  const std::string words = "No room: too many connections at once. Load again in a moment.\n";
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: "
         "close\r\n"
         "Retry-After: 1\r\nContent-Length: " +
         std::to_string(words.size()) + "\r\n\r\n" + words;
}

AccessRequest access_request_of(const httplib::Request& request) {
  return {request.method,
          request.get_header_value("Host"),
          request.get_header_value("Sec-Fetch-Site"),
          request.get_header_value("Cookie"),
          request.get_header_value("Authorization"),
          request.get_param_value("token")};
}

void set_headers(httplib::Response& response) {
  response.set_header("Content-Security-Policy", content_security_policy);
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

void set_words(httplib::Response& response, int status, const std::string& words) {
  response.status = status;
  response.set_content(words, "text/plain; charset=utf-8");
}

}  // namespace

class HttpServer::Impl : private httplib::Server {
 public:
  Impl(RunRegistry& registry, const HttpServerOptions& options);
  ~Impl() override;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string url() const { return url_of(address_); }

 private:
  bool process_and_close_socket(socket_t socket) override;
  void bind(const ListenAddress& address);
  void answer(const httplib::Request& request, httplib::Response& response);
  void reply(const httplib::Request& request, httplib::Response& response);
  void answer_events(httplib::Response& response);
  bool send_event(std::uint64_t& seen, httplib::DataSink& sink) const;
  bool enter(int socket);
  void keep(int socket);
  void leave(int socket);

  RunRegistry& registry_;
  Site site_;
  AccessPolicy policy_;
  ListenAddress address_;
  std::size_t most_viewers_;
  base::Log* log_;
  std::atomic<std::size_t> viewers_ = 0;
  std::mutex mutex_;
  ConnectionSlots connections_;
  std::future<void> listening_;
};

HttpServer::Impl::Impl(RunRegistry& registry, const HttpServerOptions& options)
    : registry_(registry),
      site_(registry),
      policy_(options.token, machine_name()),
      address_(options.address),
      most_viewers_(options.most_viewers),
      log_(options.log),
      connections_(options.most_viewers + short_requests) {
  new_task_queue = [this] {
    // httplib deletes it.
    return std::make_unique<httplib::ThreadPool>(most_viewers_ + short_requests + rejecting).release();
  };
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
    return HandlerResponse::Handled;
  });
  bind(options.address);
  listening_ = std::async(std::launch::async, [this] { listen_after_bind(); });
}

void HttpServer::Impl::bind(const ListenAddress& address) {
  // httplib would set SO_REUSEPORT, so that a second server could share the port and get half of the
  // requests.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    // A viewer whose machine sleeps keeps its place no longer. Accepted connections inherit it.
    const auto silence_ms = static_cast<unsigned>(most_silence.count());
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence_ms, sizeof silence_ms);
  });
  errno = 0;
  const int port = address.port == 0 ? bind_to_any_port(address.host)
                                     : (bind_to_port(address.host, address.port) ? address.port : -1);
  if (port < 0)
    throw Error("cannot serve on " + address.host + " port " + std::to_string(address.port) + ": " +
                (errno == 0 ? "it cannot be had" : base::system_text(errno)));
  address_.port = port;
}

HttpServer::Impl::~Impl() {
  registry_.close();
  // Repeated, because connections accepted meanwhile must be shut down too, and the listening thread may not
  // have started yet.
  do {
    stop();
    const std::lock_guard lock(mutex_);
    connections_.each([](int socket) { ::shutdown(socket, SHUT_RDWR); });
  } while (listening_.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready);
}

bool HttpServer::Impl::enter(int socket) {
  const std::lock_guard lock(mutex_);
  const ConnectionSlots::Entry entry = connections_.enter(socket, peer_address(socket));
  if (entry.evicted) ::shutdown(*entry.evicted, SHUT_RDWR);  // Its thread ends then.
  return entry.has_room;
}

void HttpServer::Impl::leave(int socket) {
  const std::lock_guard lock(mutex_);
  connections_.leave(socket);
  ::close(socket);
}

void HttpServer::Impl::keep(int socket) {
  const std::lock_guard lock(mutex_);
  connections_.keep(socket);
}

bool HttpServer::Impl::process_and_close_socket(socket_t socket) {
  ClientConnection connection(socket);
  bool done = false;
  if (enter(socket)) {
    HttpStream stream(connection);
    bool closed = false;
    // One request per connection: keep-alive would hold a thread. No compression: on loopback and in a
    // cluster it costs more than it saves.
    done = stream.is_readable() &&
           process_request(stream, true, closed, [this, socket](httplib::Request& request) {
             keep(socket);
             request.headers.erase("Accept-Encoding");
             request.headers.erase("Range");
             request.ranges.clear();
           });
  } else {
    connection.reject(busy_answer());
  }
  ::shutdown(socket, SHUT_RDWR);
  leave(socket);
  return done;
}

// Logs only the path of the URL: the query may contain the token.
void HttpServer::Impl::answer(const httplib::Request& request, httplib::Response& response) {
  const Clock::time_point begin = Clock::now();
  try {
    reply(request, response);
  } catch (const std::exception& error) {
    if (log_ != nullptr)
      log_->warning("the answer to " + base::clean_line(request.path) + " failed: " + error.what());
    set_words(response, 500, "This failed; adarun monitor has said why.\n");
  }
  if (log_ == nullptr) return;
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  log_->debug(request.method + " " + request.path + ": " + std::to_string(response.status) + " after " +
              std::to_string(time.count()) + " ms");
}

void HttpServer::Impl::reply(const httplib::Request& request, httplib::Response& response) {
  set_headers(response);
  const AccessRequest asked = access_request_of(request);
  const AccessDecision decision = policy_.decide(asked);
  if (!decision.allowed()) return set_words(response, decision.status, decision.words + "\n");
  if (request.path == "/events") return answer_events(response);
  if (request.path == "/" && !policy_.token().empty() && !asked.token.empty()) {
    // Moves the token from the address bar to a cookie.
    response.set_header("Set-Cookie", policy_.cookie(address_.port));
    response.set_redirect("/", 303);
    return;
  }
  if (request.path == "/" && viewers_ >= most_viewers_)
    return set_words(response, 503, full_words(most_viewers_));
  PageRequest asked_page{request.path, {}};
  for (const auto& [name, value] : request.params) asked_page.parameters.emplace(name, value);
  PageReply reply = site_.answer(asked_page);
  response.status = reply.status;
  response.set_content(reply.body, reply.type);
}

void HttpServer::Impl::answer_events(httplib::Response& response) {
  if (++viewers_ > most_viewers_) {
    --viewers_;
    return set_words(response, 503, full_words(most_viewers_));
  }
  response.status = 200;
  const auto seen = std::make_shared<std::uint64_t>(0);
  response.set_chunked_content_provider(
      "text/event-stream",
      [this, seen](std::size_t /*offset*/, httplib::DataSink& sink) { return send_event(*seen, sink); },
      [this](bool /*success*/) { --viewers_; });
}

// Sends the next version as soon as there is one, but not more often than a page can follow; after 5 s
// without one, a keep-alive comment.
bool HttpServer::Impl::send_event(std::uint64_t& seen, httplib::DataSink& sink) const {
  constexpr std::chrono::milliseconds slice(500);
  constexpr std::chrono::milliseconds pause(200);
  const Clock::time_point next_sign_of_life = Clock::now() + std::chrono::seconds(5);
  for (;;) {
    const auto version = registry_.wait_beyond(seen, Clock::now() + slice);
    if (!version || !sink.is_writable()) return false;
    if (*version > seen) {
      const std::string event = "data: {\"version\":" + std::to_string(*version) + "}\n\n";
      seen = *version;
      if (!sink.write(event.data(), event.size())) return false;
      return registry_.wait_beyond(~std::uint64_t{0}, Clock::now() + pause).has_value();
    }
    if (Clock::now() >= next_sign_of_life) return sink.write(":\n\n", 3);
  }
}

HttpServer::HttpServer(RunRegistry& registry, const HttpServerOptions& options)
    : impl_(std::make_unique<Impl>(registry, options)) {}

HttpServer::~HttpServer() = default;

std::string HttpServer::url() const {
  return impl_->url();
}

}  // namespace adarun::monitor::web
