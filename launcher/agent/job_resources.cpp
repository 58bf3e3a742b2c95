// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/job_resources.h"

#include <algorithm>
#include <memory>

#include "launcher/agent/base/error.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/mpi/pmi/pmi_server.h"
#include "launcher/agent/mpi/pmix/pmix_server.h"
#include "launcher/agent/ranks/cgroup.h"
#include "launcher/agent/ranks/mpi_program.h"
#include "launcher/agent/ranks/spawn.h"

namespace adarun::launcher::agent {

protocol::Ready JobResources::set_up(const protocol::Start& start) {
  for (const protocol::RankSpec& spec : start.ranks)
    if (spec.argv.empty()) throw Error("rank " + std::to_string(spec.rank) + ": no program given");
  readers_ = static_cast<std::size_t>(
      std::ranges::count_if(start.ranks, [](const auto& spec) { return spec.in != protocol::Stdin::none; }));
  const Clock::time_point begin = Clock::now();
  Folder& scratch = make_folder(start.scratch);
  if (!start.shm_folder.empty()) make_folder(start.shm_folder);
  for (const protocol::ScratchFile& file : start.files) scratch.write(file.name, file.content);
  limits_.emplace(start, environment_);
  const std::string group = limits_->group();
  if (!group.empty()) heartbeat_.add_group(group);
  diagnostics_.debug("folders and limits set up in " + milliseconds_since(begin) +
                     (group.empty() ? ", without a control group" : ", control group " + group));
  const Clock::time_point servers = Clock::now();
  protocol::Ready ready = set_up_mpi(start, scratch);
  diagnostics_.debug("servers for MPI set up in " + milliseconds_since(servers));
  ready.warning = limits_->warning();
  return ready;
}

Folder& JobResources::make_folder(const std::string& path) {
  Folder& folder = folders_.emplace_back(path);
  heartbeat_.add_folder(path);
  return folder;
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

RankProcess JobResources::start_rank(const protocol::RankSpec& spec, std::uint32_t restarts) {
  Environment environment = environment_;
  const MpiServer::RankStart rank_start = restarts > 0 ? mpi_.admit_again(spec.rank) : mpi_.admit(spec.rank);
  for (const std::string& assignment : rank_start.environment) environment.set(assignment);
  limits_->add_defaults(spec, environment);
  for (const std::string& assignment : spec.defaults) environment.set_default(assignment);
  if (limits_->out() == protocol::Stdout::terminal) environment.set_default("TERM=dumb");
  environment.set_folder(spec.workdir);
  environment.set_of_rank(spec.environment);
  if (restarts > 0) environment.set("ADARUN_RANK_RESTARTS=" + std::to_string(restarts));
  Program program{spec.argv, environment.assignments(), spec.workdir, environment.path(), limits_->out()};
  program.has_input =
      spec.in == protocol::Stdin::passed_on || (spec.in == protocol::Stdin::if_mpi && needs_mpi(program));
  RankResources::AssignedResources given = limits_->give(spec);
  given.settings.inherited_fd = rank_start.socket.get();
  MemoryWatch memory(given.memory_events);
  try {
    Child child = spawn(program, given.settings);
    RankProcess process({spec.rank, std::move(program), limits_->cpus_of(spec), readers_, restarts > 0},
                        std::move(child), std::move(memory));
    process.continue_output_at(spec.output_offset);
    return process;
  } catch (const Error& error) {
    throw Error("rank " + std::to_string(spec.rank) + ": " + error.what());
  }
}

void JobResources::kill() const {
  if (limits_) limits_->kill();
}

void JobResources::kill_rank(std::uint32_t rank) const {
  if (limits_) limits_->kill(rank);
}

void JobResources::release(std::string_view spared) {
  mpi_.clear();
  limits_.reset();
  if (spared.empty()) return folders_.clear();
  while (folders_.size() > 1) folders_.pop_back();
  folders_.front().remove_all_but(spared);
}

}  // namespace adarun::launcher::agent
