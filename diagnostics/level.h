// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adarun::diagnostics {

/// How much something matters. Users choose by -q (errors), nothing (warnings as well), -v (info), -vv
/// (debug).
enum class Level {
  debug,    ///< For whoever looks for a fault.
  info,     ///< Each step, as -v has it.
  warning,  ///< Notices: what a user should know, and what goes on all the same.
  error,
};

}  // namespace adarun::diagnostics
