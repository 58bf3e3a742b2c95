// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/job_resources.h"

#include <algorithm>
#include <memory>

#include "launcher/agent/base/error.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/pmi/pmi_server.h"
#include "launcher/agent/mpi/pmix/pmix_server.h"
#include "launcher/agent/ranks/mpi_program.h"
#include "launcher/agent/ranks/network_interface.h"
#include "launcher/agent/ranks/spawn.h"

namespace adarun::launcher::agent {
namespace {

// Some of the node's ranks may have ended before it got them.
std::size_t local_size(const protocol::Start& start) {
  std::size_t size = start.ranks.size();
  for (const protocol::RankSpec& spec : start.ranks)
    size = std::max<std::size_t>(size, std::size_t{spec.local_rank} + 1);
  return size;
}

// A job on one node has no other nodes to reach.
std::vector<std::string> variables_for(const protocol::Start& start, const Environment& environment) {
  if (start.nodes.size() < 2) return {};
  const std::string* connection = environment.find("SSH_CONNECTION");
  const auto interface =
      interface_towards_others(interfaces(), start.addresses, connection ? *connection : "");
  return interface ? interface_variables(*interface, network_of_node()) : std::vector<std::string>();
}

}  // namespace

protocol::Ready JobResources::set_up(const protocol::Start& start) {
  for (const protocol::RankSpec& spec : start.ranks)
    if (spec.argv.empty()) throw Error("rank " + std::to_string(spec.rank) + ": no program given");
  readers_ = static_cast<std::size_t>(
      std::ranges::count_if(start.ranks, [](const auto& spec) { return spec.in != protocol::Stdin::none; }));
  const Clock::time_point begin = Clock::now();
  Folder& scratch = make_folder(start.scratch);
  if (!start.shm_folder.empty()) make_folder(start.shm_folder);
  for (const protocol::ScratchFile& file : start.files) scratch.write(file.name, file.content);
  set_up_limits(start);
  const std::string group = cgroup_ ? cgroup_->path() : "";
  if (!group.empty()) heartbeat_.add_group(group);
  diagnostics_.debug("folders and limits set up in " + milliseconds_since(begin) +
                     (group.empty() ? ", without a control group" : ", control group " + group));
  const Clock::time_point servers = Clock::now();
  protocol::Ready ready = set_up_mpi(start, scratch);
  diagnostics_.debug("servers for MPI set up in " + milliseconds_since(servers));
  ready.warning = binding_.warning();
  return ready;
}

Folder& JobResources::make_folder(const std::string& path) {
  Folder& folder = folders_.emplace_back(path);
  heartbeat_.add_folder(path);
  return folder;
}

void JobResources::set_up_limits(const protocol::Start& start) {
  limits_ = start.process_limits;
  if (limits_.bind != protocol::Bind::none)
    binding_ = {limits_.bind, read_cpu_topology("/sys/devices/system", own_cpus()), local_size(start)};
  interface_variables_ = variables_for(start, environment_);
  if (auto group = Cgroup::make(start.job_id + "-" + std::to_string(start.node)))
    cgroup_.emplace(std::move(*group));
}

protocol::Ready JobResources::set_up_mpi(const protocol::Start& start, Folder& scratch) {
  if (start.mpi == protocol::Mpi::off) return {};
  if (start.ranks.empty()) return {false, "no ranks on this node"};
  protocol::Ready ready{true, "", {}, true};
  try {
    mpi_.add(std::make_unique<pmix::PmixServer>(start, scratch.make_inner("pmix")));
  } catch (const Error& error) {
    if (start.mpi == protocol::Mpi::on) throw;
    ready = {false, error.what(), {}, true};
  }
  mpi_.add(std::make_unique<pmi::PmiServer>(start));
  return ready;
}

Environment JobResources::environment_of(const protocol::RankSpec& spec, std::uint32_t restarts,
                                         const std::vector<std::string>& of_mpi) const {
  Environment environment = environment_;
  for (const std::string& assignment : of_mpi) environment.set(assignment);
  if (const std::size_t threads = binding_.threads_of(spec.local_rank); threads > 0)
    environment.set_default("OMP_NUM_THREADS=" + std::to_string(threads));
  for (const std::string& variable : interface_variables_) environment.set_default(variable);
  if (const std::string cpus = cpus_of(spec); !cpus.empty()) environment.set("ADARUN_CPUS=" + cpus);
  for (const std::string& assignment : spec.defaults) environment.set_default(assignment);
  if (limits_.out == protocol::Stdout::terminal) environment.set_default("TERM=dumb");
  environment.set_folder(spec.workdir);
  environment.set_of_rank(spec.environment);
  if (restarts > 0) environment.set("ADARUN_RANK_RESTARTS=" + std::to_string(restarts));
  return environment;
}

RankProcess JobResources::start_rank(const protocol::RankSpec& spec, std::uint32_t restarts) {
  const MpiServer::RankStart rank_start = mpi_.admit(spec.rank, restarts);
  const Environment environment = environment_of(spec, restarts, rank_start.environment);
  Program program{spec.argv, environment.assignments(), spec.workdir, environment.path(), limits_.out};
  program.has_input =
      spec.in == protocol::Stdin::passed_on || (spec.in == protocol::Stdin::if_mpi && needs_mpi(program));
  Cgroup::Member group = cgroup_ ? cgroup_->add(spec.rank) : Cgroup::Member{};
  const ProcessSettings settings{std::move(group.door), binding_.of(spec.local_rank),
                                 limits_.umask,         limits_.limits,
                                 limits_.ignored,       rank_start.socket.get()};
  MemoryWatch memory(group.memory_events);
  try {
    Child child = spawn(program, settings);
    RankProcess process({spec.rank, std::move(program), cpus_of(spec), readers_, restarts > 0},
                        std::move(child), std::move(memory));
    process.continue_output_at(spec.output_offset);
    return process;
  } catch (const Error& error) {
    throw Error("rank " + std::to_string(spec.rank) + ": " + error.what());
  }
}

void JobResources::release(std::string_view spared) {
  mpi_.clear();
  cgroup_.reset();
  if (spared.empty()) return folders_.clear();
  while (folders_.size() > 1) folders_.pop_back();
  folders_.front().remove_all_but(spared);
}

}  // namespace adarun::launcher::agent
