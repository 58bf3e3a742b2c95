// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/system_text.h"
#include "trainer/checkpoint/durable_file.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;
using ByteSpan = std::span<const std::byte>;

// File format: this line, the length of the header (8 bytes), the header (JSON), the values, and a CRC-32 of
// all of these.
constexpr std::string_view magic = "adarun checkpoint 2\n";
constexpr std::string_view magic_1 = "adarun checkpoint 1\n";  // Its CRC-32 did not cover all values.
constexpr std::uint64_t longest_header = 1U << 20U;
constexpr int most_ranks = 1 << 16;  // What a run can have; memory is allocated for as many.

std::uint32_t crc(std::uint32_t before, ByteSpan bytes) {
  if (bytes.empty()) return before;  // With a null pointer crc32_z() would restart.
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

template <typename Spans>
std::vector<std::size_t> sizes_of(const Spans& values) {
  std::vector<std::size_t> sizes(values.size());
  std::ranges::transform(values, sizes.begin(), [](const auto& value) { return value.size(); });
  return sizes;
}

/// A state with one optimizer has the form that it had when there was no other.
nlohmann::json json_of(const CheckpointState& state) {
  nlohmann::json json = {{"epoch", state.epoch},
                         {"step", state.step},
                         {"steps_taken", state.steps_taken},
                         {"loss_scale", state.loss_scale},
                         {"taken_in_a_row", state.taken_in_a_row}};
  if (state.steps_taken.size() == 1) {
    json["steps_taken"] = state.steps_taken.front();
  } else {
    json["rounds"] = state.rounds;
  }
  if (state.earlier.steps > 0)
    json["earlier"] = {{"steps", state.earlier.steps}, {"samples", state.earlier.samples}};
  return json;
}

/// What is copied to another name than `file_name` is not the checkpoint of that name.
nlohmann::json header_of(const std::string& file_name, const RunIdentity& identity,
                         const CheckpointState& state, const std::vector<std::size_t>& sizes) {
  nlohmann::json header = json_of(state);
  header["file"] = file_name;
  header["run"] = identity.run;
  header["values"] = sizes;
  header["settings"] = nlohmann::json::object();
  for (const auto& [name, value] : identity.job) {
    if (!value.empty()) header["job"][name] = value;
  }
  for (const auto& [name, value] : identity.settings) header["settings"][name] = value;
  return header;
}

CheckpointState state_in(const nlohmann::json& header) {
  CheckpointState state{
      header.at("epoch"), header.at("step"), {}, header.at("loss_scale"), header.at("taken_in_a_row")};
  const nlohmann::json& steps_taken = header.at("steps_taken");
  if (steps_taken.is_array()) {
    state.steps_taken = steps_taken.get<std::vector<std::int64_t>>();
    state.rounds = header.at("rounds");
  } else {
    state.steps_taken = {steps_taken.get<std::int64_t>()};
  }
  if (const auto earlier = header.find("earlier"); earlier != header.end())
    state.earlier = {earlier->at("steps"), earlier->at("samples")};
  return state;
}

Facts settings_in(const nlohmann::json& header) {
  Facts settings;
  for (const auto& [name, value] : header.at("settings").items()) settings.emplace_back(name, value);
  return settings;
}

/// A checkpoint file that is read sequentially.
class Input {
 public:
  explicit Input(const fs::path& file) : name_(file.string()) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    // Opening a pipe would block until there is a writer.
    if (fs::exists(status) && !fs::is_regular_file(status)) fail("not a regular file");
    file_.open(file, std::ios::binary);
    if (!file_) fail("cannot be opened: " + base::system_text(errno));
    left_ = fs::file_size(file, error);
    if (error) fail("cannot be read: " + error.message());
  }

  void read(std::span<std::byte> to) {
    if (to.size() > left_) fail("torn: its end is missing");
    if (!file_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size())))
      fail("cannot be read");
    left_ -= to.size();
    crc_ = crc(crc_, to);
  }

  template <typename Value>
  Value read_value() {
    Value value{};
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  std::string read_text(std::uint64_t size) {
    if (size > left_) fail("torn: its end is missing");
    std::string text(size, '\0');
    read(std::as_writable_bytes(std::span(text)));
    return text;
  }

  /// The header, not yet verified.
  nlohmann::json read_header() {
    const auto length = read_value<std::uint64_t>();
    if (length <= left_ && length > longest_header) fail("torn: its header is too long");
    return nlohmann::json::parse(read_text(length));
  }

  /// The header, after the checksum of the file and the sizes of its values have been verified. The next read
  /// returns the values.
  nlohmann::json read_checked_header() {
    nlohmann::json header = read_header();
    const auto values = file_.tellg();
    const std::uint64_t size = size_of(header.at("values"));
    check_rest(size);
    file_.seekg(values);
    left_ = size;
    return header;
  }

  /// Bytes from the start of the file.
  std::uint64_t position() { return static_cast<std::uint64_t>(file_.tellg()); }

  [[noreturn]] void fail(const std::string& what) const { throw DamagedCheckpoint(name_ + ": " + what); }
  [[noreturn]] void refuse(const std::string& what) const { throw Error(name_ + ": " + what); }

 private:
  /// The size of the values in bytes; only the checksum may follow them.
  std::uint64_t size_of(const nlohmann::json& counts) const {
    std::uint64_t rest = left_;
    for (const nlohmann::json& count : counts) {
      if (!count.is_number_unsigned()) fail("torn: its header cannot be read");
      if (count.get<std::uint64_t>() > rest / sizeof(float)) fail("torn: its end is missing");
      rest -= count.get<std::uint64_t>() * sizeof(float);
    }
    if (rest < sizeof crc_) fail("torn: its end is missing");
    if (rest > sizeof crc_) fail("continues after its end");
    return left_ - rest;
  }

  void check_rest(std::uint64_t size) {
    std::vector<std::byte> block(1U << 16U);
    while (size > 0) {
      const auto part = std::span(block).first(std::min<std::uint64_t>(size, block.size()));
      read(part);
      size -= part.size();
    }
    const std::uint32_t wanted = crc_;
    if (read_value<std::uint32_t>() != wanted) fail("torn: its checksum is another");
  }

  std::string name_;
  std::ifstream file_;
  std::uint64_t left_ = 0;
  std::uint32_t crc_ = 0;
};

