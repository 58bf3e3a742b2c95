// SPDX-License-Identifier: Apache-2.0
// A libpmix.so.2 that accepts the description of a job and never says that it has taken it. What its
// functions do not use of their arguments is left out.
#include <string.h>

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
  caller = data;
  return 0;
}

int PMIx_server_register_client(void) {
  return 0;
}

int PMIx_server_setup_fork(void) {
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
