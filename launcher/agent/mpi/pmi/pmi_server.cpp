// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmi/pmi_server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <variant>

#include "base/file_descriptor.h"
#include "base/system_text.h"
#include "base/wall_clock.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/mpi/pmi/key_values.h"
#include "launcher/protocol/mpi.h"

namespace adarun::launcher::agent::pmi {
namespace {

constexpr std::size_t max_name_bytes = 256;

// MPICH lowers the limit on values so that one fits in a request of 1024 bytes.
constexpr std::size_t max_mapping_bytes = 600;

// Scripts use descriptors 3 to 9; shells use those from 10 on internally.
constexpr int lowest_fd = 64;

// Enough reads to empty the socket of an ended rank.
constexpr int last_turns = 256;

const std::vector<std::uint32_t>& ranks_of(const protocol::Start& start) {
  static const std::vector<std::uint32_t> none;
  return start.node < start.nodes.size() ? start.nodes[start.node].ranks : none;
}

// This node's share of `bytes`, in proportion to its ranks; one Fence may carry all of it.
std::size_t share_of(std::size_t bytes, const protocol::Start& start) {
  const std::size_t share = bytes / std::max<std::size_t>(1, start.world_size) * ranks_of(start).size();
  return std::min(share, most_exchanged_bytes);
}

std::string name_for(const std::string& job_id) {
  std::string name = "adarun-" + job_id.substr(0, max_name_bytes / 2);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c <= ' ' || c == '='; }, '_');
  return name;
}

// The two ends of a socket: ours, and a rank's.
std::pair<base::FileDescriptor, base::FileDescriptor> make_socket() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error("PMI: a socket: " + base::system_text(errno));
  std::pair sockets{base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
  if (base::FileDescriptor high(::fcntl(ends[1], F_DUPFD_CLOEXEC, lowest_fd)); high)
    sockets.second = std::move(high);
  return sockets;
}

// "0-2,4", of ascending numbers.
std::string ranges_of(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < ranks.size(); begin = end) {
    for (end = begin + 1; end < ranks.size() && ranks[end] == ranks[end - 1] + 1;) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[begin]);
    if (end - begin > 1) text += "-" + std::to_string(ranks[end - 1]);
  }
  return text;
}

Command refusal(const std::string& answer, const std::string& reason) {
  return {answer, {{"rc", "-1"}, {"msg", reason}}};
}

// MPICH reads `info`, others `rc`.
Command name_refusal(const std::string& answer, const std::string& reason) {
  return {answer, {{"info", reason}, {"rc", "1"}, {"msg", reason}}};
}

// Whether an answer can hold it: MPICH splits answers at blanks.
bool is_word(const std::string& value) {
  return value.find_first_of(" \n\r") == std::string::npos;
}

// Why a request about a name was refused; null: it was not. The value comes from another node, and is to be
// one word.
const char* reason_of(const protocol::NameReply& reply) {
  switch (reply.outcome) {
    case protocol::NameOutcome::done:
      break;
    case protocol::NameOutcome::taken:
      return "key_already_present";
    case protocol::NameOutcome::too_much:
      return "too_much_published";
    case protocol::NameOutcome::unknown:
    case protocol::NameOutcome::timed_out:
      return "service_not_found";
  }
  return reply.names.empty() || is_word(reply.names.front().value) ? nullptr : "service_not_found";
}

// The name of the answer to a request that is not supported here.
std::string answer_name(const std::string& request) {
  if (request == "create_kvs") return "newkvs";
  if (request == "destroy_kvs") return "kvs_destroyed";
  return request + "_result";
}

}  // namespace

PmiServer::PmiServer(protocol::Start start)
    : start_(std::move(start)),
      name_(name_for(start_.job_id)),
      mapping_(process_mapping(start_.nodes)),
      published_(share_of(max_published_bytes, start_)) {
  if (mapping_.size() > max_mapping_bytes) mapping_.clear();
  published_.add(start_.published);
  start_.published.clear();
}

