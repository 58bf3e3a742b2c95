// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/owners.h"

#include <map>
#include <mutex>

namespace adasum::c {
namespace {

struct Owners {
  std::mutex mutex;
  std::map<void*, Context*> of;
};

// Never destroyed: a world may be freed while the process exits.
Owners& owners() {
  static Owners& owners = *new Owners;
  return owners;
}

}  // namespace

void note_owner(void* memory, Context* context) {
  const std::lock_guard lock(owners().mutex);
  owners().of[memory] = context;
}

Context* take_owner(void* memory) {
  const std::lock_guard lock(owners().mutex);
  const auto owner = owners().of.find(memory);
  if (owner == owners().of.end()) return nullptr;
  Context* const context = owner->second;
  owners().of.erase(owner);
  return context;
}

void forget_owner(const Context* context) {
  const std::lock_guard lock(owners().mutex);
  std::erase_if(owners().of, [context](const auto& block) { return block.second == context; });
}

}  // namespace adasum::c
