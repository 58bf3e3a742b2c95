// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adasum/communicators/communicator.h"
#include "adasum/sockets/mesh.h"
#include "adasum/sockets/pmi_client.h"
#include "adasum/sockets/rendezvous.h"

namespace adasum {

/// Reads a variable of the environment; nothing if it is not set.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// The ranks of this job, connected by TCP as its environment says:
/// - PMI_FD, PMI_RANK, PMI_SIZE (adarun, MPICH's process manager): rank 0 tells the others where it listens,
/// and a secret, by
///   PMI, so that they travel as safely as what started the ranks (under adarun: inside SSH);
/// - else MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE (torch's names) and ADASUM_SECRET: 64 hexadecimal
/// digits, the same on all ranks.
///
/// Messages are as messages_of(read) says.
///
/// With PMI rank 0 listens at a free port of MASTER_ADDR, or of its host's name where that is not set.
/// `connect_timeout`: for all ranks to meet; with PMI it begins when all have called this, for which a rank
/// waits as long as for a message: the deadline of `options`, if that is later. Collective. Throws
/// adasum::Error that names the variable that is missing or no number.
std::unique_ptr<Communicator> socket_world(
    const ReadVariable& read, const sockets::MeshOptions& options = {},
    std::chrono::milliseconds connect_timeout = sockets::default_meeting_timeout);

/// Plain where ADASUM_PLAIN is 1. Throws adasum::Error if it is neither 1 nor 0.
sockets::Messages messages_of(const ReadVariable& read);

/// PMI_FD. Throws adasum::Error if it is not set (the program was not started by adarun), or is no number.
int pmi_descriptor(const ReadVariable& read);

/// This rank as PMI_RANK and PMI_SIZE say, and where rank 0 listens, which it tells the others by `pmi`; rank
/// 0's own listener with it. `timeout`: for all ranks to call this. Collective. Throws adasum::Error.
sockets::Participant participant_of(const ReadVariable& read, sockets::PmiClient& pmi,
                                    std::chrono::milliseconds timeout);

/// The same for a rank that adarun has started again, while the others continue: they have met already.
sockets::Participant late_participant_of(const ReadVariable& read, sockets::PmiClient& pmi);

/// Whether adarun has started this rank again: ADARUN_RANK_RESTARTS.
bool is_started_again(const ReadVariable& read);

}  // namespace adasum
