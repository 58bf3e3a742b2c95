// SPDX-License-Identifier: Apache-2.0
// Measures AdaSum and MPI_Allreduce(SUM) in turns, on the gradients of networks: see bench/README.md.
#include "adasum/communicators/mpi_communicator.h"  // before other headers that include mpi.h

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adasum/communicators/mpi_session.h"
#include "adasum/engine.h"
#include "adasum/plan.h"
#include "adasum/types/layout.h"
#include "bench/adasum/models.h"
#include "bench/adasum/socket_world.h"
#include "bench/adasum/sums.h"
#include "bench/adasum/turns.h"

namespace adarun::bench {
namespace {

constexpr const char* usage =
    "usage: bench-adasum [--repeats N] [--group-size N] [--grid] [--only NAME]\n"
    "  --repeats N     turns of each contestant (5)\n"
    "  --group-size N  that many neighbours take their mean first (1)\n"
    "  --grid          4 KB to 400 MB, each in 1, 10 and 161 tensors, instead of networks\n"
    "  --only NAME     of \"4 KB\", \"LeNet-5\", \"4 MB\", \"ResNet-50\", or a size of the grid, this one "
    "alone\n";

struct Settings {
  int repeats = 5;
  int group_size = 1;
  bool grid = false;
  std::string only;
};

/// The engines and sums of one run, and the contestants of each model.
class Bench {
 public:
  explicit Bench(const Settings& settings)
      : settings_(settings),
        communicator_(adasum::mpi_communicator(MPI_COMM_WORLD)),
        home_(*communicator_, options(adasum::Algorithm::automatic)),
        tree_(home_, options(adasum::Algorithm::tree)),
        gram_(home_, options(adasum::Algorithm::gram)),
        sockets_(socket_world(*communicator_, adasum::sockets::Messages::authenticated)),
        plain_sockets_(socket_world(*communicator_, adasum::sockets::Messages::plain)),
        socket_home_(*sockets_, options(adasum::Algorithm::automatic)),
        plain_socket_home_(*plain_sockets_, options(adasum::Algorithm::automatic)),
        rabenseifner_(choice_.world_by(AllreduceChoice::rabenseifner)),
        room_bytes_(room_per_rank(*communicator_)) {}

  void measure(const Model& model) {
    const auto size = static_cast<std::size_t>(model.elements());
    if (!fits(2, size)) return leave_out(model.name);
    std::vector<float> data(size);
    const auto memory = home_.allocate(size * sizeof(float));
    const std::span<float> shared(reinterpret_cast<float*>(memory.data()), size);
    auto contestants = sums(data, shared);
    add(contestants, home_.shares_memory() ? "AdaSum, shared, in place" : "AdaSum", home_, shared, model);
    if (home_.shares_memory()) add(contestants, "AdaSum, shared, ordinary memory", 3, home_, data, model);
    add(contestants, "AdaSum, gram", 4, gram_, data, model);
    add(contestants, "AdaSum, tree", 5, tree_, data, model);
    const auto socket_memory = socket_home_.allocate(size * sizeof(float));
    const std::span<float> socket_shared(reinterpret_cast<float*>(socket_memory.data()), size);
    add(contestants, "AdaSum over sockets, in place", 6, socket_home_, socket_shared, model);
    add(contestants, "AdaSum over sockets, ordinary memory", 7, socket_home_, data, model);
    add(contestants, "AdaSum over sockets, plain", 7, plain_socket_home_, data, model);
    const std::span<std::byte> there = std::as_writable_bytes(std::span(data));
    for (const auto& [name, world] :
         {std::pair{"bytes to a neighbour over sockets", sockets_.get()},
          std::pair{"bytes to a neighbour over sockets, plain", plain_sockets_.get()}})
      contestants.push_back({name, data, [world, there, shared] { to_neighbour(*world, there, shared); }});
    const int calls = size < 100'000 ? 10 : 1;
    take_turns(contestants, {.repeats = settings_.repeats, .calls = calls}, *communicator_);
    if (communicator_->rank() == 0) print_table(title(model), contestants);
    contestants.clear();
    home_.free(memory.data());
    socket_home_.free(socket_memory.data());
  }

 private:
  adasum::Options options(adasum::Algorithm algorithm) const {
    return {.group_size = settings_.group_size, .algorithm = algorithm};
  }

