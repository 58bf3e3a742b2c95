// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace adasum::sockets {

/// What all ranks of a world know and nobody else: each connection proves it. It never goes over a network
/// that others can read, and into no message.
using Secret = std::array<std::byte, 32>;

/// Random bytes that are used once.
using Nonce = std::array<std::byte, 32>;

/// HMAC-SHA-512-256 (libsodium's crypto_auth) of a message under the secret.
using Proof = std::array<std::byte, 32>;

/// From the system's random numbers. Throws adasum::Error if there are none.
Secret random_secret();
Nonce random_nonce();

/// 64 hexadecimal digits, and back; nothing for any other text.
std::string to_hex(const Secret& secret);
std::optional<Secret> parse_secret(std::string_view hex);

/// What only those who know the secret can say of `message`.
Proof proof_of(std::span<const std::byte> message, const Secret& secret);

/// Compares in constant time.
bool proves(const Proof& proof, std::span<const std::byte> message, const Secret& secret);

}  // namespace adasum::sockets
