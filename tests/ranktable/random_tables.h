// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <random>
#include <string>
#include <vector>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// Tables with any content that a schema can hold: parse(write(table)) must give the same table. Few of them
/// are valid by the rules.
class RandomTables {
 public:
  explicit RandomTables(unsigned seed) : random_(seed) {}

  AnyTable next(Schema schema) {
    if (schema == Schema::cloud) return cloud();
    if (schema == Schema::lab) return lab();
    if (schema == Schema::v2_0) return rank_list();
    if (schema == Schema::server_group) return server_group();
    return v1(schema == Schema::v1_2);
  }

 private:
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  bool chance() { return below(2) == 0; }
  int number() { return chance() ? static_cast<int>(below(16)) : static_cast<int>(below(2147483648U)); }

  std::string text() {
    constexpr std::array texts{"",
                               "10.0.0.2",
                               "fe80::1",
                               "node-7",
                               "a \"b\" \\ /",
                               "\n\t\x01\x7f",
                               "kn\xc3\xb6t",
                               "\xf0\x9f\x98\x80",
                               "0/4",
                               "reserve",
                               "completed",
                               "-.-.-.-",
                               "1.0",
                               "\xe2\x82\xac",
                               "00000000dfdf0020"};
    return texts[below(texts.size())];
  }
  std::string some_text() { return "s" + text(); }

  std::vector<Extra> extras() {
    constexpr std::array values{
        "1",    "-0.50e3", "null", "[]",          "{}",
        "true", "\"\"",    "1e99", "\"\\u00e9\"", "{\"a\":[1,{\"b\":\"\\n\"}],\"c\":false}"};
    std::vector<Extra> extras;
    for (std::size_t i = below(4); i > 0; --i)
      extras.push_back({"x" + std::to_string(i) + text(), values[below(values.size())]});
    return extras;
  }

  template <typename Make>
  auto some(Make make) {
    std::vector<decltype(make())> items;
    for (std::size_t left = below(4); left > 0; --left) items.push_back(make());
    return items;
  }
  std::vector<std::string> texts() {
    return some([&] { return text(); });
  }
  template <typename Make>
  auto perhaps(Make make) {
    return chance() ? std::optional(make()) : std::nullopt;
  }

  AnyTable v1(bool super_pods) {
    const auto device = [&] {
      return Device{number(), text(), number(), super_pods && chance() ? some_text() : "", extras()};
    };
    const auto server = [&] { return Server{text(), text(), some(device), extras()}; };
    const auto member = [&] { return SuperPodMember{text(), extras()}; };
    const auto pod = [&] { return SuperPod{text(), some(member), extras()}; };
    Table table{super_pods ? "1.2" : "1.0", text(), some(server)};
    if (super_pods) table.super_pods = some(pod);
    table.extras = extras();
    return table;
  }

  AnyTable cloud() {
    const auto device = [&] { return GroupListDevice{number(), text(), extras()}; };
    const auto instance = [&] { return CloudInstance{text(), text(), some(device), extras()}; };
    const auto group = [&] { return CloudGroup{text(), some(instance), extras()}; };
    return CloudTable{text(), some(group), extras()};
  }

  AnyTable lab() {
    const auto instance = [&] {
      LabInstance result{{number(), text()}, number(), text()};
      result.device.extras = extras();
      result.extras = extras();
      return result;
    };
    const auto group = [&] { return LabGroup{text(), some(instance), extras()}; };
    return LabTable{text(), text(), text(), some(group), text(), texts(), text(), extras()};
  }

  AnyTable rank_list() {
    const auto maybe_text = [&] { return perhaps([&] { return text(); }); };
    const auto maybe_port = [&] { return perhaps([&] { return number(); }); };
    const auto address = [&] { return RankAddress{text(), text(), texts(), maybe_text(), extras()}; };
    const auto layer = [&] {
      return NetLayer{number(), text(), maybe_text(), maybe_text(), some(address), extras()};
    };
    const auto rank = [&] {
      return RankEntry{number(), number(), number(), maybe_port(), maybe_port(), some(layer), extras()};
    };
    RankListTable table{some(rank)};
    table.status = maybe_text();
    table.extras = extras();
    return table;
  }

  // Ranks that mostly count from 0, as most of the others do not: else none would be converted.
  AnyTable server_group() {
    const auto member = [&] { return SuperPodMember{text(), extras()}; };
    const auto pod = [&] { return SuperPod{text(), some(member), extras()}; };
    const auto group = [&] {
      int next = 0;
      const auto device = [&] {
        const int rank = below(20) == 0 ? number() : next++;
        return GroupDevice{number(), text(), rank, perhaps([&] { return number(); }), text(), extras()};
      };
      const auto server = [&] { return GroupServer{text(), text(), text(), some(device), extras()}; };
      return ServerGroup{text(), text(), some(server), some(pod), extras()};
    };
    return ServerGroupTable{text(), text(), some(group), extras()};
  }

  std::mt19937 random_;
};

/// All schemas that are read and written.
inline constexpr std::array all_schemas{Schema::v1_0,  Schema::v1_2, Schema::v2_0,
                                        Schema::cloud, Schema::lab,  Schema::server_group};

}  // namespace adarun::ranktable
