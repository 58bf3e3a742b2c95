// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace adarun::launcher::protocol {

/// A violation of the protocol, such as a frame that is too long, cut short or of an unknown type, or a
/// message that is not allowed now; or a spool file that cannot be used.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The maximum size of a human-readable text in a message, such as an error: it is printed on terminals and
/// written to files.
inline constexpr std::size_t most_brief_bytes = 4U << 10U;

/// A struct field that is a human-readable text: the writer truncates one that is longer, and the reader
/// refuses it.
struct BoundedText {
  std::string& text;
};
inline BoundedText brief(std::string& text) {
  return {text};
}

/// A struct field that is a time in nanoseconds since the Unix epoch. The reader refuses it unless it is in
/// the first 146 years, so that adding or subtracting two times does not overflow.
struct Instant {
  std::int64_t& ns;
};
inline Instant instant(std::int64_t& ns) {
  return {ns};
}

/// At most the first most_brief_bytes of `text`, without cutting a UTF-8 character.
std::string_view shortened(std::string_view text);

/// Serializes values. Integers are little-endian in their own width, booleans one byte, enums their
/// underlying integer, strings and lists a 32-bit count followed by their content. A struct is serialized by
/// `void fields(auto& archive) { archive(a, b, c); }`; the order of the fields is the format.
class ArchiveWriter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

  /// Reserves memory for `bytes`, so that writing them does not reallocate.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  /// Everything written so far.
  std::string take() { return std::move(bytes_); }

 private:
  template <std::integral T>
  void put(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }
  void put(bool value) { bytes_.push_back(value ? 1 : 0); }
  template <typename T>
  requires std::is_enum_v<T>
  void put(T value) { put(static_cast<std::underlying_type_t<T>>(value)); }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  void put(const Instant& instant) { put(instant.ns); }
  void put(const BoundedText& brief) { put(std::string(shortened(brief.text))); }
  template <typename T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <typename T>
  requires requires(T value, ArchiveWriter writer) { value.fields(writer); }
  void put(const T& value) {
    const_cast<T&>(value).fields(*this);  // NOLINT: `fields` is one function for both directions
  }

  std::string bytes_;
};

/// The inverse of ArchiveWriter. Throws protocol::Error if the bytes end early; never reads beyond them, and
/// allocates at most `most_held_bytes` for the values: a list of empty texts takes eight times its encoded
/// size.
class ArchiveReader {
 public:
  static constexpr std::size_t most_held_bytes = 128U << 20U;

  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&&... values) {
    (take(values), ...);
  }

  /// Throws protocol::Error unless every byte was used.
  void expect_end() const;

 private:
  template <std::integral T>
  void take(T& value) {
    const std::string_view raw = next(sizeof(T));
    std::make_unsigned_t<T> bits = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bits |= static_cast<std::make_unsigned_t<T>>(
          static_cast<std::make_unsigned_t<T>>(static_cast<unsigned char>(raw[i])) << (8 * i));
    value = static_cast<T>(bits);
  }
  void take(bool& value) { value = next(1)[0] != 0; }
  template <typename T>
  requires std::is_enum_v<T>
  void take(T& value) {
    std::underlying_type_t<T> raw{};
    take(raw);
    value = static_cast<T>(raw);
  }
  void take(std::string& text) {
    const std::uint32_t size = count();
    hold(size);
    text = next(size);
  }
  void take(const BoundedText& brief);
  void take(const Instant& instant);
  template <typename T>
  void take(std::vector<T>& list) {
    const std::uint32_t items = count();
    hold(items * sizeof(T));
    list.clear();
    list.reserve(items);
    for (std::uint32_t i = 0; i < items; ++i) take(list.emplace_back());
  }
  template <typename T>
  requires requires(T value, ArchiveReader& reader) { value.fields(reader); }
  void take(T& value) { value.fields(*this); }

  std::uint32_t count();
  std::string_view next(std::size_t size);
  void hold(std::size_t bytes);

  std::string_view rest_;
  std::size_t held_bytes_ = 0;
};

}  // namespace adarun::launcher::protocol
