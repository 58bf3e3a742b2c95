// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// FUZZ_TARGET(SUBJECT) { ... return 0; } is the fuzz target of a subject: `data` of `size` bytes is the
// input. In preset fuzz each is a libFuzzer program of its own; in the others all are in one that replays
// seeds.
#ifdef ADARUN_FUZZ
#define FUZZ_TARGET(subject) extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
#else
using FuzzTarget = int(const std::uint8_t* data, std::size_t size);

/// Lets the program that replays seeds find the target of a subject.
bool add_fuzz_target(const char* subject, FuzzTarget* target);

#define FUZZ_TARGET(subject)                                                                      \
  static int fuzz_##subject(const std::uint8_t* data, std::size_t size);                          \
  [[maybe_unused]] static const bool added_##subject = add_fuzz_target(#subject, fuzz_##subject); \
  static int fuzz_##subject(const std::uint8_t* data, std::size_t size)
#endif
