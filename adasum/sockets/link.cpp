// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/link.h"

#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <unistd.h>

#include <mutex>
#include <set>

namespace adasum::sockets {
namespace {

static_assert(sizeof(Tag) == crypto_onetimeauth_BYTES && sizeof(Proof) == crypto_stream_chacha20_KEYBYTES);

const unsigned char* first_of(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

struct MessageTags::State {
  Proof key{};
  std::uint64_t messages = 0;
  crypto_onetimeauth_state of_bytes{};
};

MessageTags::MessageTags(const Proof& key) : state_(std::make_unique<State>()) {
  state_->key = key;
}

MessageTags::~MessageTags() {
  if (state_) sodium_memzero(state_.get(), sizeof(State));
}

MessageTags::MessageTags(MessageTags&&) noexcept = default;
MessageTags& MessageTags::operator=(MessageTags&&) noexcept = default;

Tag MessageTags::begin(std::span<const std::byte> header) {
  std::array<std::byte, crypto_stream_chacha20_NONCEBYTES> nonce{};
  put_number(nonce.data(), state_->messages++);
  std::array<unsigned char, std::size_t{2} * crypto_onetimeauth_KEYBYTES> keys{};
  crypto_stream_chacha20(keys.data(), keys.size(), first_of(nonce), first_of(state_->key));
  Tag tag{};
  crypto_onetimeauth(reinterpret_cast<unsigned char*>(tag.data()), first_of(header), header.size(),
                     keys.data());
  crypto_onetimeauth_init(&state_->of_bytes, keys.data() + crypto_onetimeauth_KEYBYTES);
  sodium_memzero(keys.data(), keys.size());
  return tag;
}

void MessageTags::add(std::span<const std::byte> bytes) {
  crypto_onetimeauth_update(&state_->of_bytes, first_of(bytes), bytes.size());
}

Tag MessageTags::end() {
  Tag tag{};
  crypto_onetimeauth_final(&state_->of_bytes, reinterpret_cast<unsigned char*>(tag.data()));
  return tag;
}

bool same(const Tag& one, const Tag& other) {
  return sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

namespace {

struct Kept {
  std::mutex mutex;
  std::set<int> descriptors;
};

// Never destroyed: a child may be forked while the program ends.
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

// Calls only what is allowed in the child of a process with threads. The numbers stay taken, because their
// owners in the child will close them.
void replace_in_child() {
  const int none = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int descriptor : kept().descriptors) {
    if (none >= 0) ::dup3(none, descriptor, O_CLOEXEC);
  }
  if (none >= 0) ::close(none);
  kept().mutex.unlock();
}

void watch_forks() {
  static const int status =
      ::pthread_atfork([] { kept().mutex.lock(); }, [] { kept().mutex.unlock(); }, &replace_in_child);
  static_cast<void>(status);
}

}  // namespace

KeptFromChildren::KeptFromChildren(std::span<const Link> links) {
  watch_forks();
  const std::lock_guard lock(kept().mutex);
  for (const Link& link : links) {
    if (!link) continue;
    descriptors_.push_back(link.socket.get());
    kept().descriptors.insert(link.socket.get());
  }
}

KeptFromChildren::~KeptFromChildren() {
  const std::lock_guard lock(kept().mutex);
  for (const int descriptor : descriptors_) kept().descriptors.erase(descriptor);
}

}  // namespace adasum::sockets
