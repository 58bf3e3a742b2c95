// SPDX-License-Identifier: Apache-2.0
// Builds the table of a whole cluster from one hccn.conf per server, without the network: see
// bench/README.md.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "ranktable/operations/gen.h"
#include "ranktable/operations/hccn.h"
#include "ranktable/operations/merge.h"
#include "ranktable/write.h"

namespace adarun::bench {
namespace {

constexpr int cards_per_server = 8;

// "192.B.C.CARD": distinct for 65,536 servers.
std::string address_of(int server, int card) {
  return "192." + std::to_string(server / 256) + "." + std::to_string(server % 256) + "." +
         std::to_string(card + 1);
}

std::string hccn_conf(int server) {
  std::string text;
  for (int card = 0; card < cards_per_server; ++card)
    text += "address_" + std::to_string(card) + "=" + address_of(server, card) + "\nnetmask_" +
            std::to_string(card) + "=255.255.255.0\n";
  return text;
}

// "node-00042": cloud tables rank by byte order, which here equals numeric order.
std::string server_id(int server) {
  const std::string digits = std::to_string(server);
  return "node-" + std::string(5 - digits.size(), '0') + digits;
}

ranktable::Table table_of(int server) {
  ranktable::GenOptions options;
  options.server_id = server_id(server);
  const ranktable::HccnConf conf = ranktable::parse_hccn_conf(hccn_conf(server), "hccn.conf");
  ranktable::CardAddresses addresses;
  for (const int card : ranktable::physical_devices(options))
    addresses[card] = ranktable::card_address(conf, card);
  return ranktable::generate(options, addresses);
}

int run(int servers) {
  std::vector<ranktable::MergeInput> inputs;
  for (int server = 0; server < servers; ++server)
    inputs.push_back({"server " + std::to_string(server), table_of(server)});
  const ranktable::Merged merged = ranktable::merge(inputs, ranktable::Order::given);
  const std::string text = ranktable::write(merged.table);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 3;
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const int servers = argc == 2 ? std::atoi(argv[1]) : 0;
  if (servers < 1 || servers > 65536) {
    std::fprintf(stderr, "usage: bench-ranktable SERVERS (1 to 65536)\n");
    return 2;
  }
  try {
    return adarun::bench::run(servers);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-ranktable: %s\n", error.what());
    return 3;
  }
}
