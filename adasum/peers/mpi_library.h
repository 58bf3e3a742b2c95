// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adasum {

/// The MPI that this program runs with, as it names itself: "Open MPI v4.1.4". Needs no MpiSession.
std::string mpi_library();

}  // namespace adasum
