// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which context allocated each block of memory: adasum_free() gets only the address. Thread-safe.
namespace adasum::c {

class Context;

void note_owner(void* memory, Context* context);

/// The context of a block, which is noted no more; null: it has none, or that is gone.
Context* take_owner(void* memory);

/// The context is gone, with all its memory.
void forget_owner(const Context* context);

}  // namespace adasum::c
