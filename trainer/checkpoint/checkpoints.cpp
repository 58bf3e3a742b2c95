// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/checkpoints.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "trainer/error.h"

namespace adarun::trainer {
namespace {

namespace fs = std::filesystem;

constexpr const char* latest_name = "latest";

/// The steps of the latest checkpoint in `folder`, or -1.
std::int64_t read_latest(const fs::path& folder) {
  std::ifstream in(folder / latest_name);
  if (!in) return -1;
  std::int64_t steps = -1;
  if (!(in >> steps) || steps < 0)
    throw Error((folder / latest_name).string() + ": does not hold a step's number");
  return steps;
}

void wait_for_all(adasum::Peers& peers) {
  std::array<double, 1> nothing = {};
  peers.sum(std::span<double>(nothing));
}

}  // namespace

Checkpoints::Checkpoints(fs::path folder, Facts facts, Ownership ownership, adasum::Peers& peers)
    : folder_(std::move(folder)), facts_(std::move(facts)), ownership_(ownership), peers_(peers) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw Error(folder_.string() + ": cannot be made: " + error.message());
}

fs::path Checkpoints::file_of(std::int64_t steps) const {
  char name[64];
  const int owner = ownership_ == Ownership::own ? peers_.rank() : 0;
  std::snprintf(name, sizeof name, "step_%012lld.rank_%d", static_cast<long long>(steps), owner);
  return folder_ / name;
}

void Checkpoints::save(const Moment& moment, std::int64_t steps,
                       const std::vector<std::span<const float>>& values) {
  const bool writes = ownership_ == Ownership::own || peers_.rank() == 0;
  if (writes) write_checkpoint(file_of(steps), facts_, moment, values);
  wait_for_all(peers_);
  if (peers_.rank() == 0) {
    const std::string text = std::to_string(steps) + "\n";
    replace_durably(folder_ / latest_name, {std::as_bytes(std::span(text))});
  }
  wait_for_all(peers_);
  if (writes) drop_old(steps);
}

void Checkpoints::drop_old(std::int64_t newest) const {
  constexpr std::size_t kept = 2;
  const std::string mine = file_of(newest).extension().string();
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const fs::path& file = entry.path();
    if (file.extension() == mine && file.stem().string().starts_with("step_")) files.push_back(file);
  }
  // Numbers of equal width: their order is that of their names.
  std::ranges::sort(files, std::greater());
  for (std::size_t i = kept; i < files.size(); ++i) {
    std::error_code gone;
    fs::remove(files[i], gone);
  }
}

std::optional<Moment> Checkpoints::load(const std::vector<std::span<float>>& values) {
  std::int64_t steps = peers_.rank() == 0 ? read_latest(folder_) : 0;
  peers_.broadcast(std::as_writable_bytes(std::span(&steps, 1)), 0);
  if (steps < 0) return std::nullopt;
  if (ownership_ == Ownership::own) return read_checkpoint(file_of(steps), facts_, values);
  Moment moment;
  if (peers_.rank() == 0) moment = read_checkpoint(file_of(steps), facts_, values);
  peers_.broadcast(std::as_writable_bytes(std::span(&moment, 1)), 0);
  for (const auto& value : values) peers_.broadcast(std::as_writable_bytes(value), 0);
  return moment;
}

}  // namespace adarun::trainer
