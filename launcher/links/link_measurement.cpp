// SPDX-License-Identifier: Apache-2.0
#include "launcher/links/link_measurement.h"

#include <algorithm>
#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {

std::size_t rounds_of(std::size_t nodes) {
  return nodes < 2 ? 0 : nodes - 1 + nodes % 2;
}

// Nodes a and b of the first `rounds` meet where a + b = round (mod rounds); the one for which a = b meets
// the last node, which an odd number does not have.
std::optional<std::size_t> partner_of(std::size_t node, std::size_t round, std::size_t nodes) {
  const std::size_t rounds = rounds_of(nodes);
  if (rounds == 0) return std::nullopt;
  const auto other_of = [&](std::size_t a) { return (round + rounds - a) % rounds; };
  std::size_t other = 0;
  if (node < rounds) {
    other = other_of(node);
    if (other == node) other = rounds;
  } else {
    while (other_of(other) != other) ++other;
  }
  return other < nodes ? std::optional(other) : std::nullopt;
}

namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

constexpr std::uint64_t most_ns = 10'000'000'000;
constexpr std::uint64_t most_per_s = 1'000'000'000'000'000'000;

Query measure(Question question, std::vector<std::string> argv, const std::string& secret) {
  Query query;
  query.question = question;
  query.argv = std::move(argv);
  query.secret = secret;
  return query;
}

// The numbers of an answer. Throws Error if it has none, or others.
const std::vector<std::uint64_t>& numbers_in(const Answer& answer, std::size_t count) {
  if (answer.outcome != Outcome::answered)
    throw Error(answer.reason.empty() ? "its agent could not measure, and gives no reason" : answer.reason);
  if (answer.numbers.size() != count) throw Error("its agent has answered something else");
  return answer.numbers;
}

double seconds(std::uint64_t ns) {
  if (ns == 0 || ns > most_ns) throw Error("its agent reports a time of " + std::to_string(ns) + " ns");
  return static_cast<double>(ns) / 1e9;
}

double per_second(std::uint64_t rate) {
  if (rate == 0 || rate > most_per_s) throw Error("its agent reports " + std::to_string(rate) + " bytes/s");
  return static_cast<double>(rate);
}

}  // namespace

LinkMeasurement::LinkMeasurement(std::vector<LinkNode> nodes, std::string secret)
    : secret_(std::move(secret)), steps_(1 + std::min(most_partners, rounds_of(nodes.size()))) {
  for (LinkNode& node : nodes) nodes_.push_back({.node = std::move(node)});
  report_.reasons.resize(nodes_.size());
  report_.speeds.resize(nodes_.size());
}

std::optional<std::size_t> LinkMeasurement::partner(std::size_t node) const {
  const std::size_t rounds = rounds_of(nodes_.size());
  const auto other = partner_of(node, (step_ - 1) * rounds / (steps_ - 1), nodes_.size());
  const bool meets =
      other && !nodes_[*other].lost && !nodes_[*other].is_given_up() && !nodes_[node].is_given_up();
  return meets ? other : std::nullopt;
}

// Of a pair, the first node, unless it alone listens.
bool LinkMeasurement::asks(std::size_t node, std::size_t partner) const {
  const bool first_asks =
      nodes_[std::max(node, partner)].port != 0 || nodes_[std::min(node, partner)].port == 0;
  return (node < partner) == first_asks;
}

std::vector<Query> LinkMeasurement::questions(std::size_t node) const {
  const NodeState& state = nodes_[node];
  if (step_ == 0)
    return {measure(Question::listen, {state.node.address}, secret_),
            measure(Question::speed, {std::to_string(std::max<std::size_t>(1, state.node.ranks))}, "")};
  const auto other = partner(node);
  if (!other || !asks(node, *other) || nodes_[*other].port == 0) return {};
  return {
      measure(Question::link, {nodes_[*other].node.address, std::to_string(nodes_[*other].port)}, secret_)};
}

void LinkMeasurement::take(std::size_t node, const Query& query, const Answer& answer) {
  try {
    if (query.question == Question::listen) {
      const std::uint64_t port = numbers_in(answer, 1).front();
      if (port > 65'535) throw Error("its agent reports port " + std::to_string(port));
      nodes_[node].port = static_cast<std::uint16_t>(port);
    } else if (query.question == Question::speed) {
      take_speed(node, answer);
    } else {
      take_link(node, answer);
    }
  } catch (const Error& error) {
    if (report_.reasons[node].empty()) report_.reasons[node] = error.what();
  }
}

void LinkMeasurement::take_speed(std::size_t node, const Answer& answer) {
  const auto& numbers = numbers_in(answer, 6);
  NodeSpeed speed{
      per_second(numbers[0]), per_second(numbers[1]), {seconds(numbers[2]), per_second(numbers[3])}, {}};
  if (numbers[4] != 0) speed.numa_nodes = LinkCosts{seconds(numbers[4]), per_second(numbers[5])};
  report_.speeds[node] = speed;
}

void LinkMeasurement::take_link(std::size_t node, const Answer& answer) {
  const auto other = partner(node);
  if (!other) return;
  MeasuredLink out{node, *other, {}, ""};
  MeasuredLink in{*other, node, {}, ""};
  try {
    const auto& numbers = numbers_in(answer, 3);
    out.costs = {seconds(numbers[0]) / 2, per_second(numbers[1])};
    in.costs = {seconds(numbers[0]) / 2, per_second(numbers[2])};
  } catch (const Error& error) {
    out.reason = in.reason = error.what();
  }
  for (const std::size_t end : {node, *other})
    ++(out.reason.empty() ? nodes_[end].measured : nodes_[end].failed);
  report_.links.push_back(std::move(out));
  report_.links.push_back(std::move(in));
}

void LinkMeasurement::finish(std::size_t node) {
  nodes_[node].finished = true;
  advance();
}

void LinkMeasurement::lose(std::size_t node) {
  nodes_[node].lost = true;
  advance();
}

void LinkMeasurement::advance() {
  const bool over = std::all_of(nodes_.begin(), nodes_.end(),
                                [](const NodeState& state) { return state.finished || state.lost; });
  if (!over || step_ == steps_) return;
  ++step_;
  for (NodeState& state : nodes_) state.finished = false;
}

std::vector<Query> LinkProbe::next() {
  while (finished_ < measurement_.steps() && finished_ == measurement_.step()) {
    std::vector<Query> questions;
    if (!std::exchange(has_asked_, true)) questions = measurement_.questions(node_);
    if (!questions.empty()) return questions;
    has_asked_ = false;
    ++finished_;
    measurement_.finish(node_);
  }
  return {};
}

}  // namespace adarun::launcher
