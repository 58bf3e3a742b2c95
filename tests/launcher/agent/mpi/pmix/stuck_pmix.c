// SPDX-License-Identifier: Apache-2.0
// A libpmix.so.2 that accepts the description of a job and never says that it has taken it; or that says so,
// and never returns from PMIx_server_setup_fork. What its functions do not use of their arguments is left
// out.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { operation_succeeded = -157 };

static int is_stuck_in_setup_fork(void) {
  return getenv("STUCK_IN_SETUP_FORK") != NULL;
}

int PMIx_server_init(void) {
  return 0;
}

int PMIx_server_finalize(void) {
  return 0;
}

int PMIx_generate_regex(const char* text, char** pattern) {
  *pattern = strdup(text);
  return 0;
}

int PMIx_generate_ppn(const char* text, char** pattern) {
  *pattern = strdup(text);
  return 0;
}

// Kept, as by a libpmix that will call back: else it would be a leak of the caller.
void* caller;

int PMIx_server_register_nspace(const char* name, int count, void* infos, size_t size, void* done,
                                void* data) {
  (void)name, (void)count, (void)infos, (void)size, (void)done;
  if (is_stuck_in_setup_fork()) return operation_succeeded;
  caller = data;
  return 0;
}

int PMIx_server_register_client(void) {
  return operation_succeeded;
}

int PMIx_server_setup_fork(void) {
  for (;;) pause();
  return 0;
}

int PMIx_server_dmodex_request(void) {
  return 0;
}

const char* PMIx_Error_string(void) {
  return "an error";
}

int PMIx_Info_load(void) {
  return 0;
}
