// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/environment.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <string>
#include <utility>

#include "adasum/sockets/endpoint.h"
#include "adasum/sockets/pmi_client.h"
#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr const char* root_key = "adasum-root";

std::string text_of(const ReadVariable& read, const std::string& name) {
  const std::optional<std::string> text = read(name);
  if (!text) throw Error(name + ": not set");
  return *text;
}

int number_of(const ReadVariable& read, const std::string& name, int least, int most = INT_MAX) {
  const std::string text = text_of(read, name);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    throw Error(name + " \"" + text + "\": wanted a number");
  return number;
}

sockets::Participant numbered(const ReadVariable& read) {
  return {.rank = number_of(read, "PMI_RANK", 0),
          .size = number_of(read, "PMI_SIZE", 1),
          .root = {},
          .listener = {},
          .messages = messages_of(read)};
}

// "HOST:PORT,SECRET" is what rank 0 puts.
void take_root(sockets::Participant& mine, sockets::PmiClient& pmi) {
  const std::string root = pmi.get(root_key);
  const std::size_t comma = root.rfind(',');
  const auto secret = sockets::parse_secret(root.substr(comma + 1));
  if (comma == std::string::npos || !secret) throw Error("PMI: rank 0 put no secret");
  mine.root = sockets::parse_endpoint(root.substr(0, comma));
  mine.secret = *secret;
}

std::unique_ptr<Communicator> meet_by_pmi(const ReadVariable& read, const sockets::MeshOptions& options,
                                          std::chrono::milliseconds timeout) {
  sockets::PmiClient pmi(pmi_descriptor(read), timeout);
  sockets::Participant mine = participant_of(read, pmi, std::max(timeout, options.deadline));
  pmi.finalize();
  const int rank = mine.rank;
  sockets::RankConnections meeting = sockets::meet(std::move(mine), Deadline(timeout));
  return connected_communicator(rank, std::move(meeting.connections), options);
}

std::unique_ptr<Communicator> meet_by_address(const ReadVariable& read, SocketWorld world) {
  if (!read("RANK"))
    throw Error(
        "this program is no rank of a job: start it by adarun launch, or set RANK, WORLD_SIZE, "
        "MASTER_ADDR, MASTER_PORT and ADASUM_SECRET");
  world.rank = number_of(read, "RANK", 0);
  world.size = number_of(read, "WORLD_SIZE", 1);
  world.root = {text_of(read, "MASTER_ADDR"),
                static_cast<std::uint16_t>(number_of(read, "MASTER_PORT", 1, 65'535))};
  const auto secret = sockets::parse_secret(text_of(read, "ADASUM_SECRET"));
  if (!secret) throw Error("ADASUM_SECRET: wanted 64 hexadecimal digits");
  world.secret = *secret;
  world.messages = messages_of(read);
  return socket_communicator(world);
}

}  // namespace

std::unique_ptr<Communicator> socket_world(const ReadVariable& read, const sockets::MeshOptions& options,
                                           std::chrono::milliseconds connect_timeout) {
  if (read("PMI_FD")) return meet_by_pmi(read, options, connect_timeout);
  return meet_by_address(read, {.root = {}, .node = {}, .connect_timeout = connect_timeout, .mesh = options});
}

sockets::Messages messages_of(const ReadVariable& read) {
  const std::optional<std::string> text = read("ADASUM_PLAIN");
  if (!text || text->empty() || *text == "0") return sockets::Messages::authenticated;
  if (*text != "1") throw Error("ADASUM_PLAIN \"" + *text + "\": wanted 1 or 0");
  return sockets::Messages::plain;
}

int pmi_descriptor(const ReadVariable& read) {
  if (!read("PMI_FD"))
    throw Error(
        "this program is no rank of a job that continues without some: start it by adarun launch --min-ranks "
        "N");
  return number_of(read, "PMI_FD", 0);
}

sockets::Participant participant_of(const ReadVariable& read, sockets::PmiClient& pmi,
                                    std::chrono::milliseconds timeout) {
  sockets::Participant mine = numbered(read);
  if (mine.rank == 0) {
    const std::optional<std::string> address = read("MASTER_ADDR");
    mine.root.host = address ? *address : sockets::host_name();
    mine.listener = sockets::listen_as_root(mine.root);
    mine.root.port = sockets::port_of(mine.listener);
    mine.secret = sockets::random_secret();
    pmi.put(root_key, to_text(mine.root) + "," + sockets::to_hex(mine.secret));
  }
  pmi.barrier(timeout);
  if (mine.rank != 0) take_root(mine, pmi);
  return mine;
}

sockets::Participant late_participant_of(const ReadVariable& read, sockets::PmiClient& pmi) {
  sockets::Participant mine = numbered(read);
  take_root(mine, pmi);
  return mine;
}

bool is_started_again(const ReadVariable& read) {
  return read("ADARUN_RANK_RESTARTS") && number_of(read, "ADARUN_RANK_RESTARTS", 0) > 0;
}

}  // namespace adasum
