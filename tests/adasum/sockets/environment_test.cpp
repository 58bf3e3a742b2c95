// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/environment.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/sockets/pmi_client.h"
#include "adasum/sockets/tcp.h"
#include "tests/adasum/failure.h"
#include "tests/adasum/sockets/pmi_server.h"

namespace adasum {
namespace {

using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string>;

ReadVariable reader_of(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto variable = variables.find(name);
    return variable != variables.end() ? std::optional(variable->second) : std::nullopt;
  };
}

/// Rank 0 of 1; `changed` replaces some of it, an empty text leaves a variable out.
Variables variables(const Variables& changed) {
  Variables all = {{"RANK", "0"},
                   {"WORLD_SIZE", "1"},
                   {"MASTER_ADDR", "127.0.0.1"},
                   {"MASTER_PORT", "1"},
                   {"ADASUM_SECRET", std::string(64, 'a')}};
  for (const auto& [name, value] : changed) {
    if (value.empty()) {
      all.erase(name);
    } else {
      all[name] = value;
    }
  }
  return all;
}

TEST(Environment, ConnectsRanksByAddress) {
  const std::string port = std::to_string(sockets::port_of(sockets::listen_on({"127.0.0.1", 0})));
  std::vector<std::future<double>> ranks;
  for (const char* rank : {"0", "1"}) {
    const auto read = reader_of(variables({{"RANK", rank}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", port}}));
    ranks.push_back(std::async(std::launch::async, [read] {
      const auto communicator = socket_world(read, {}, 10s);
      std::array<double, 1> sum = {communicator->rank() + 1.0};
      communicator->sum(std::span<double>(sum));
      return sum[0];
    }));
  }
  for (auto& rank : ranks) EXPECT_EQ(rank.get(), 3);
}

TEST(Environment, WaitsForTheRanksThatHaveNotCome) {
  sockets::PmiServer server(2);
  const ReadVariable read = server.environment_of(0);
  sockets::PmiClient pmi(pmi_descriptor(read), 10s);
  EXPECT_EQ(failure([&] { participant_of(read, pmi, 20ms); }),
            "PMI: not all ranks of the job came within 20 ms");
}

TEST(Environment, NamesTheVariableThatIsMissingOrNoNumber) {
  const std::vector<std::pair<Variables, std::string>> cases = {
      {{{"RANK", ""}},
       "this program is no rank of a job: start it by adarun launch, or set RANK, WORLD_SIZE, MASTER_ADDR, "
       "MASTER_PORT and ADASUM_SECRET"},
      {{{"RANK", "-1"}}, "RANK \"-1\": wanted a number"},
      {{{"RANK", "1"}}, "rank 1: not in a world of 1 ranks"},
      {{{"WORLD_SIZE", ""}}, "WORLD_SIZE: not set"},
      {{{"WORLD_SIZE", "two"}}, "WORLD_SIZE \"two\": wanted a number"},
      {{{"MASTER_ADDR", ""}}, "MASTER_ADDR: not set"},
      {{{"MASTER_PORT", "65536"}}, "MASTER_PORT \"65536\": wanted a number"},
      {{{"ADASUM_SECRET", ""}}, "ADASUM_SECRET: not set"},
      {{{"ADASUM_SECRET", "abc"}}, "ADASUM_SECRET: wanted 64 hexadecimal digits"},
      {{{"ADASUM_PLAIN", "yes"}}, "ADASUM_PLAIN \"yes\": wanted 1 or 0"},
      {{{"PMI_FD", "none"}}, "PMI_FD \"none\": wanted a number"}};
  for (const auto& [changed, why] : cases) {
    const ReadVariable read = reader_of(variables(changed));
    EXPECT_EQ(failure([&] { socket_world(read, {}, 10s); }), why);
  }
}

}  // namespace
}  // namespace adasum
