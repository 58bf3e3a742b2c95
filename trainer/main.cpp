// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <thread>

#include "adasum/communicators/mpi_session.h"
#include "adasum/sockets/elastic_world.h"
#include "adasum/sockets/environment.h"
#include "adasum/types/error.h"
#include "base/build_facts.h"
#include "base/clean_text.h"
#include "base/log/log.h"
#include "ranktable/parse.h"
#include "ranktable/write.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/data_tools/command.h"
#include "trainer/options/options.h"
#include "trainer/options/parse.h"
#include "trainer/options/rules.h"
#include "trainer/profile/profile.h"
#include "trainer/run/environment.h"
#include "trainer/run/run.h"
#include "trainer/run/run_elastic.h"
#include "trainer/run/shared_basis.h"

namespace adarun::trainer {
namespace {

/// One write per line, so that lines of several ranks on one terminal are not mixed.
void print_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stdout);
  std::fflush(stdout);
}

/// Without the frames of the stack, which libtorch adds. Our own are one line, whatever is in names of files.
std::string words_of(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  if (of_torch != nullptr) return of_torch->what_without_backtrace();
  return dynamic_cast<const Error*>(&error) != nullptr ? base::clean_line(error.what()) : error.what();
}

int report(base::Log& log, const std::exception& error, const std::string& who) {
  log.error(who + words_of(error));
  const auto* ours = dynamic_cast<const Error*>(&error);
  return static_cast<int>(ours != nullptr ? ours->status() : Exit::failed);
}

/// The models are too small to benefit from a second thread, and ranks outnumber cores.
void limit_threads() {
  if (process_environment("OMP_NUM_THREADS")) return;
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
}

/// Each step uses the same amount of memory: given back to the system after each, its pages cost a tenth of
/// the time of a step on images.
void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, -1);
}

std::string version_text() {
  return base::text("adarun-trainer", {{"libtorch", TORCH_VERSION}, {"MPI", adasum::mpi_library()}});
}

Exit status_of(RunOutcome ending) {
  return ending == RunOutcome::stopped ? Exit::stopped : Exit::done;
}

/// The first line of the log identifies this process, for readers without the worker's log.
std::string place_of(const Environment& environment) {
  return "rank " + std::to_string(environment.rank) + " of " + std::to_string(environment.world_size) +
         ", device " + std::to_string(environment.device()) + ", pid " + std::to_string(::getpid());
}

void open_log(const LogOptions& options, const Environment& environment, base::Log& log) {
  if (options.file.empty()) return;
  const bool alone = environment.world_size <= 1;
  log.open_file(alone ? options.file : options.file + "." + std::to_string(environment.rank));
}

Exit run_with_mpi(const TrainerOptions& options, const Reduction& reduction, const Environment& environment,
                  std::optional<c10::Device> device, base::Log& log) {
  const adasum::MpiSession session;
  try {
    const std::unique_ptr<adasum::Communicator> communicator = session.world();
    log.debug("in MPI: rank " + std::to_string(communicator->rank()) + " of " +
              std::to_string(communicator->size()));
    check_mpi(environment, communicator->rank(), communicator->size());
    return status_of(run(options, reduction, *communicator, print_line, device));
  } catch (const std::exception& error) {
    // The others wait for this rank: end them too.
    session.abort(report(log, error, "rank " + std::to_string(environment.rank) + ": "));
  }
}

Exit run_with_sockets(const TrainerOptions& options, const Reduction& reduction,
                      const Environment& environment, std::optional<c10::Device> device, base::Log& log) {
  try {
    adasum::sockets::MeshOptions mesh;
    if (const auto& reduced = options.boost.dim_reduce)
      mesh.deadline = waits_for_basis(*reduced, mesh.deadline);
    const std::unique_ptr<adasum::Communicator> communicator =
        adasum::socket_world(process_environment, mesh);
    log.debug("connected by TCP: rank " + std::to_string(communicator->rank()) + " of " +
              std::to_string(communicator->size()));
    check_world(environment, "PMI", communicator->rank(), communicator->size());
    return status_of(run(options, reduction, *communicator, print_line, device));
  } catch (const adasum::PeerLost& lost) {
    const int status = report(log, lost, "rank " + std::to_string(environment.rank) + ": ");
    // Until what started the ranks has seen the end of the lost one, which is the one to name.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return static_cast<Exit>(status);
  } catch (const std::exception& error) {
    return static_cast<Exit>(report(log, error, "rank " + std::to_string(environment.rank) + ": "));
  }
}