MpiServer::RankStart PmiServer::admit(std::uint32_t rank, std::uint32_t /*restarts*/) {
  const std::vector<std::uint32_t>& ranks = ranks_of(start_);
  const auto place = std::find(ranks.begin(), ranks.end(), rank);
  if (place == ranks.end()) return {};
  auto [ours, theirs] = make_socket();
  std::vector<std::string> environment{
      "PMI_FD=" + std::to_string(theirs.get()),
      "PMI_RANK=" + std::to_string(rank),
      "PMI_SIZE=" + std::to_string(start_.world_size),
      "MPI_LOCALRANKID=" + std::to_string(place - ranks.begin()),
      "MPI_LOCALNRANKS=" + std::to_string(ranks.size()),
  };
  clients_.insert_or_assign(rank, Client(rank, std::move(ours)));
  return {std::move(environment), std::move(theirs)};
}

void PmiServer::watch(Poll& poll) {
  for (auto& [rank, client] : clients_)
    poll.watch(client.fd(), client.events(), [this, &client = client] { serve(client); });
}

void PmiServer::hear_out(std::uint32_t rank) {
  const auto client = clients_.find(rank);
  if (client == clients_.end()) return;
  for (int turns = 0; turns < last_turns && serve(client->second);) ++turns;
}

bool PmiServer::serve(Client& client) {
  try {
    const bool came = client.exchange();
    while (const auto command = client.next()) obey(client, *command);
    return came;
  } catch (const Error& error) {
    std::fprintf(stderr, "adarun-agent: rank %u: %s\n", client.rank(), error.what());
    client.close();
    return false;
  }
}

PmiServer::Answer PmiServer::answer_to(std::string_view name) {
  static const std::map<std::string_view, Answer> answers{
      {"init", &PmiServer::init},
      {"put", &PmiServer::put},
      {"get", &PmiServer::find},
      {"barrier_in", &PmiServer::enter_barrier},
      {"adarun_lost_peer", &PmiServer::lose_peer},
      {"adarun_listen_at", &PmiServer::listen_at},
      {"adarun_stay_on", &PmiServer::stay_on},
      {"finalize", &PmiServer::finalize},
      {"abort", &PmiServer::abort},
      {"spawn", &PmiServer::spawn},
      {"publish_name", &PmiServer::publish_name},
      {"lookup_name", &PmiServer::look_up_name},
      {"unpublish_name", &PmiServer::withdraw_name},
  };
  const auto found = answers.find(name);
  return found == answers.end() ? nullptr : found->second;
}

void PmiServer::obey(Client& client, const Command& command) {
  if (const Answer answer = answer_to(command.name))
    (this->*answer)(client, command);
  else if (const auto known = facts(command.name, client.rank()))
    client.answer(*known);
  else
    client.answer(refusal(answer_name(command.name), "not_supported_by_adarun"));
}

// The answer to a request that has no arguments and changes nothing; none to any other.
std::optional<Command> PmiServer::facts(std::string_view asked, std::uint32_t rank) const {
  if (asked == "get_appnum")
    return Command{"appnum", {{"appnum", std::to_string(start_.application_of(rank))}}};
  if (asked == "get_my_kvsname") return Command{"my_kvsname", {{"kvsname", name_}}};
  if (asked == "get_universe_size")
    return Command{"universe_size", {{"size", std::to_string(start_.world_size)}}};
  if (asked == "get_maxes")
    return Command{"maxes",
                   {{"kvsname_max", std::to_string(max_name_bytes)},
                    {"keylen_max", std::to_string(KeyValues::max_key_bytes)},
                    {"vallen_max", std::to_string(KeyValues::max_value_bytes)}}};
  return std::nullopt;
}

