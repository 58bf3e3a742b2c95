// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "adasum/c/adasum.h"
#include "adasum/c/context.h"
#include "adasum/sockets/elastic_world.h"
#include "adasum/sockets/environment.h"
#include "adasum/sockets/socket_communicator.h"
#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

using namespace adasum;
using namespace adasum::c;

struct adasum_world {
  explicit adasum_world(std::unique_ptr<Communicator> communicator) {
    take(std::make_unique<Context>(std::move(communicator)));
  }
  explicit adasum_world(std::unique_ptr<ElasticWorld> world) : elastic(std::move(world)) { connect(); }

  void connect();
  void change();
  void take(std::unique_ptr<Context> its_context);

  std::unique_ptr<ElasticWorld> elastic;  // if its members may change
  std::unique_ptr<Context> context;       // none: the world has ended
  int rank = 0;
  int size = 0;
  int oldest = 0;
  int changes_in_vain = 0;  // in a row, to the same members, after which no call was completed
};

struct adasum_root {
  Descriptor listener;
};

namespace {

constexpr int most_in_vain = 5;

// What started this process counts it as a member until it ends or its world is freed; there is no way back.
std::atomic<bool> has_joined_elastic = false;

void require_no_elastic_world() {
  if (has_joined_elastic) throw Error("this process has joined its elastic world already");
}

std::optional<std::string> process_variable(const std::string& name) {
  const char* text =
      std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): as every reader of the environment
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

adasum_world& given(adasum_world* world) {
  if (world == nullptr) throw Error("the world is NULL");
  return *world;
}

Context& context_of(adasum_world& world) {
  if (!world.context) throw Error("this world has ended: an earlier call told why");
  return *world.context;
}

/// What `body` returns for the world's context; if a rank of an elastic world is lost in it, the world is
/// that of the others.
template <typename Body>
int of_members(adasum_world& world, const Body& body) {
  Context& context = context_of(world);
  try {
    const int status = body(context);
    world.changes_in_vain = 0;
    return status;
  } catch (const PeerLost& lost) {
    if (!world.elastic || world.changes_in_vain == most_in_vain) throw;
    const std::string why = lost.what();
    world.context.reset();
    world.change();
    world.connect();
    return failed(ADASUM_MEMBERS_CHANGED, std::to_string(world.size) + " ranks are there: " + why);
  }
}

}  // namespace

void adasum_world::take(std::unique_ptr<Context> its_context) {
  context = std::move(its_context);
  rank = context->communicator().rank();
  size = context->communicator().size();
  if (elastic) oldest = elastic->oldest();
}

void adasum_world::change() {
  const std::vector<int> before = elastic->members();
  elastic->change();
  changes_in_vain = elastic->members() == before ? changes_in_vain + 1 : 0;
}

// Others may end meanwhile.
void adasum_world::connect() {
  for (;;) {
    try {
      return take(std::make_unique<Context>(elastic->communicator().split(0)));
    } catch (const PeerLost&) {
      if (changes_in_vain == most_in_vain) throw;
    }
    change();
  }
}

extern "C" {

int adasum_world_join(adasum_world** world) {
  return guarded([&]() -> int {
    require_no_elastic_world();
    *world = std::make_unique<adasum_world>(socket_world(process_variable)).release();
    return ADASUM_OK;
  });
}

int adasum_world_join_elastic(adasum_world** world) {
  return guarded([&]() -> int {
    require_no_elastic_world();
    *world = std::make_unique<adasum_world>(std::make_unique<ElasticWorld>(process_variable)).release();
    has_joined_elastic = true;
    return ADASUM_OK;
  });
}

int adasum_world_listen(const char* host, int* port, char secret[65], adasum_root** root) {
  return guarded([&]() -> int {
    auto made = std::make_unique<adasum_root>();
    made->listener = sockets::listen_on({host, 0});
    *port = sockets::port_of(made->listener);
    const std::string hex = sockets::to_hex(sockets::random_secret());
    hex.copy(secret, hex.size());
    secret[hex.size()] = '\0';
    *root = made.release();
    return ADASUM_OK;
  });
}

void adasum_root_free(adasum_root* root) {
  const std::unique_ptr<adasum_root> owned(root);
}

// NOLINTNEXTLINE(readability-function-size): a call of the C API, which is published
int adasum_world_connect(int rank, int size, const char* host, int port, const char* secret,
                         adasum_root* root, adasum_world** world) {
  return guarded([&]() -> int {
    const std::unique_ptr<adasum_root> listening(root);
    if (port < 1 || port > 65'535) throw Error("port " + std::to_string(port) + ": wanted 1 to 65535");
    const auto known = secret != nullptr ? sockets::parse_secret(secret) : std::nullopt;
    if (!known) throw Error("the secret: wanted 64 hexadecimal digits");
    if (host == nullptr || (*host == '\0' && !listening))  // which would be this machine
      throw Error("no host: wanted a name or an address of the machine of rank 0");
    const SocketWorld ranks{.rank = rank,
                            .size = size,
                            .root = {host, static_cast<std::uint16_t>(port)},
                            .secret = *known,
                            .node = {},
                            .mesh = {},
                            .messages = messages_of(process_variable)};
    auto communicator = socket_communicator(ranks, listening ? std::move(listening->listener) : Descriptor());
    *world = std::make_unique<adasum_world>(std::move(communicator)).release();
    return ADASUM_OK;
  });
}

int adasum_world_rank(const adasum_world* world) {
  return world->rank;
}

int adasum_world_size(const adasum_world* world) {
  return world->size;
}

int adasum_world_oldest(const adasum_world* world) {
  return world->oldest;
}

int adasum_allreduce(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, adasum_world* world,
                     const adasum_options* options) {
  return guarded([&] {
    return of_members(given(world), [&](Context& context) {
      const int status = allreduce(context, tensors, n, dtype, options);
      if (world->elastic) world->elastic->settle();
      return status;
    });
  });
}

int adasum_broadcast(void* data, int64_t bytes, int root, adasum_world* world) {
  return guarded([&]() -> int {
    if (root < 0 || root >= given(world).size)
      return failed(ADASUM_DIFFER, "root " + std::to_string(root) + ": the world has " +
                                       std::to_string(world->size) + " ranks");
    return of_members(*world, [&](Context& context) -> int {
      context.broadcast(data, bytes, root);
      return ADASUM_OK;
    });
  });
}

int adasum_world_alloc(int64_t bytes, adasum_world* world, void** ptr) {
  return guarded([&] {
    if (given(world).elastic) throw Error("a world whose members may change has no shared memory");
    return allocate(context_of(*world), bytes, ptr);
  });
}

void adasum_world_give_up(adasum_world* world) {
  if (world != nullptr && world->context) world->context->give_up();
}

void adasum_world_free(adasum_world* world) {
  const std::unique_ptr<adasum_world> owned(world);
  if (!world || !world->elastic) return;
  try {
    world->elastic->finish();
  } catch (const Error&) {  // What started the ranks is gone: there is nobody to be told.
  }
}
}