Exit run_while_ranks_end(const TrainerOptions& options, const Reduction& reduction,
                         const Environment& environment, std::optional<c10::Device> device, base::Log& log) {
  if (!process_environment("PMI_FD"))
    throw Error("--elastic: wanted ranks that adarun has started: adarun train --min-ranks N", Exit::usage);
  try {
    adasum::ElasticWorld world(process_environment);
    log.debug("connected by TCP: rank " + std::to_string(world.communicator().rank()) + " of " +
              std::to_string(world.communicator().size()));
    if (world.is_whole())  // Some may have ended since all met.
      check_world(environment, "PMI", world.communicator().rank(), world.communicator().size());
    return status_of(run_elastic(options, reduction, world, print_line, device));
  } catch (const std::exception& error) {
    return static_cast<Exit>(report(log, error, "rank " + std::to_string(environment.rank) + ": "));
  }
}

/// Throws ranktable::Error if a page cannot be written.
void write_man_pages(const std::filesystem::path& folder) {
  for (const auto& pages : {options::man_pages(), data_tools::man_pages(), profile::man_pages()})
    for (const manual::Page& page : pages) ranktable::write_file(folder / (page.name + ".1"), page.text);
}

/// Ends the process without libtorch's destructors, which take a tenth of a second to unregister operators.
[[noreturn]] void leave(Exit status) {
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(status));
}

Exit start(const TrainerOptions& options, const LogOptions& log_options, base::Log& log) {
  const Environment environment = read_environment(process_environment);
  open_log(log_options, environment, log);
  log.info(place_of(environment) +
           (environment.table_file.empty() ? "" : ", table " + environment.table_file));
  log.debug("model " + options.model + ", data set " + options.dataset +
            (options.data_path.empty() ? "" : " in " + options.data_path) + ", seed " +
            std::to_string(options.seed));
  if (!environment.table_file.empty()) check_table(environment, ranktable::read(environment.table_file));
  const Reduction chosen = choose_reduction(options, environment.world_size);
  check_plan(options, chosen);
  const std::optional<c10::Device> device = choose_device(options, environment.device(), print_line);
  limit_threads();
  keep_freed_memory();
  log.debug("threads: " + std::to_string(at::get_num_threads()) + ", " + adasum::mpi_library() +
            ", libtorch " TORCH_VERSION);
  if (environment.world_size > 1 && options.elastic)
    return run_while_ranks_end(options, chosen, environment, device, log);
  if (environment.world_size > 1 && options.communicator == CommunicatorKind::socket)
    return run_with_sockets(options, chosen, environment, device, log);
  if (environment.world_size > 1) return run_with_mpi(options, chosen, environment, device, log);
  SingleProcessCommunicator alone;
  return status_of(run(options, chosen, alone, print_line, device));
}

}  // namespace
}  // namespace adarun::trainer

int main(int argc, char** argv) {
  using namespace adarun::trainer;
  using adarun::base::Level;
  adarun::base::Log log("adarun-trainer");
  try {
    if (argc > 1 && std::string_view(argv[1]) == "data") return data_tools::run(argc - 1, argv + 1);
    if (argc > 1 && std::string_view(argv[1]) == "profile") {
      limit_threads();
      keep_freed_memory();
      const int status = profile::run(argc - 1, argv + 1);
      leave(static_cast<Exit>(status));
    }
    if (argc == 3 && std::string_view(argv[1]) == "man-pages") {  // for the build
      write_man_pages(argv[2]);
      leave(Exit::done);
    }
    LogOptions log_options;
    const std::optional<TrainerOptions> options = parse_options(argc, argv, log_options, version_text);
    if (!options) leave(Exit::done);
    if (log_options.verbose > 0) log.show(log_options.verbose > 1 ? Level::debug : Level::info);
    const Exit status = start(*options, log_options, log);
    log.info("ends with status " + std::to_string(static_cast<int>(status)));
    leave(status);
  } catch (const std::exception& error) {
    leave(static_cast<Exit>(report(log, error, "")));
  }
}
