// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/handshake.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "adasum/sockets/link.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

constexpr std::string_view magic = "ADASUM3\n";
constexpr std::byte taken{1};  // what an acceptor says in the end
constexpr const char* unlike =
    "one rank authenticates its messages and the other does not: ADASUM_PLAIN must be the same on all ranks";
constexpr std::size_t introduction_bytes = 24;
constexpr std::size_t first_bytes = magic.size() + introduction_bytes + sizeof(Nonce);
constexpr std::size_t second_bytes = sizeof(Nonce) + sizeof(Proof);

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::array<std::byte, introduction_bytes> bytes_of(const Introduction& introduction) {
  std::array<std::byte, introduction_bytes> bytes{};
  put_number(bytes.data(), introduction.generation);
  put_number(bytes.data() + 8, introduction.world_size);
  put_number(bytes.data() + 12, introduction.from);
  put_number(bytes.data() + 16, introduction.to);
  put_number(bytes.data() + 20, static_cast<std::uint32_t>(introduction.messages));
  return bytes;
}

Introduction introduction_at(const std::byte* bytes) {
  return {number_at<std::uint64_t>(bytes), number_at<std::uint32_t>(bytes + 8),
          number_at<std::uint32_t>(bytes + 12), number_at<std::uint32_t>(bytes + 16),
          static_cast<Messages>(number_at<std::uint32_t>(bytes + 20))};
}

}  // namespace

Handshake::Handshake(Descriptor connection, const Introduction& introduction, const Secret& secret,
                     Waits waits)
    : connection_(std::move(connection)),
      introduction_(introduction),
      secret_(secret),
      waits_(waits),
      is_acceptor_(waits == Waits::for_introduction),
      messages_(introduction.messages) {}

Handshake Handshake::of_connector(Descriptor connection, const Introduction& mine, const Secret& secret) {
  Handshake handshake(std::move(connection), mine, secret, Waits::for_nonce);
  handshake.connectors_ = random_nonce();
  std::vector<std::byte> first;
  append(first, std::as_bytes(std::span(magic)));
  append(first, bytes_of(mine));
  append(first, handshake.connectors_);
  handshake.send(first);
  return handshake;
}

Handshake Handshake::of_acceptor(Descriptor connection, const Introduction& expected, const Secret& secret) {
  return {std::move(connection), expected, secret, Waits::for_introduction};
}

bool Handshake::progress() {
  try {
    if (waits_ == Waits::for_introduction && has_arrived(first_bytes)) take_introduction();
    if (waits_ == Waits::for_nonce && has_arrived(second_bytes)) take_nonce();
    if (waits_ == Waits::for_proof && has_arrived(sizeof(Proof))) take_proof();
    if (waits_ == Waits::for_confirmation && has_arrived(sizeof taken)) take_confirmation();
  } catch (const ConnectionLost&) {
    throw Error("the other side hung up before both had proved that they are ranks of this world");
  }
  return waits_ == Waits::for_nothing;
}

// Reads no further than the message, for what follows it belongs to the connection's user.
bool Handshake::has_arrived(std::size_t bytes) {
  count_ += read_some(connection_.get(), std::span(arrived_).subspan(count_, bytes - count_));
  if (count_ < bytes) return false;
  count_ = 0;
  return true;
}

// A new connection takes the few bytes of a handshake at once.
void Handshake::send(const std::vector<std::byte>& message) {
  if (write_some(connection_.get(), message, {}) != message.size())
    throw Error("a new connection takes no bytes");
}

void Handshake::take_introduction() {
  if (std::memcmp(arrived_.data(), magic.data(), magic.size()) != 0)
    throw Error("the other side is no rank of AdaSum");
  const Introduction theirs = introduction_at(arrived_.data() + magic.size());
  Introduction wanted = introduction_;
  wanted.from = theirs.from;
  wanted.messages = theirs.messages;
  if (theirs != wanted || theirs.from >= theirs.world_size || theirs.from == theirs.to)
    throw Error("the other side is a rank of another world");
  introduction_ = theirs;
  std::copy_n(arrived_.data() + magic.size() + introduction_bytes, sizeof(Nonce), connectors_.begin());
  acceptors_ = random_nonce();
  std::vector<std::byte> second;
  append(second, acceptors_);
  append(second, proof_of(transcript('a', messages_), secret_));
  waits_ = Waits::for_proof;
  send(second);
}

void Handshake::take_nonce() {
  std::copy_n(arrived_.begin(), sizeof(Nonce), acceptors_.begin());
  Proof proof{};
  std::copy_n(arrived_.begin() + sizeof(Nonce), sizeof(Proof), proof.begin());
  const Messages others = messages_ == Messages::plain ? Messages::authenticated : Messages::plain;
  const bool is_alike = proves(proof, transcript('a', messages_), secret_);
  if (!is_alike && !proves(proof, transcript('a', others), secret_))
    throw WrongSecret("the other side does not know the secret of this world");
  waits_ = Waits::for_confirmation;
  const Proof mine = proof_of(transcript('c', messages_), secret_);
  send({mine.begin(), mine.end()});
  if (!is_alike) throw UnlikeMessages(unlike);
}

void Handshake::take_confirmation() {
  if (arrived_[0] != taken) throw Error("the other side is no rank of AdaSum");
  waits_ = Waits::for_nothing;
}

void Handshake::take_proof() {
  Proof proof{};
  std::copy_n(arrived_.begin(), sizeof(Proof), proof.begin());
  if (!proves(proof, transcript('c', introduction_.messages), secret_))
    throw WrongSecret("the other side does not know the secret of this world");
  if (introduction_.messages != messages_) throw UnlikeMessages(unlike);
  waits_ = Waits::for_nothing;
  send({taken});
}

Link Handshake::take_link() {
  Link link{std::move(connection_)};
  if (messages_ == Messages::plain) return link;
  const Proof of_connector = proof_of(transcript('C', messages_), secret_);
  const Proof of_acceptor = proof_of(transcript('A', messages_), secret_);
  link.tags =
      std::make_unique<Link::Tags>(Link::Tags{MessageTags(is_acceptor_ ? of_acceptor : of_connector),
                                              MessageTags(is_acceptor_ ? of_connector : of_acceptor)});
  return link;
}

std::vector<std::byte> Handshake::transcript(char purpose, Messages messages) const {
  Introduction introduction = introduction_;
  introduction.messages = messages;
  std::vector<std::byte> said = {static_cast<std::byte>(purpose)};
  append(said, bytes_of(introduction));
  append(said, connectors_);
  append(said, acceptors_);
  return said;
}

}  // namespace adasum::sockets