void PmiServer::init(Client& client, const Command& command) {
  const bool known = command.value("pmi_version") == "1";
  client.answer(
      {"response_to_init", {{"pmi_version", "1"}, {"pmi_subversion", "1"}, {"rc", known ? "0" : "-1"}}});
  if (!known || (client.connected && !client.finalized)) return;
  client.connected = true;
  client.finalized = false;
  messages_.emplace_back(protocol::Joined{client.rank()});
}

void PmiServer::put(Client& client, const Command& command) {
  const std::string reason =
      command.value("kvsname") == name_
          ? published_.put(std::string(command.value("key")), std::string(command.value("value")))
          : "unknown_kvsname";
  client.answer(reason.empty() ? Command{"put_result", {{"rc", "0"}, {"msg", "success"}}}
                               : refusal("put_result", reason));
}

void PmiServer::find(Client& client, const Command& command) {
  const std::string_view key = command.value("key");
  const std::string* value = command.value("kvsname") == name_ ? published_.find(key) : nullptr;
  if (key == "PMI_process_mapping" && !mapping_.empty()) value = &mapping_;
  if (value == nullptr)
    client.answer({"get_result", {{"rc", "-1"}, {"msg", "key_not_found"}, {"value", "unknown"}}});
  else
    client.answer({"get_result", {{"rc", "0"}, {"msg", "success"}, {"value", *value}}});
}

void PmiServer::enter_barrier(Client& client, const Command& command) {
  const std::string_view group = command.value("group");
  if (!group.empty() && group != "WORLD")
    return client.answer(refusal("barrier_out", "not_supported_by_adarun"));
  if (client.in_barrier) return client.answer(refusal("barrier_out", "already_in_the_barrier"));
  client.in_barrier = true;
  waiting_.insert(client.rank());
  if (waiting_.size() < ranks_of(start_).size()) return;
  waiting_.clear();
  messages_.emplace_back(protocol::Fence{{}, published_.take_new(), protocol::Service::pmi});
}

void PmiServer::take(const protocol::Message& message) {
  if (const auto* done = std::get_if<protocol::FenceDone>(&message)) finish_fence(*done);
  if (const auto* members = std::get_if<protocol::Members>(&message)) change_members(*members);
  if (const auto* reply = std::get_if<protocol::NameReply>(&message)) take_names(*reply);
}

void PmiServer::finish_fence(const protocol::FenceDone& done) {
  if (done.service != protocol::Service::pmi) return;
  published_.add(done.data);
  for (auto& [rank, client] : clients_) {
    if (!client.in_barrier) continue;
    client.in_barrier = false;
    client.answer({"barrier_out", {{"rc", "0"}}});
  }
}

void PmiServer::stay_on(Client& client, const Command& /*command*/) {
  client.answer({"adarun_stay_on_result", {{"rc", "0"}}});
  if (!std::exchange(client.stays_on, true)) messages_.emplace_back(protocol::StaysOn{client.rank()});
}

// Once: a rank that repeats it fills nobody's memory.
void PmiServer::listen_at(Client& client, const Command& command) {
  const std::string_view endpoint = command.value("endpoint");
  if (!protocol::is_endpoint(endpoint))
    return client.answer(refusal("adarun_listen_at_result", "no_endpoint"));
  client.answer({"adarun_listen_at_result", {{"rc", "0"}}});
  if (!std::exchange(client.listens, true))
    messages_.emplace_back(protocol::ListensAt{client.rank(), std::string(endpoint)});
}

// Once for each generation: a rank that repeats it fills nobody's memory.
void PmiServer::lose_peer(Client& client, const Command& command) {
  if (!client.stays_on || client.lost_peer_in == generation_) return;
  if (command.value("generation") != std::to_string(generation_)) return;
  client.lost_peer_in = generation_;
  messages_.emplace_back(protocol::LostPeer{client.rank(), generation_});
}

