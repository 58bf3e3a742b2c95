// SPDX-License-Identifier: Apache-2.0
#include "launcher/probe/device_probe.h"

#include <algorithm>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/probe/card_sources.h"
#include "launcher/probe/preflight.h"

namespace adarun::launcher {
namespace {

using protocol::Question;

constexpr const char* device_folder = "/dev";
constexpr const char* render_folder = "/dev/dri";
constexpr const char* status_file = "/proc/self/status";
constexpr std::uint32_t most_device_bytes = 1 << 20;

bool has_name(const std::vector<std::string>& names, const char* name) {
  return std::ranges::find(names, name) != names.end();
}

// Names that are `stem` and a number.
std::size_t numbered(const std::vector<std::string>& names, std::string_view stem) {
  return static_cast<std::size_t>(std::ranges::count_if(names, [&](const std::string& name) {
    return name.size() > stem.size() && name.starts_with(stem) &&
           name.find_first_not_of("0123456789", stem.size()) == std::string::npos;
  }));
}

std::size_t gpus_among(const std::vector<std::string>& names, const std::vector<std::string>& renders) {
  const std::size_t nvidia = numbered(names, "nvidia");
  if (nvidia > 0 || !has_name(names, "kfd")) return nvidia;
  return numbered(renders, "renderD");
}

std::size_t cpus_in(const std::string& status) {
  constexpr std::string_view label = "\nCpus_allowed_list:";
  const std::size_t at = status.find(label);
  if (at == std::string::npos) return 0;
  const std::size_t list = status.find_first_not_of(" \t", at + label.size());
  if (list == std::string::npos) return 0;
  return static_cast<std::size_t>(cpus_of(status.substr(list)).value_or(0));
}

std::vector<int> checked(std::size_t count, const std::string& things) {
  if (count > static_cast<std::size_t>(max_devices_per_host))
    throw Error("more than " + std::to_string(max_devices_per_host) + " " + things +
                ": write how many ranks it runs");
  return first_devices(static_cast<int>(count));
}

std::vector<int> npus_among(const std::vector<std::string>& names) {
  std::vector<int> npus = cards_among(names);
  npus.erase(std::unique(npus.begin(), npus.end()), npus.end());
  if (!npus.empty()) checked(static_cast<std::size_t>(npus.back()) + 1, "NPUs");
  return npus;
}

}  // namespace

std::vector<protocol::Query> DeviceProbe::next() {
  if (asked_) {
    choose();
    return {};
  }
  asked_ = true;
  std::vector<protocol::Query> queries;
  const bool may_be_gpu = wanted_ == DeviceKind::any || wanted_ == DeviceKind::gpu;
  if (wanted_ != DeviceKind::cpu)
    queries.push_back(query_about(Question::list, device_folder, most_device_bytes));
  if (may_be_gpu) queries.push_back(query_about(Question::list, render_folder, most_device_bytes));
  if (wanted_ == DeviceKind::any || wanted_ == DeviceKind::cpu)
    queries.push_back(query_about(Question::read, status_file));
  return queries;
}

void DeviceProbe::take(const protocol::Query& query, const protocol::Answer& answer) {
  const bool is_answered = answer.outcome == protocol::Outcome::answered;
  if (!is_answered && query.path != render_folder) throw Error(answer.reason);
  if (query.path == device_folder) device_files_ = answer.names;
  if (query.path == render_folder) render_files_ = answer.names;
  if (query.path == status_file) status_ = answer.out;
}

// Of the first kind that the node has.
void DeviceProbe::choose() {
  const auto take_kind = [this](DeviceKind kind, std::vector<int> devices) {
    if (!devices_.empty() || (wanted_ != DeviceKind::any && wanted_ != kind)) return;
    devices_ = std::move(devices);
    kind_ = kind;
  };
  take_kind(DeviceKind::npu, npus_among(device_files_));
  take_kind(DeviceKind::gpu, checked(gpus_among(device_files_, render_files_), "GPUs"));
  take_kind(DeviceKind::cpu, checked(cpus_in(status_), "CPUs"));
  if (!devices_.empty()) return;
  if (wanted_ == DeviceKind::npu) throw Error("no NPU: no /dev/davinci0 or its like");
  if (wanted_ == DeviceKind::gpu)
    throw Error("no GPU: no /dev/nvidia0, nor /dev/kfd and /dev/dri/renderD128, or their like");
  throw Error("its CPUs are unknown: nothing of them in /proc/self/status");
}

}  // namespace adarun::launcher