  // The memory in bytes that each rank may use, the same number on all ranks.
  static double room_per_rank(adasum::Communicator& world) {
    const double free =
        static_cast<double>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    const double mine = 0.8 * free / world.split_by_node()->size();
    const std::vector<double> all = adasum::gather(world, mine);
    return *std::min_element(all.begin(), all.end());
  }

  bool fits(int vectors, std::size_t size) const {
    return static_cast<double>(size) * sizeof(float) * vectors <= room_bytes_;
  }

  void leave_out(const std::string& name) const {
    if (communicator_->rank() == 0) std::printf("\n%s: left out, too little memory\n", name.c_str());
  }

  // Half of the ranks send to the other half.
  static void to_neighbour(adasum::Communicator& world, std::span<const std::byte> out, std::span<float> in) {
    const int peer = world.rank() ^ 1;
    if (peer >= world.size()) return;
    if (world.rank() % 2 == 0)
      world.send(peer, out);
    else
      world.receive(peer, std::as_writable_bytes(in));
  }

  std::vector<Contestant> sums(std::span<float> data, std::span<float> copy) const {
    const auto sum_on = [data](MPI_Comm comm) {
      return [data, comm] {
        MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM, comm);
      };
    };
    std::vector<Contestant> contestants = {{"MPI_Allreduce", data, sum_on(MPI_COMM_WORLD)}};
    if (rabenseifner_ != MPI_COMM_NULL)
      contestants.push_back({"MPI_Allreduce, rabenseifner", data, sum_on(rabenseifner_)});
    contestants.push_back(
        {"one copy", data, [data, copy] { std::memcpy(copy.data(), data.data(), data.size_bytes()); }});
    return contestants;
  }

  static void add(std::vector<Contestant>& contestants, const std::string& name, adasum::Engine& engine,
                  std::span<float> data, const Model& model) {
    const auto plan = std::make_shared<adasum::Plan<float>>(engine, adasum::tensors_of(data, model.counts));
    contestants.push_back({name, data, [plan] { plan->run(); }});
  }

  // `vectors`: the number of vectors of the model's size that are in memory at that point.
  void add(std::vector<Contestant>& contestants, const std::string& name, int vectors, adasum::Engine& engine,
           std::span<float> data, const Model& model) const {
    if (!fits(vectors, data.size())) return leave_out(model.name + ", " + name);
    add(contestants, name, engine, data, model);
  }

  std::string title(const Model& model) const {
    return model.name + ": " + std::to_string(model.elements()) + " elements in " +
           std::to_string(model.counts.size()) + " tensors, " + std::to_string(communicator_->size()) +
           " ranks";
  }

  const Settings& settings_;
  std::unique_ptr<adasum::Communicator> communicator_;
  adasum::Engine home_;
  adasum::Engine tree_;
  adasum::Engine gram_;
  std::unique_ptr<adasum::Communicator> sockets_;
  std::unique_ptr<adasum::Communicator> plain_sockets_;
  adasum::Engine socket_home_;
  adasum::Engine plain_socket_home_;
  AllreduceChoice choice_;
  MPI_Comm rabenseifner_;
  double room_bytes_;
};

// If one rank failed alone, the others would wait for it forever.
int run(const Settings& settings) {
  AllreduceChoice::allow();
  const adasum::MpiSession session;
  try {
    Bench bench(settings);
    for (const Model& model : settings.grid ? grid_of_models() : usual_models()) {
      if (settings.only.empty() || settings.only == model.name) bench.measure(model);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-adasum: %s\n", error.what());
    session.abort(3);
  }
}

bool read_number(const char* text, int& number) {
  const char* end = text + std::strlen(text);
  return std::from_chars(text, end, number).ptr == end && number > 0;
}

std::optional<Settings> settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--grid") {
      settings.grid = true;
      continue;
    }
    if (++i == argc) return std::nullopt;
    bool good = false;
    if (word == "--repeats") good = read_number(argv[i], settings.repeats);
    if (word == "--group-size") good = read_number(argv[i], settings.group_size);
    if (word == "--only") good = !(settings.only = argv[i]).empty();
    if (!good) return std::nullopt;
  }
  return settings;
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const auto settings = adarun::bench::settings_of(argc, argv);
  if (!settings) {
    std::fputs(adarun::bench::usage, stderr);
    return 2;
  }
  return adarun::bench::run(*settings);
}
