// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/callbacks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <variant>

#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {
namespace {

class PmixCallbacks : public testing::Test {
 protected:
  ~PmixCallbacks() override { callbacks(nullptr); }

  pmix_status_t fence(std::size_t size) const {
    const std::array<pmix_proc_t, 2> ranks{pmix_proc_t{"", 0}, pmix_proc_t{"", 1}};
    auto* const data = static_cast<char*>(std::calloc(size, 1));  // NOLINT: it is freed as libpmix's
    return module_.fence_nb(ranks.data(), ranks.size(), nullptr, 0, data, size, nullptr, nullptr);
  }

  static bool is_taken(const protocol::Message& message) {
    protocol::FrameReader launcher(protocol::Opening::magic);
    launcher.feed(std::string(protocol::magic) + protocol::encode(message));
    return launcher.next() == message;
  }

  Mailbox mailbox_;
  pmix_server_module_t module_ = callbacks(&mailbox_);
};

TEST_F(PmixCallbacks, RefuseAFenceOfMoreThanALauncherTakesFromANode) {
  constexpr std::size_t most = most_exchanged_bytes - 2 * sizeof(std::uint32_t);
  EXPECT_EQ(fence(most + 1), PMIX_ERR_OUT_OF_RESOURCE);
  EXPECT_TRUE(mailbox_.take().empty());
  EXPECT_EQ(fence(most), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 1U);
  const auto& call = std::get<FenceCall>(events[0]);
  EXPECT_EQ(call.data.size(), most);
  EXPECT_TRUE(is_taken(protocol::Fence{call.participants, call.data}));
}

TEST_F(PmixCallbacks, AnswerWithAnErrorWhereARankHasPublishedMoreThanThat) {
  ModexQuestion question{3, 7};
  std::string data(most_exchanged_bytes, 'x');
  answer_question(PMIX_SUCCESS, data.data(), data.size(), &question);
  data += 'x';
  answer_question(PMIX_SUCCESS, data.data(), data.size(), &question);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 2U);
  const auto& whole = std::get<ModexData>(events[0]);
  EXPECT_EQ(whole.status, PMIX_SUCCESS);
  EXPECT_TRUE(is_taken(protocol::ModexReply{whole.asking_node, whole.id, whole.status, whole.data}));
  const auto& refused = std::get<ModexData>(events[1]);
  EXPECT_EQ(refused.status, PMIX_ERR_OUT_OF_RESOURCE);
  EXPECT_EQ(refused.data, "");
  EXPECT_EQ(refused.id, 7U);
}

}  // namespace
}  // namespace adarun::launcher::agent::pmix
