// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::trainer {

/// From here on SIGTERM does not end this process: stop_requested() tells of it.
void catch_stop_signal();

/// Whether SIGTERM came since then.
bool stop_requested();

}  // namespace adarun::trainer
