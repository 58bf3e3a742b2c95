// SPDX-License-Identifier: Apache-2.0
#include "adasum/peers/mpi_library.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

namespace adasum {

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int size = 0;
  MPI_Get_library_version(text, &size);
  const std::string whole(text,
                          static_cast<std::size_t>(size));  // "Open MPI v4.1.4, package: ..., ident: ..."
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace adasum