std::string shown(const std::string& value) {
  return value.empty() ? "none" : value;
}

void check_job(const Input& input, const nlohmann::json& header, const Facts& facts) {
  for (const auto& [name, value] : facts) {
    const std::string theirs = header.at("job").value(name, "");
    if (theirs != value) {
      input.refuse("a checkpoint of another job: its " + name + " is " + shown(theirs) + ", this one's is " +
                   shown(value));
    }
  }
}

/// Reads the first line.
void check_title(Input& input) {
  const std::string title = input.read_text(magic.size());
  if (title == magic_1) input.refuse(left_weights_out);
  if (title != magic) input.fail("not a checkpoint of this version of adarun");
}

/// Files of earlier versions do not say under which name they were written.
void check_name(const Input& input, const nlohmann::json& header, const fs::path& file) {
  const std::string name = header.value("file", file.filename().string());
  if (name != file.filename()) input.fail("was written as " + name);
}

/// The verified header of a checkpoint of `identity`.
nlohmann::json header_for(const fs::path& file, Input& input, const RunIdentity& identity) {
  nlohmann::json header = input.read_checked_header();
  if (header.at("run") != identity.run) input.fail("of another run");
  check_name(input, header, file);
  check_job(input, header, identity.job);
  const CheckpointState state = state_in(header);
  if (state.earlier.steps < 0 || state.earlier.steps > state.step)
    input.fail("torn: another number of ranks took more steps of the epoch than there were");
  return header;
}

/// What `read` returns of a file, whose first line has been read.
template <typename Read>
auto reading(const fs::path& file, const Read& read) {
  Input input(file);
  try {
    check_title(input);
    return read(input);
  } catch (const nlohmann::json::exception&) {
    input.fail("torn: its header cannot be read");
  }
}

}  // namespace

void write_checkpoint(const fs::path& file, const RunIdentity& identity, const CheckpointState& state,
                      const std::vector<std::span<const float>>& values) {
  const std::string header = header_of(file.filename(), identity, state, sizes_of(values)).dump();
  const std::uint64_t length = header.size();
  std::vector<ByteSpan> parts = {std::as_bytes(std::span(magic)), std::as_bytes(std::span(&length, 1)),
                                 std::as_bytes(std::span(header))};
  for (const auto& value : values) parts.push_back(std::as_bytes(value));
  std::uint32_t sum = 0;
  for (const ByteSpan part : parts) sum = crc(sum, part);
  parts.push_back(std::as_bytes(std::span(&sum, 1)));
  replace_durably(file, parts);
}

CheckpointHeader read_checkpoint(const fs::path& file, const RunIdentity& identity,
                                 const std::vector<std::span<float>>& values) {
  return reading(file, [&](Input& input) -> CheckpointHeader {
    const nlohmann::json header = header_for(file, input, identity);
    if (header.at("values") != nlohmann::json(sizes_of(values)))
      input.refuse("holds other tensors than this job has");
    for (const auto& value : values) input.read(std::as_writable_bytes(value));
    return {state_in(header), settings_in(header)};
  });
}

StoredCheckpoint read_checkpoint(const fs::path& file, const RunIdentity& identity) {
  return reading(file, [&](Input& input) {
    const nlohmann::json header = header_for(file, input, identity);
    StoredCheckpoint stored{{state_in(header), settings_in(header)}, {}};
    for (const std::size_t size : header.at("values").get<std::vector<std::size_t>>()) {
      stored.values.emplace_back(size);
      input.read(std::as_writable_bytes(std::span(stored.values.back())));
    }
    return stored;
  });
}

Writers writers_of(const fs::path& file) {
  return reading(file, [](Input& input) -> Writers {
    const nlohmann::json job = input.read_checked_header().at("job");
    const std::string text = job.at(ranks_fact);
    int ranks = 0;
    std::from_chars(text.data(), text.data() + text.size(), ranks);
    const bool differ = job.value(reduction_fact, "") == "none" || job.value(adasum_fact, "") == "of deltas";
    if (ranks < 1 || ranks > most_ranks) input.fail("does not say how many ranks wrote it");
    return {ranks, differ && ranks > 1};
  });
}

StoredWeights find_weights(const fs::path& file, const Facts& facts) {
  return reading(file, [&](Input& input) -> StoredWeights {
    const nlohmann::json header = input.read_checked_header();
    check_job(input, header, facts);
    return {input.position(), header.at("values").at(0).get<std::uint64_t>()};
  });
}

std::string text_of(const CheckpointState& state) {
  return json_of(state).dump();
}

CheckpointState parse_state(const std::string& text) {
  try {
    return state_in(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception&) {
    throw Error("the state of a checkpoint cannot be read");
  }
}

std::string run_of(const fs::path& file) {
  try {
    Input input(file);
    if (input.read_text(magic.size()) != magic) return "";
    return input.read_header().at("run");
  } catch (const DamagedCheckpoint&) {
    return "";
  } catch (const nlohmann::json::exception&) {
    return "";
  }
}

}  // namespace adarun::trainer
