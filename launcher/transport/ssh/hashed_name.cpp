// SPDX-License-Identifier: Apache-2.0
// SHA_CTX is the hash without a memory of its own, which a line has twice; what replaces it is not.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "launcher/transport/ssh/hashed_name.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace adarun::launcher {
namespace {

constexpr std::string_view hash_mark = "|1|";

// Whether `text` is the base64 of as many bytes as a hash has: it then ends in one "=".
template <typename Digest>
bool from_base64(std::string_view text, Digest& digest) {
  constexpr std::size_t size = std::tuple_size_v<Digest>;
  static_assert(size % 3 == 2);
  std::array<unsigned char, size + 1> bytes{};
  if (text.size() != bytes.size() / 3 * 4 || text.back() != '=') return false;
  const auto* const letters = reinterpret_cast<const unsigned char*>(text.data());
  if (EVP_DecodeBlock(bytes.data(), letters, static_cast<int>(text.size())) != bytes.size()) return false;
  std::copy_n(bytes.begin(), size, digest.begin());
  return true;
}

// The hash of the block that HMAC puts before the text.
template <typename Digest>
SHA_CTX hash_of_block(const Digest& salt, unsigned char pad) {
  std::array<unsigned char, SHA_CBLOCK> block{};
  std::ranges::copy(salt, block.begin());
  for (unsigned char& byte : block) byte ^= pad;
  SHA_CTX hash{};
  SHA1_Init(&hash);
  SHA1_Update(&hash, block.data(), block.size());
  return hash;
}

}  // namespace

std::optional<HashedName> HashedName::parse(std::string_view text) {
  if (!text.starts_with(hash_mark)) return std::nullopt;
  text.remove_prefix(hash_mark.size());
  const std::size_t middle = text.find('|');
  if (middle == std::string_view::npos) return std::nullopt;
  Digest salt{};  // ssh takes no other lengths.
  Digest hash{};
  if (!from_base64(text.substr(0, middle), salt) || !from_base64(text.substr(middle + 1), hash))
    return std::nullopt;
  return HashedName(salt, hash);
}

HashedName::HashedName(const Digest& salt, const Digest& hash)
    : inner_(hash_of_block(salt, 0x36)), outer_(hash_of_block(salt, 0x5c)), hash_(hash) {}

bool HashedName::is_of(std::string_view name) const {
  Digest digest{};
  SHA_CTX inner = inner_;
  SHA1_Update(&inner, name.data(), name.size());
  SHA1_Final(digest.data(), &inner);
  SHA_CTX outer = outer_;
  SHA1_Update(&outer, digest.data(), digest.size());
  SHA1_Final(digest.data(), &outer);
  return digest == hash_;
}

}  // namespace adarun::launcher
