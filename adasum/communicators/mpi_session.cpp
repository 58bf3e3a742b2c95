// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/mpi_session.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstddef>
#include <cstdlib>

#include "adasum/communicators/mpi_communicator.h"

namespace adasum {

MpiSession::MpiSession() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized != 0) return;
  int provided = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  initialized_here_ = true;
}

MpiSession::~MpiSession() {
  if (!initialized_here_) return;
  if (std::uncaught_exceptions() > exceptions_)
    MPI_Abort(MPI_COMM_WORLD, 1);
  else
    MPI_Finalize();
}

std::unique_ptr<Communicator> MpiSession::world() const {
  return mpi_communicator(MPI_COMM_WORLD);
}

void MpiSession::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int size = 0;
  MPI_Get_library_version(text, &size);
  const std::string whole(text,
                          static_cast<std::size_t>(size));  // "Open MPI v4.1.4, package: ..., ident: ..."
  return whole.substr(0, whole.find_first_of(",\n"));
}

}  // namespace adasum