void PmiServer::change_members(const protocol::Members& members) {
  generation_ = members.generation;
  const Command line{"adarun_members",
                     {{"generation", std::to_string(members.generation)},
                      {"ranks", ranges_of(members.ranks)},
                      {"root", std::to_string(members.root)},
                      {"at", members.at}}};
  for (auto& [rank, client] : clients_)
    if (client.stays_on && !client.finalized) client.tell(line);
}

void PmiServer::finalize(Client& client, const Command& /*command*/) {
  if (!std::exchange(client.finalized, true) && client.stays_on)
    messages_.emplace_back(protocol::Finalized{client.rank()});
  client.answer({"finalize_ack", {{"rc", "0"}}});
}

// Not answered: the rank waits until the launcher ends it. Once: a rank that repeats it fills nobody's
// memory.
void PmiServer::abort(Client& client, const Command& command) {
  if (std::exchange(client.aborted, true)) return;
  const std::string_view text = command.value("exitcode");
  std::int32_t status = 1;
  std::from_chars(text.data(), text.data() + text.size(), status);
  messages_.emplace_back(protocol::Abort{client.rank(), status, "", base::now_ns()});
}

// One request per program to spawn. Like abort().
void PmiServer::spawn(Client& client, const Command& command) {
  if (std::exchange(client.aborted, true)) return;
  messages_.emplace_back(spawn_ends_job(
      client.rank(), std::string(command.value("nprocs")), std::string(command.value("execname")),
      command.value("totspawns") == "1" ? Programs::one : Programs::several));
}

void PmiServer::publish_name(Client& client, const Command& command) {
  const std::string name(command.value("service"));
  const std::string value(command.value("port"));
  if (!is_word(value)) return client.answer(name_refusal("publish_result", "no_blank_may_be_in_a_port"));
  request_name(client, "publish_result",
               {.action = protocol::NameAction::publish, .names = {{name, value, client.rank()}}});
}

void PmiServer::look_up_name(Client& client, const Command& command) {
  request_name(
      client, "lookup_result",
      {.action = protocol::NameAction::look_up, .names = {{std::string(command.value("service")), "", 0}}});
}

void PmiServer::withdraw_name(Client& client, const Command& command) {
  request_name(
      client, "unpublish_result",
      {.action = protocol::NameAction::withdraw, .names = {{std::string(command.value("service")), "", 0}}});
}

// One at a time: a rank that does not wait for the answer fills nobody's memory.
void PmiServer::request_name(Client& client, const std::string& answer, protocol::NameRequest request) {
  if (client.name_request) return client.answer(name_refusal(answer, "already_waiting"));
  const std::string& name = request.names.front().name;
  if (name.empty() || name.size() > max_name_bytes)
    return client.answer(name_refusal(answer, "invalid_service"));
  request.id = next_name_request_++;
  request.service = protocol::Service::pmi;
  request.rank = client.rank();
  client.name_request = request.id;
  client.name_answer = answer;
  messages_.emplace_back(std::move(request));
}

void PmiServer::take_names(const protocol::NameReply& reply) {
  if (reply.service != protocol::Service::pmi) return;
  const auto client = std::ranges::find_if(
      clients_, [&reply](const auto& each) { return each.second.name_request == reply.id; });
  if (client == clients_.end()) return;
  client->second.name_request.reset();
  const std::string& name = client->second.name_answer;
  const char* reason = reason_of(reply);
  if (reason != nullptr) return client->second.answer(name_refusal(name, reason));
  Command answer{name, {{"info", "ok"}, {"rc", "0"}, {"msg", "success"}}};
  if (!reply.names.empty()) answer.values.emplace_back("port", reply.names.front().value);
  client->second.answer(answer);
}

bool PmiServer::has_connected(std::uint32_t rank) const {
  const auto client = clients_.find(rank);
  return client != clients_.end() && client->second.connected;
}

bool PmiServer::has_finalized(std::uint32_t rank) const {
  const auto client = clients_.find(rank);
  return client != clients_.end() && client->second.finalized;
}

}  // namespace adarun::launcher::agent::pmi
