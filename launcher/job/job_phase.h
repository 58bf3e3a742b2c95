// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::launcher {

/// Where a job is. Its transitions, in Job:
///
///     connecting -> running   every node has said Hello and has its files: start_if_all_ready()
///     connecting -> ended     a node failed, and the others have been heard of or had a moment to be; a
///                             signal came: fail(), end_if_all_gone(), on_time()
///     running    -> stopping  the first failure: fail()
///     running    -> ended     every node has said Done: end_if_all_gone()
///     stopping   -> ended     every node has said Done or is lost, or was waited for long enough:
///                             end_if_all_gone(), on_time()
///
/// In the order of a job's life: a later one is greater.
enum class JobPhase { connecting, running, stopping, ended };

}  // namespace adarun::launcher
