// SPDX-License-Identifier: Apache-2.0
#include "base/blake2b.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace adarun::base {
namespace {

using Words = std::array<std::uint64_t, 16>;

constexpr std::size_t result_bytes = 32;

constexpr std::array<std::uint64_t, 8> iv{0x6a09e667f3bcc908U, 0xbb67ae8584caa73bU, 0x3c6ef372fe94f82bU,
                                          0xa54ff53a5f1d36f1U, 0x510e527fade682d1U, 0x9b05688c2b3e6c1fU,
                                          0x1f83d9abfb41bd6bU, 0x5be0cd19137e2179U};

constexpr std::array<std::array<std::uint8_t, 16>, 10> sigma{{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};

// The words of a block are little-endian.
std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// NOLINTNEXTLINE(readability-function-size): the parameters of RFC 7693
inline void mix(Words& v, std::size_t column, std::size_t b, std::size_t c, std::size_t d, std::uint64_t x,
                std::uint64_t y) {
  v[column] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[column], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[column] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[column], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

inline void round(Words& v, const Words& m, const std::array<std::uint8_t, 16>& s) {
  for (std::size_t i = 0; i < 4; ++i) mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
  for (std::size_t i = 0; i < 4; ++i)
    mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[2 * i + 8]], m[s[2 * i + 9]]);
}

}  // namespace

std::array<std::uint64_t, 8> Blake2b::initial_state() {
  std::array<std::uint64_t, 8> state = iv;
  state[0] ^= 0x01010000U ^ result_bytes;
  return state;
}

void Blake2b::compress(const char* block, Block kind) {
  Words m;
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = word_at(block + sizeof(std::uint64_t) * i);
  Words v;
  std::copy(state_.begin(), state_.end(), v.begin());
  std::copy(iv.begin(), iv.end(), v.begin() + 8);
  v[12] ^= counted_;
  if (kind == Block::last) v[14] = ~v[14];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < 12; ++i) round(v, m, sigma[i % sigma.size()]);
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] ^= v[i] ^ v[i + 8];
}

// The last block is compressed with a flag of its own, so a full block stays in the buffer until more bytes
// come.
void Blake2b::update(std::string_view bytes) {
  while (!bytes.empty()) {
    if (buffered_ == block_bytes) {
      counted_ += block_bytes;
      compress(buffer_.data(), Block::inner);
      buffered_ = 0;
    }
    while (buffered_ == 0 && bytes.size() > block_bytes) {
      counted_ += block_bytes;
      compress(bytes.data(), Block::inner);
      bytes.remove_prefix(block_bytes);
    }
    const std::size_t taken = std::min(bytes.size(), block_bytes - buffered_);
    std::copy_n(bytes.data(), taken, buffer_.data() + buffered_);
    buffered_ += taken;
    bytes.remove_prefix(taken);
  }
}

std::string Blake2b::hex() {
  counted_ += buffered_;
  std::fill(buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_), buffer_.end(), '\0');
  compress(buffer_.data(), Block::last);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < result_bytes; ++i) {
    const std::uint64_t byte = state_[i / 8] >> (8 * (i % 8)) & 0xffU;
    text += digits[byte >> 4U];
    text += digits[byte & 0xfU];
  }
  return text;
}

namespace {

constexpr std::size_t block_bytes = 256U << 10U;
constexpr int blocks_per_slice = 16;

}  // namespace

// O_NONBLOCK, since opening a FIFO that has no writer would block.
FileHash::FileHash(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

bool FileHash::advance() {
  std::vector<char> block(block_bytes);
  for (int i = 0; i < blocks_per_slice; ++i) {
    const ssize_t size = ::read(file_.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw std::system_error(errno, std::generic_category(), path_);
    if (size == 0) {
      hex_ = hash_.hex();
      return true;
    }
    hash_.update({block.data(), static_cast<std::size_t>(size)});
    size_bytes_ += static_cast<std::uint64_t>(size);
  }
  return false;
}

std::string hash_of(const std::string& path) {
  FileHash hash(path);
  while (!hash.advance()) {
  }
  return hash.hex();
}

}  // namespace adarun::base
