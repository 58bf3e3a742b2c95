// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/node_pool.h"

#include <fcntl.h>

#include <utility>
#include <variant>

#include "base/describe.h"
#include "base/file_descriptor.h"

namespace adarun::launcher {

/// The nodes of one attempt, numbered from 0. A member takes part from its Hello on until it has sent Ended.
class NodePool::Attempt : public Transport {
 public:
  Attempt(NodePool& pool, const std::vector<std::uint32_t>& members)
      : pool_(pool), node_of_(members), index_of_(pool.nodes_.size()), parts_(members.size()) {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      index_of_[members[i]] = i;
      const Node& node = pool_.nodes_[members[i]];
      if (node.state == State::ready) greet(i);
      if (node.state == State::lost) greetings_.push_back({i, LinkLost{node.loss}});
    }
    pool_.attempt_ = this;
  }

  // Agents may now forget what they have sent; what has come since is of no attempt.
  ~Attempt() override {
    pool_.attempt_ = nullptr;
    const Clock::time_point now = Clock::now();
    for (const TransportEvent& event : pool_.transport_.take())
      pool_.note(event, index_of(event.node).has_value(), now);
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override {
    if (std::holds_alternative<protocol::Suspend>(message))
      return pool_.transport_.send(all_greeted(), message);
    std::vector<std::uint32_t> there;
    for (const std::uint32_t index : nodes) {
      if (parts_[index] == Part::over) continue;
      there.push_back(node_of_[index]);
      if (std::holds_alternative<protocol::Start>(message)) pool_.nodes_[there.back()].state = State::running;
    }
    if (!there.empty()) pool_.transport_.send(there, message);
  }

  void replace(std::uint32_t lost, std::uint32_t spare) {
    const std::uint32_t index = index_of(lost).value();
    index_of_.resize(pool_.nodes_.size());
    index_of_[lost].reset();
    index_of_[spare] = index;
    node_of_[index] = spare;
    parts_[index] = Part::waiting;
    if (pool_.nodes_[spare].state == State::ready) greet(index);
  }

  void stop_all() override { pool_.transport_.stop_all(); }
  void take_silence(Silence silence) override { pool_.transport_.take_silence(silence); }

  int ready_fd() const override {
    return greetings_.empty() ? pool_.transport_.ready_fd() : always_ready_.get();
  }

  std::vector<TransportEvent> take() override {
    std::vector<TransportEvent> events = std::exchange(greetings_, {});
    const Clock::time_point now = Clock::now();
    for (TransportEvent& event : pool_.transport_.take()) pass(std::move(event), now, events);
    for (std::uint32_t node = 0; node < pool_.nodes_.size(); ++node) {
      if (pool_.nodes_[node].state != State::ended || now < pool_.nodes_[node].hello_due) continue;
      pass({node, LinkLost{"its agent has not come back after the attempt before, for " +
                           base::describe(pool_.hello_timeout_)}},
           now, events);
    }
    return events;
  }

 private:
  /// waiting -> in: Hello. in -> over: Ended, or Done. any -> waiting: a spare takes the place.
  enum class Part { waiting, in, over };

  // Nodes that were added later are no members.
  std::optional<std::uint32_t> index_of(std::uint32_t node) const {
    return node < index_of_.size() ? index_of_[node] : std::nullopt;
  }

  void greet(std::uint32_t index) {
    const Node& node = pool_.nodes_[node_of_[index]];
    parts_[index] = Part::in;
    greetings_.push_back({index, protocol::Message(*node.hello)});
    if (node.clock) greetings_.push_back({index, *node.clock});
  }

  // Suspend stops the clocks of the spares' leases, too.
  std::vector<std::uint32_t> all_greeted() const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t node = 0; node < pool_.nodes_.size(); ++node)
      if (pool_.nodes_[node].state == State::ready || pool_.nodes_[node].state == State::running)
        result.push_back(node);
    return result;
  }

  void pass(TransportEvent event, Clock::time_point now, std::vector<TransportEvent>& events) {
    const std::optional<std::uint32_t> index = index_of(event.node);
    pool_.note(event, index.has_value(), now);
    if (!index || parts_[*index] == Part::over) return;
    if (is_message<protocol::Hello>(event)) {
      parts_[*index] = Part::in;  // A second one is the job's to refuse.
    } else if (is_message<protocol::Ended>(event) || is_message<protocol::Done>(event)) {
      parts_[*index] = Part::over;
    } else if (parts_[*index] == Part::waiting && std::holds_alternative<protocol::Message>(event.what)) {
      return;  // Of an earlier attempt.
    }
    event.node = *index;
    events.push_back(std::move(event));
  }

  NodePool& pool_;
  std::vector<std::uint32_t> node_of_;
  std::vector<std::optional<std::uint32_t>> index_of_;
  std::vector<Part> parts_;
  std::vector<TransportEvent> greetings_;  ///< Of nodes that were ready or lost when they got a place.
  base::FileDescriptor always_ready_{open("/dev/null", O_RDONLY | O_CLOEXEC)};
};

NodePool::NodePool(Transport& transport, std::size_t nodes, std::chrono::milliseconds hello_timeout,
                   OnSpareLost on_spare_lost)
    : transport_(transport),
      nodes_(nodes),
      hello_timeout_(hello_timeout),
      on_spare_lost_(std::move(on_spare_lost)) {}

std::unique_ptr<Transport> NodePool::begin(const std::vector<std::uint32_t>& members) {
  return std::make_unique<Attempt>(*this, members);
}

void NodePool::replace(std::uint32_t lost, std::uint32_t spare) {
  attempt_->replace(lost, spare);
  exclude(lost);
}

bool NodePool::is_usable(std::uint32_t node) const {
  return nodes_[node].state != State::lost && nodes_[node].state != State::running;
}

void NodePool::exclude(std::uint32_t node) {
  nodes_[node].loss = "it was left out";
  nodes_[node].has_ended = false;
  const State before = std::exchange(nodes_[node].state, State::lost);
  if (before == State::ready || before == State::ended) transport_.send(node, protocol::Stop{true});
}

void NodePool::note(const TransportEvent& event, bool is_member, Clock::time_point now) {
  Node& node = nodes_[event.node];
  if (const auto* lost = std::get_if<LinkLost>(&event.what))
    return note_lost(event.node, lost->reason, is_member);
  if (const auto* clock = std::get_if<ClockReading>(&event.what)) node.clock = *clock;
  if (node.state == State::lost) {
    if (is_message<protocol::Hello>(event)) transport_.send(event.node, protocol::Stop{true});
    return;
  }
  if (is_message<protocol::Failed>(event)) node.has_failed = true;
  if (is_message<protocol::Done>(event)) {
    node.has_ended = !node.has_failed;
    note_lost(event.node, "its agent has ended", is_member);
  }
  if (is_message<protocol::Ended>(event)) {
    node.state = State::ended;
    node.hello_due = now + hello_timeout_;
  }
  if (is_message<protocol::Hello>(event) && node.state != State::running) {
    node.state = State::ready;
    node.has_failed = false;
    node.hello = std::get<protocol::Hello>(std::get<protocol::Message>(event.what));
  }
}

void NodePool::note_lost(std::uint32_t node, const std::string& reason, bool is_member) {
  if (std::exchange(nodes_[node].state, State::lost) == State::lost) return;
  nodes_[node].loss = reason;
  if (!is_member) on_spare_lost_(node, reason);
}

}  // namespace adarun::launcher
