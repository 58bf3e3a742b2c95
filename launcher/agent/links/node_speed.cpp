// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/node_speed.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/system_text.h"
#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/own_process.h"
#include "launcher/agent/base/poll.h"
#include "launcher/agent/ranks/binding.h"

namespace adarun::launcher::agent {
namespace {

// What messages between two processes of a node cost, through memory that both have.
struct CorePairCosts {
  std::uint64_t message_ns = 0;
  std::uint64_t bytes_per_s = 0;
};

constexpr int parts = 5;  // Of which the best counts: in the others, another process may have had a CPU.
constexpr std::chrono::milliseconds message_time{1};
constexpr std::chrono::milliseconds copy_time{4};
constexpr std::chrono::seconds longest{2};
constexpr std::size_t slot_bytes = 64U << 10U;
constexpr std::uint64_t slots = 4;
constexpr std::size_t line_bytes = 64;  // Of a cache.
constexpr int spins = 200;              // Before another process may have the CPU.

// What both processes write and read, in their common memory.
struct PairChannel {
  alignas(line_bytes) std::atomic<std::uint64_t> asked{0};
  alignas(line_bytes) std::atomic<std::uint64_t> answered{0};
  alignas(line_bytes) std::atomic<std::uint64_t> written{0};
  alignas(line_bytes) std::atomic<std::uint64_t> read{0};
  alignas(line_bytes) std::atomic<bool> over{false};
  alignas(line_bytes) std::array<char, slot_bytes * slots> ring;
};

struct Unmap {
  void operator()(PairChannel* shared) const { ::munmap(shared, sizeof *shared); }
};

std::unique_ptr<PairChannel, Unmap> make_shared_channel() {
  void* memory =
      ::mmap(nullptr, sizeof(PairChannel), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("shared memory: " + base::system_text(errno));
  return std::unique_ptr<PairChannel, Unmap>(std::construct_at(static_cast<PairChannel*>(memory)));
}

void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  ::sched_setaffinity(0, sizeof set, &set);  // Where it fails, the process runs anywhere.
}

// False once the other process is over, or the time.
template <typename Condition>
bool wait_for(const PairChannel& shared, Clock::time_point end, const Condition& condition) {
  for (;;) {
    for (int i = 0; i < spins; ++i) {
      if (condition()) return true;
    }
    if (shared.over || Clock::now() > end) return false;
    ::sched_yield();
  }
}

// The other process: returns messages, then reads what is written into the ring.
void answer(PairChannel& shared) {
  const Clock::time_point end = Clock::now() + longest;
  std::vector<char> block(slot_bytes);
  std::uint64_t answered = 0;
  std::uint64_t read = 0;
  while (wait_for(shared, end, [&] { return shared.asked != answered || shared.written != read; })) {
    if (shared.asked != answered) shared.answered = answered = shared.asked;
    if (shared.written == read) continue;
    std::memcpy(block.data(), shared.ring.data() + (read % slots) * slot_bytes, slot_bytes);
    shared.read = ++read;
  }
}

[[noreturn]] void answer_in_child(PairChannel& shared, int cpu, pid_t parent) {
  end_with_parent(parent);
  run_on(cpu);
  answer(shared);
  ::_exit(0);
}

void send_message(PairChannel& shared) {
  const std::uint64_t message = shared.asked + 1;
  shared.asked = message;
  if (!wait_for(shared, Clock::now() + longest, [&] { return shared.answered == message; }))
    throw Error("a process on another core does not answer");
}

double message_ns(PairChannel& shared) {
  std::int64_t trips = 0;
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  for (; now < begin + message_time; now = Clock::now(), ++trips) send_message(shared);
  return std::chrono::duration<double, std::nano>(now - begin).count() / static_cast<double>(2 * trips);
}

double exchanged_bytes_per_s(PairChannel& shared, const std::vector<char>& block) {
  const Clock::time_point begin = Clock::now();
  Clock::time_point now = begin;
  const std::uint64_t before = shared.read;
  for (std::uint64_t written = shared.written; now < begin + copy_time; now = Clock::now()) {
    if (!wait_for(shared, now + longest, [&] { return written - shared.read < slots; }))
      throw Error("a process on another core does not read");
    std::memcpy(shared.ring.data() + (written % slots) * slot_bytes, block.data(), slot_bytes);
    shared.written = ++written;
  }
  return static_cast<double>((shared.read - before) * slot_bytes) /
         std::chrono::duration<double>(now - begin).count();
}

CorePairCosts measure(PairChannel& shared) {
  const std::vector<char> block(slot_bytes, 1);
  send_message(shared);  // The other process runs from here on.
  double least_ns = message_ns(shared);
  double most_bytes_per_s = 1;
  for (int part = 0; part < parts; ++part) {
    least_ns = std::min(least_ns, message_ns(shared));
    most_bytes_per_s = std::max(most_bytes_per_s, exchanged_bytes_per_s(shared, block));
  }
  return {static_cast<std::uint64_t>(std::max(1.0, least_ns)), static_cast<std::uint64_t>(most_bytes_per_s)};
}

// Between processes on the CPUs `a` and `b`, this one and a child of it. Takes about 50 ms. Throws
// agent::Error.
CorePairCosts measure_core_pair(int a, int b) {
  const auto memory = make_shared_channel();
  PairChannel& shared = *memory;
  run_on(a);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw Error("a process: " + base::system_text(errno));
  if (child == 0) answer_in_child(shared, b, self);
  // It ends within its own deadline too.
  const auto end_child = [&shared, child] {
    shared.over = true;
    ::waitpid(child, nullptr, 0);
  };
  try {
    const CorePairCosts costs = measure(shared);
    end_child();
    return costs;
  } catch (const Error&) {
    end_child();
    throw;
  }
}

constexpr std::size_t copied_block_bytes = std::size_t{32} << 20U;
constexpr std::size_t copy_bytes = std::size_t{1} << 20U;  // Between two looks at the clock.
constexpr int rounds = 4096;                               // Likewise.
constexpr int chains = 10;  // Independent of one another, so that none waits for its last result.

using Float4 [[gnu::vector_size(16)]] = float;
using Float8 [[gnu::vector_size(32)]] = float;
using Float16 [[gnu::vector_size(64)]] = float;

// Its result depends on every operation, so that none is left out.
template <typename Vector>
[[gnu::always_inline]] inline float multiply_and_add() {
  Vector sums[chains] = {};  // NOLINT: a std::array of these is not kept in registers
  const Vector factor = Vector{} + 0.999F;
  const Vector term = Vector{} + 0.001F;
  for (int round = 0; round < rounds; ++round) {
    for (Vector& sum : sums) sum = sum * factor + term;
  }
  float total = 0;
  for (const Vector& sum : sums) total += sum[0];
  return total;
}

using Kernel = float (*)();

float multiply_and_add_4() {
  return multiply_and_add<Float4>();
}

#ifdef __x86_64__
[[gnu::target("avx2,fma")]] float multiply_and_add_8() {
  return multiply_and_add<Float8>();
}

[[gnu::target("avx512f")]] float multiply_and_add_16() {
  return multiply_and_add<Float16>();
}
#endif

// The widest kernel that this processor has, and its floats.
std::pair<Kernel, int> widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") != 0) return {multiply_and_add_16, 16};
  if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0)
    return {multiply_and_add_8, 8};
#endif
  return {multiply_and_add_4, 4};
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Float32 operations/s of the calling thread: multiplications and additions in registers, as wide as this
// processor has them (AVX-512, AVX2 with FMA, else the least of its kind).
double operations_per_s(std::chrono::nanoseconds time) {
  const auto [kernel, floats] = widest();
  const double of_call = 2.0 * rounds * chains * floats;
  [[maybe_unused]] volatile float result = kernel();
  double operations = 0;
  const Clock::time_point begin = Clock::now();
  do {
    result = kernel();
    operations += of_call;
  } while (Clock::now() < begin + time);
  return operations / seconds_since(begin);
}

// Bytes/s that the calling thread copies between two blocks of 32 MiB, more than most caches hold.
double copied_bytes_per_s(std::chrono::nanoseconds time) {
  std::vector<char> from(copied_block_bytes, 1);
  std::vector<char> to(copied_block_bytes, 2);
  double bytes = 0;
  const Clock::time_point begin = Clock::now();
  for (std::size_t at = 0; Clock::now() < begin + time; at = (at + copy_bytes) % copied_block_bytes) {
    std::memcpy(to.data() + at, from.data() + at, copy_bytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // NOLINT: the copy is used
    bytes += static_cast<double>(copy_bytes);
  }
  return bytes / seconds_since(begin);
}

constexpr std::chrono::milliseconds measured_time{50};

struct Speed {
  double copied_bytes_per_s = 0;
  double operations_per_s = 0;
};

[[noreturn]] void measure_in_child(const Pipe& results, pid_t parent) {
  end_with_parent(parent);
  try {
    const Speed speed{copied_bytes_per_s(measured_time), operations_per_s(measured_time)};
    ::_exit(::write(results.write.get(), &speed, sizeof speed) == sizeof speed ? 0 : 1);
  } catch (...) {  // No memory.
    ::_exit(1);
  }
}

// All at once; each writes its result in one piece.
std::vector<Speed> measure_processes(std::size_t processes) {
  Pipe results = make_pipe();
  const pid_t self = ::getpid();
  std::size_t started = 0;
  for (; started < processes; ++started) {
    const pid_t child = ::fork();
    if (child == 0) measure_in_child(results, self);
    if (child < 0) break;
  }
  const int error = errno;
  results.write.reset();
  std::vector<Speed> speeds;
  for (Speed speed; ::read(results.read.get(), &speed, sizeof speed) == sizeof speed;)
    speeds.push_back(speed);
  for (std::size_t i = 0; i < started; ++i) ::wait(nullptr);
  if (speeds.size() < processes)
    throw Error("a process that measures: " +
                (started < processes ? base::system_text(error) : "has failed"));
  return speeds;
}

// A core and another one; the same if there is only one.
CorePairCosts between(const Cpus& a, const Cpus& b) {
  return measure_core_pair(a.front(), b.back());
}

}  // namespace

std::vector<std::uint64_t> measure_node_speed(std::size_t processes) {
  const Cpus cpus = own_cpus();
  if (cpus.empty()) throw Error("the CPUs of this node are not known");
  const CpuTopology topology = read_cpu_topology("/sys/devices/system", cpus);
  Speed sum;
  const std::vector<Speed> speeds = measure_processes(std::clamp<std::size_t>(processes, 1, cpus.size()));
  for (const Speed& speed : speeds) {
    sum.copied_bytes_per_s += speed.copied_bytes_per_s;
    sum.operations_per_s += speed.operations_per_s;
  }
  // Ranks beyond the CPUs share them.
  const auto ranks = static_cast<double>(std::max<std::size_t>(processes, speeds.size()));
  const CorePairCosts near = between(topology.numa_nodes.front(), topology.numa_nodes.front());
  const CorePairCosts far = topology.numa_nodes.size() > 1
                                ? between(topology.numa_nodes.front(), topology.numa_nodes.back())
                                : CorePairCosts{};
  return {static_cast<std::uint64_t>(sum.copied_bytes_per_s),
          static_cast<std::uint64_t>(sum.operations_per_s / ranks),
          near.message_ns,
          near.bytes_per_s,
          far.message_ns,
          far.bytes_per_s};
}

}  // namespace adarun::launcher::agent
