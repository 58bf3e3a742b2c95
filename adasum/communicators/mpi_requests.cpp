// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/mpi_requests.h"

#include <cstddef>
#include <cstdlib>

#include "adasum/communicators/fiber.h"
#include "adasum/types/error.h"

namespace adasum {

void check(int status, const std::string& what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(what + ": " + std::string(text, static_cast<std::size_t>(length)));
}

MpiRequests::~MpiRequests() {
  int done = 1;
  MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  if (done == 0) std::abort();
}

void MpiRequests::wait() {
  std::vector<MPI_Status> statuses(requests_.size());
  const int result = finish(statuses);
  if (result != MPI_ERR_IN_STATUS) check(result, what_);
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (result == MPI_ERR_IN_STATUS) check(statuses[i].MPI_ERROR, what_);
    if (wanted_[i] < 0) continue;
    int got = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &got);
    if (got != wanted_[i])
      throw Error(what_ + ": got " + std::to_string(got) + " bytes, wanted " + std::to_string(wanted_[i]));
  }
}

int MpiRequests::finish(std::vector<MPI_Status>& statuses) {
  const int count = static_cast<int>(requests_.size());
  while (Fiber::inside()) {
    int done = 0;
    const int result = MPI_Testall(count, requests_.data(), &done, statuses.data());
    if (done != 0 || result != MPI_SUCCESS) return result;
    if (!Fiber::pause()) break;
  }
  return MPI_Waitall(count, requests_.data(), statuses.data());
}

}  // namespace adasum
