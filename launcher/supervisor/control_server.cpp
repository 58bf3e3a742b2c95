// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/control_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/signals.h"
#include "base/system_text.h"
#include "base/unix_socket.h"
#include "launcher/job/job_signals.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::seconds answer_time{2};
constexpr int client_timeout_s = 5;
constexpr std::size_t most_request_bytes = 65536;
constexpr std::size_t most_clients = 64;

void limit_waits(int socket) {
  const timeval timeout{client_timeout_s, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

using Clock = std::chrono::steady_clock;

// Also gives up where the peer takes a little, again and again.
bool send_line(int socket, const std::string& text) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(client_timeout_s);
  const std::string line = text + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    if (Clock::now() >= deadline) return false;
    const ssize_t size = send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

// A line without its line end; the incomplete line if the peer closed the connection or timed out.
std::string read_line(int socket, std::size_t most_bytes) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(client_timeout_s);
  std::string line;
  std::array<char, 65536> block{};
  while (line.size() < most_bytes && Clock::now() < deadline) {
    const ssize_t size = recv(socket, block.data(), block.size(), 0);
    if (size <= 0) break;
    line.append(block.data(), static_cast<std::size_t>(size));
    if (line.back() == '\n') {
      line.pop_back();
      break;
    }
  }
  return line;
}

}  // namespace

