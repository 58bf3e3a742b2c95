// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/link_costs.h"

#include <charconv>

#include "launcher/agent/base/error.h"
#include "launcher/agent/links/link_exchange.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

// The number that the other side sends, with a newline.
std::uint64_t reported_rate(const base::FileDescriptor& connection) {
  constexpr std::size_t most_digits = 20;
  std::string text;
  for (char byte = 0;; text += byte) {
    receive_all(connection, &byte, 1);
    if (byte == '\n' || text.size() == most_digits) break;
  }
  std::uint64_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size()) throw Error("the other side reports no rate");
  return rate;
}

}  // namespace

std::vector<std::uint64_t> measure_link(const std::string& address, std::uint16_t port,
                                        const std::string& secret) {
  const auto begin = [&](LinkExchange exchange) {
    base::FileDescriptor connection = connect_to(address, port);
    send_all(connection, secret + static_cast<char>(exchange));
    return connection;
  };
  const std::uint64_t round_trip = round_trip_ns(begin(LinkExchange::echo));
  base::FileDescriptor out = begin(LinkExchange::send);
  send_until_answer(out);
  const std::uint64_t sent = reported_rate(out);
  out.reset();
  const std::uint64_t received = receive_rate(begin(LinkExchange::receive));
  return {round_trip, sent, received};
}

}  // namespace adarun::launcher::agent
