// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/messages.h"

#include "base/version.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::protocol {
namespace {

class ByteCounter {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (add(values), ...);
  }

  std::size_t bytes() const { return bytes_; }

 private:
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(T /*value*/) {}
  void add(const std::string& text) { bytes_ += text.size(); }
  void add(const Instant& /*instant*/) {}
  void add(const BoundedText& brief) { add(brief.text); }
  template <typename T>
  void add(const std::vector<T>& list) {
    bytes_ += list.size() * sizeof(T);
    if constexpr (!std::is_arithmetic_v<T>)
      for (const T& item : list) add(item);
  }
  template <typename T>
  requires requires(T value, ByteCounter& counter) { value.fields(counter); }
  void add(const T& value) {
    const_cast<T&>(value).fields(*this);  // NOLINT: `fields` is one function for all archives
  }

  std::size_t bytes_ = 0;
};

}  // namespace

std::string version_refusal(const Hello& hello) {
  if (hello.version == base::version()) return "";
  return "its adarun-agent is version " + hello.version + ", this is " + base::version();
}

std::size_t held_bytes(const Message& message) {
  ByteCounter counter;
  std::visit([&](const auto& alternative) { counter(alternative); }, message);
  return counter.bytes();
}

}  // namespace adarun::launcher::protocol