/// A process that asks: reads its request, waits for the answer, and writes it.
class ControlServer::Client {
 public:
  explicit Client(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  Clock::time_point due() const { return due_; }
  const std::string& request() const { return text_; }
  bool has_asked() const { return state_ == State::asking; }
  bool is_over() const { return state_ == State::over || Clock::now() >= due_; }

  short wanted() const {
    if (state_ == State::reading) return POLLIN;
    return state_ == State::writing ? POLLOUT : short{0};
  }

  /// Takes what has come. Returns true once the request is complete.
  bool read() {
    std::array<char, 4096> block{};
    const ssize_t size = recv(fd(), block.data(), block.size(), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (size > 0) text_.append(block.data(), static_cast<std::size_t>(size));
    const auto end = text_.find('\n');
    if (end == std::string::npos && (size <= 0 || text_.size() >= most_request_bytes)) state_ = State::over;
    if (end == std::string::npos) return false;
    text_.resize(end);
    state_ = State::asking;
    due_ = Clock::now() + answer_time;
    return true;
  }

  void answer(const std::string& reply) {
    text_ = reply + "\n";
    state_ = State::writing;
    due_ = Clock::now() + std::chrono::seconds(client_timeout_s);
    write();
  }

  void write() {
    const ssize_t size = send(fd(), text_.data() + sent_, text_.size() - sent_, MSG_NOSIGNAL);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (size > 0) sent_ += static_cast<std::size_t>(size);
    if (size <= 0 || sent_ == text_.size()) state_ = State::over;
  }

 private:
  /// reading -> asking: its line has come. -> writing: there is an answer. any -> over: it is written, the
  /// process is gone, or sends what is no line.
  enum class State { reading, asking, writing, over };

  base::FileDescriptor socket_;
  State state_ = State::reading;
  std::string text_;  ///< What has come of the request; once it is answered, the reply.
  std::size_t sent_ = 0;
  Clock::time_point due_ = Clock::now() + std::chrono::seconds(client_timeout_s);
};

ControlServer::ControlServer(const std::string& socket)
    : path_(socket),
      listening_(base::listen_at(socket)),
      closing_(eventfd(0, EFD_CLOEXEC)),
      answered_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (listening_ && closing_ && answered_) thread_ = base::start_quiet_thread([this] { serve(); });
}

ControlServer::~ControlServer() {
  if (!thread_.joinable()) return;
  eventfd_write(closing_.get(), 1);
  thread_.join();
  unlink(path_.c_str());
}

void ControlServer::serve() {
  Clients clients;
  for (bool is_closing = false; !is_closing;) {
    std::vector<pollfd> polled{{closing_.get(), POLLIN, 0}, {answered_.get(), POLLIN, 0}};
    polled.push_back({clients.size() < most_clients || slowest(clients) ? listening_.get() : -1, POLLIN, 0});
    Clock::time_point next = Clock::time_point::max();
    for (const auto& [number, client] : clients) {
      polled.push_back({client.wanted() == 0 ? -1 : client.fd(), client.wanted(), 0});
      next = std::min(next, client.due());
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    poll(polled.data(), polled.size(),
         clients.empty() ? -1 : std::max<int>(0, static_cast<int>(left.count())));
    is_closing = polled[0].revents != 0;
    eventfd_t count = 0;
    eventfd_read(answered_.get(), &count);
    if (polled[2].revents != 0 && clients.size() >= most_clients) make_room(clients);
    accept(clients);
    attend(clients, is_closing);
  }
}

// Who asks waits for our answer, for a short time; the others keep us waiting: the oldest one that has not
// asked yet, else that does not take its answer in.
std::optional<std::uint64_t> ControlServer::slowest(const Clients& clients) {
  for (const short wanted : {short{POLLIN}, short{POLLOUT}})
    for (const auto& [number, client] : clients)
      if (client.wanted() == wanted) return number;
  return std::nullopt;
}

// For another one that wants to connect, so that nobody waits behind those that say nothing.
void ControlServer::make_room(Clients& clients) {
  attend(clients, false);
  if (clients.size() < most_clients) return;
  if (const auto client = slowest(clients)) clients.erase(*client);
}

void ControlServer::accept(Clients& clients) {
  while (clients.size() < most_clients) {
    base::FileDescriptor socket = base::accept_own(listening_.get());
    if (!socket) return;
    clients.emplace(next_client_++, Client(std::move(socket)));
  }
}

void ControlServer::attend(Clients& clients, bool is_closing) {
  for (auto& [number, client] : clients) {
    if (client.wanted() == POLLIN && client.read()) take_request(number, client);
    if (client.wanted() == POLLOUT) client.write();
  }
  give_answers(clients, is_closing);
  std::erase_if(clients, [](const auto& each) { return each.second.is_over(); });
}

void ControlServer::take_request(std::uint64_t number, Client& client) {
  if (client.request() == "stop" || client.request() == "stop now") {
    kill(getpid(), stop_signal());
    if (client.request() == "stop now") kill(getpid(), stop_signal());
    return client.answer("stopping");
  }
  const std::lock_guard lock(mutex_);
  questions_.push_back({number, client.request(), {}});
}

void ControlServer::give_answers(Clients& clients, bool is_closing) {
  const std::lock_guard lock(mutex_);
  std::erase_if(questions_, [&](const Question& question) {
    const auto client = clients.find(question.client);
    if (client == clients.end()) return true;
    const bool is_late = is_closing || Clock::now() >= client->second.due();
    if (!question.answer && !is_late) return false;
    if (question.answer && question.request == "status") status_ = *question.answer;
    client->second.answer(question.answer ? *question.answer : without_answer(question.request));
    return true;
  });
}

// The main thread may be between two runs of a job and not answer; then the last status is used.
std::string ControlServer::without_answer(const std::string& request) const {
  return request == "status" ? status_ : "{}";
}

void ControlServer::answer_questions(const std::function<std::string(const std::string& request)>& answer) {
  std::vector<Question> open;
  {
    const std::lock_guard lock(mutex_);
    for (const Question& question : questions_)
      if (!question.answer) open.push_back(question);
  }
  if (open.empty()) return;
  for (Question& question : open) question.answer = answer(question.request);
  const std::lock_guard lock(mutex_);
  for (Question& question : questions_)
    for (Question& answered : open)
      if (answered.client == question.client) question.answer = std::move(answered.answer);
  eventfd_write(answered_.get(), 1);
}

std::string ask_control_server(const std::string& socket, const std::string& request) {
  constexpr std::size_t most_reply_bytes = 256U << 20U;
  const base::FileDescriptor control_server = base::connect_to(socket);
  if (!control_server)
    throw std::runtime_error("its supervisor cannot be reached: " + base::system_text(errno));
  limit_waits(control_server.get());
  // The kernel counts in ticks of a few milliseconds, and may end a wait one early.
  const Clock::time_point first_end_of_wait =
      Clock::now() + std::chrono::seconds(client_timeout_s) - std::chrono::milliseconds(50);
  const bool sent = send_line(control_server.get(), request);
  std::string reply = sent ? read_line(control_server.get(), most_reply_bytes) : "";
  if (!reply.empty()) return reply;
  if (Clock::now() < first_end_of_wait)
    throw std::runtime_error("its supervisor ends the connection without an answer");
  throw NoAnswer("its supervisor does not answer within " + std::to_string(client_timeout_s) + " s");
}

}  // namespace adarun::launcher
