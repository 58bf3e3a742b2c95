// SPDX-License-Identifier: Apache-2.0
#include "launcher/protocol/frame.h"

#include <array>
#include <type_traits>
#include <utility>

#include "launcher/protocol/archive.h"
#include "launcher/protocol/pack.h"

namespace adarun::launcher::protocol {
namespace {

constexpr std::size_t header_bytes = 5;
constexpr unsigned char packed_flag = 0x80;
constexpr std::size_t max_preamble_bytes = 4096;

// The largest unpacked payload of a message of this type from an agent. On Linux an environment has at most
// 6 MiB.
template <typename T>
constexpr std::size_t most_of_agent() {
  if (is_one_of<T, Answer, StagePresent, FileListing>) return max_payload_bytes;
  if (is_one_of<T, Fence, ModexReply>) return most_fence_bytes;
  if (is_one_of<T, Started>) return 8U << 20U;
  if (is_one_of<T, Output, FetchPart>) return 2U << 20U;
  if (is_one_of<T, NameRequest>) return most_name_request_bytes;
  return 64U << 10U;
}

using Decoder = Message (*)(std::string_view);

template <typename T>
Message decode_as(std::string_view payload) {
  T message;
  ArchiveReader reader(payload);
  message.fields(reader);
  reader.expect_end();
  return message;
}

struct Type {
  Decoder decode;
  Direction direction;
  std::size_t most_of_agent;
};

template <std::size_t... I>
constexpr auto make_types(std::index_sequence<I...>) {
  return std::array<Type, sizeof...(I)>{{{&decode_as<std::variant_alternative_t<I, Message>>,
                                          direction_of<std::variant_alternative_t<I, Message>>(),
                                          most_of_agent<std::variant_alternative_t<I, Message>>()}...}};
}

constexpr auto types = make_types(std::make_index_sequence<std::variant_size_v<Message>>());

// An estimate, for messages that carry megabytes.
std::size_t frame_bytes(const Message& message) {
  constexpr std::size_t other_fields = 64;
  if (const auto* output = std::get_if<Output>(&message)) return output->bytes.size() + other_fields;
  if (const auto* part = std::get_if<StagePart>(&message)) return part->bytes.size() + other_fields;
  if (const auto* part = std::get_if<FetchPart>(&message)) return part->bytes.size() + other_fields;
  if (const auto* input = std::get_if<Input>(&message)) return input->bytes.size() + other_fields;
  return other_fields;
}

bool may_be_packed(const Message& message, std::size_t size) {
  return size >= least_packed_bytes && !std::holds_alternative<Output>(message) &&
         !std::holds_alternative<StagePart>(message) && !std::holds_alternative<FetchPart>(message);
}

std::string packed_frame(std::uint8_t type, const std::string& packed) {
  ArchiveWriter header;
  header(static_cast<std::uint32_t>(packed.size()), static_cast<std::uint8_t>(type | packed_flag));
  return header.take() + packed;
}

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  ArchiveReader(bytes.substr(0, sizeof length))(length);
  return length;
}

}  // namespace

std::string encode(const Message& message) {
  ArchiveWriter writer;
  writer.reserve(frame_bytes(message));
  writer(std::uint32_t{0}, static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& alternative) { writer(alternative); }, message);
  std::string frame = writer.take();
  const std::size_t size = frame.size() - header_bytes;
  if (size > max_payload_bytes)
    throw Error("frame: a payload of " + std::to_string(size) + " bytes, at most " +
                std::to_string(max_payload_bytes));
  const std::string_view body = std::string_view(frame).substr(header_bytes);
  if (may_be_packed(message, size)) {
    const std::string packed = pack(body);
    if (packed.size() <= size / 4 * 3)
      return packed_frame(static_cast<std::uint8_t>(message.index()), packed);
  }
  ArchiveWriter length;
  length(static_cast<std::uint32_t>(size));
  return frame.replace(0, sizeof(std::uint32_t), length.take());
}

void FrameReader::feed(std::string_view bytes) {
  if (used_ > 0 && used_ * 2 >= buffer_.size()) {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  buffer_ += bytes;
  if (!searching_) {
    received_ += bytes.size();
  } else if (find_magic(); !searching_) {
    received_ = buffer_.size();
  }
}

std::string FrameReader::take_rest() {
  std::string rest = buffer_.substr(used_);
  received_ -= rest.size();
  buffer_.clear();
  used_ = 0;
  return rest;
}

void FrameReader::find_magic() {
  const std::size_t at = buffer_.find(magic);
  const bool found = at != std::string::npos;
  const std::size_t keep = std::min(buffer_.size(), magic.size() - 1);
  const std::size_t before = found ? at : buffer_.size() - keep;
  preamble_ += buffer_.substr(0, before);
  if (preamble_.size() > max_preamble_bytes) preamble_.erase(0, preamble_.size() - max_preamble_bytes);
  buffer_.erase(0, found ? at + magic.size() : before);
  searching_ = !found;
}

std::size_t FrameReader::most_bytes(std::size_t type) const {
  if (type >= types.size()) throw Error("frame: unknown type " + std::to_string(type));
  const bool is_of_agent = sender_ == Sender::agent;
  if (types[type].direction == (is_of_agent ? Direction::to_agent : Direction::to_launcher))
    throw Error("frame: type " + std::to_string(type) +
                (is_of_agent ? ", which no agent sends" : ", which no launcher sends"));
  return is_of_agent ? types[type].most_of_agent : max_payload_bytes;
}

std::optional<Message> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(used_);
  if (searching_ || rest.size() < header_bytes) return std::nullopt;
  const std::uint32_t length = length_at(rest);
  const auto type = static_cast<unsigned char>(static_cast<unsigned char>(rest[4]) & ~packed_flag);
  const bool is_packed = (static_cast<unsigned char>(rest[4]) & packed_flag) != 0;
  const std::size_t most = most_bytes(type);
  if (length > most)
    throw Error("frame: a payload of " + std::to_string(length) + " bytes, at most " + std::to_string(most));
  if (rest.size() < header_bytes + length) return std::nullopt;
  used_ += header_bytes + length;
  const std::string_view payload = rest.substr(header_bytes, length);
  return types[type].decode(is_packed ? unpack(payload, most) : payload);
}

}  // namespace adarun::launcher::protocol
