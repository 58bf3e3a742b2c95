// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>

#include "adasum/peers/mpi_library.h"
#include "adasum/peers/mpi_peers.h"
#include "ranktable/parse.h"
#include "trainer/device.h"
#include "trainer/environment.h"
#include "trainer/error.h"
#include "trainer/man_pages.h"
#include "trainer/one_rank.h"
#include "trainer/options.h"
#include "trainer/rules.h"
#include "trainer/run.h"
#include "trainer/sets/command.h"
#include "version/build_facts.h"

namespace adarun::trainer {
namespace {

/// One write per line, so that those of several ranks on one terminal stay whole.
void print_line(const std::string& line) {
  const std::string whole = line + "\n";
  std::fwrite(whole.data(), 1, whole.size(), stdout);
  std::fflush(stdout);
}

int report(const std::exception& error, const std::string& who) {
  std::fprintf(stderr, "adarun-trainer: %s%s\n", who.c_str(), error.what());
  const auto* ours = dynamic_cast<const Error*>(&error);
  return static_cast<int>(ours != nullptr ? ours->status() : Exit::failed);
}

/// The models are too small for a second thread to pay, and ranks outnumber cores.
void limit_threads() {
  if (process_environment("OMP_NUM_THREADS")) return;
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
}

std::string version_text() {
  return version::text("adarun-trainer", {{"libtorch", TORCH_VERSION}, {"MPI", adasum::mpi_library()}});
}

Exit status_of(Ending ending) {
  return ending == Ending::stopped ? Exit::stopped : Exit::done;
}

Exit run_with_mpi(const Options& options, const Combination& combination, const Environment& environment,
                  std::optional<c10::Device> device) {
  const adasum::MpiSession session;
  try {
    const std::unique_ptr<adasum::Peers> peers = session.world();
    check_mpi(environment, peers->rank(), peers->size());
    return status_of(run(options, combination, *peers, print_line, device));
  } catch (const std::exception& error) {
    // The others wait for this rank: end them too.
    session.abort(report(error, "rank " + std::to_string(environment.rank) + ": "));
  }
}

/// Ends the process without what libtorch does at its end, a tenth of a second for unregistering its
/// operators.
[[noreturn]] void leave(Exit status) {
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(status));
}

Exit start(const Options& options) {
  const Environment environment = read_environment(process_environment);
  if (!environment.table_file.empty()) check_table(environment, ranktable::read(environment.table_file));
  const Combination chosen = combination(options, environment.world_size);
  const std::optional<c10::Device> device = choose_device(options, environment.device(), print_line);
  limit_threads();
  if (environment.world_size > 1) return run_with_mpi(options, chosen, environment, device);
  OneRank alone;
  return status_of(run(options, chosen, alone, print_line, device));
}

}  // namespace
}  // namespace adarun::trainer

int main(int argc, char** argv) {
  using namespace adarun::trainer;
  try {
    if (argc > 1 && std::string_view(argv[1]) == "data") return sets::run(argc - 1, argv + 1);
    if (argc == 3 && std::string_view(argv[1]) == "man-pages") {  // For the build.
      write_man_pages(argv[2]);
      leave(Exit::done);
    }
    const std::optional<Options> options = parse_options(argc, argv, version_text);
    leave(options ? start(*options) : Exit::done);
  } catch (const std::exception& error) {
    return report(error, "");
  }
}
