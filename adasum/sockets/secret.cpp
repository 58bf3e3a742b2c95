// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/secret.h"

#include <sodium.h>

#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

static_assert(sizeof(Secret) == crypto_auth_KEYBYTES && sizeof(Proof) == crypto_auth_BYTES);

void initialize() {
  static const bool initialized = sodium_init() >= 0;
  if (!initialized) throw Error("libsodium finds no random numbers on this system");
}

std::array<std::byte, 32> random_bytes() {
  initialize();
  std::array<std::byte, 32> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

const unsigned char* chars(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace

Secret random_secret() {
  return random_bytes();
}

Nonce random_nonce() {
  return random_bytes();
}

std::string to_hex(const Secret& secret) {
  std::string text(2 * secret.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), chars(secret.data()), secret.size());
  text.pop_back();
  return text;
}

std::optional<Secret> parse_secret(std::string_view hex) {
  Secret secret{};
  std::size_t length = 0;
  const char* end = nullptr;
  const int status = sodium_hex2bin(reinterpret_cast<unsigned char*>(secret.data()), secret.size(),
                                    hex.data(), hex.size(), nullptr, &length, &end);
  if (status != 0 || length != secret.size() || end != hex.data() + hex.size()) return std::nullopt;
  return secret;
}

Proof proof_of(std::span<const std::byte> message, const Secret& secret) {
  initialize();
  Proof proof{};
  crypto_auth(reinterpret_cast<unsigned char*>(proof.data()), chars(message.data()), message.size(),
              chars(secret.data()));
  return proof;
}

bool proves(const Proof& proof, std::span<const std::byte> message, const Secret& secret) {
  initialize();
  return crypto_auth_verify(chars(proof.data()), chars(message.data()), message.size(),
                            chars(secret.data())) == 0;
}

}  // namespace adasum::sockets
