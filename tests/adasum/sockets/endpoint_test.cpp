// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/endpoint.h"

#include <gtest/gtest.h>

#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

TEST(Endpoint, IsReadBackFromItsText) {
  for (const Endpoint& endpoint : {Endpoint{"node1", 29500}, {"10.0.0.1", 1}, {"fd00::2", 65535}})
    EXPECT_EQ(parse_endpoint(to_text(endpoint)), endpoint);
  EXPECT_EQ(to_text({"fd00::2", 80}), "[fd00::2]:80");
}

TEST(Endpoint, RefusesWhatIsNone) {
  for (const char* text : {"", ":", "node1", "node1:", ":29500", "node1:0", "node1:65536", "node1:-1",
                           "node1:1x", "node1: 1", "fd00::2:80", "[]:80", "[fd00::2]", "node1:99999999999"}) {
    EXPECT_THROW(parse_endpoint(text), Error) << text;
  }
}

}  // namespace
}  // namespace adasum::sockets
