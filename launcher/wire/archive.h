// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace adarun::wire {

/// Turns values into bytes. Integers are little-endian in their own width, booleans and enums one byte or
/// their underlying integer, strings and lists a 32-bit count and then their content. A struct takes part by
/// `void fields(auto& archive) { archive(a, b, c); }`; the order of the fields is the format.
class Writer {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

  /// Makes room for so many bytes, so that writing them moves nothing.
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
  template <typename T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <typename T>
  requires requires(T value, Writer writer) { value.fields(writer); }
  void put(const T& value) {
    const_cast<T&>(value).fields(*this);  // NOLINT: `fields` is one function for both directions
  }

  std::string bytes_;
};

/// The inverse of Writer. Throws wire::Error where the bytes end early; never reads beyond them and never
/// allocates more than they could fill.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (take(values), ...);
  }

  /// Throws wire::Error unless every byte was used.
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
  void take(std::string& text) { text = next(count()); }
  template <typename T>
  void take(std::vector<T>& list) {
    const std::uint32_t items = count();
    list.clear();
    for (std::uint32_t i = 0; i < items; ++i) take(list.emplace_back());
  }
  template <typename T>
  requires requires(T value, Reader& reader) { value.fields(reader); }
  void take(T& value) { value.fields(*this); }

  std::uint32_t count();
  std::string_view next(std::size_t size);

  std::string_view rest_;
};

}  // namespace adarun::wire
