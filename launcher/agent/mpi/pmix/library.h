// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pmix.h>
#include <pmix_server.h>

namespace adarun::launcher::agent::pmix {

/// The functions of libpmix that a server calls. The library is loaded at run time: nodes without MPI need
/// none.
struct Library {
  decltype(&PMIx_server_init) server_init;
  decltype(&PMIx_server_finalize) server_finalize;
  decltype(&PMIx_generate_regex) generate_regex;
  decltype(&PMIx_generate_ppn) generate_ppn;
  decltype(&PMIx_server_register_nspace) register_nspace;
  decltype(&PMIx_server_register_client) register_client;
  decltype(&PMIx_server_setup_fork) setup_fork;
  decltype(&PMIx_server_dmodex_request) dmodex_request;
  decltype(&PMIx_Error_string) error_string;
  pmix_status_t (*info_load)(pmix_info_t*, const char*, const void*, pmix_data_type_t);
};

/// Loads libpmix.so.2; it stays loaded until the process ends. Throws agent::Error that says what is missing.
Library load_library();

}  // namespace adarun::launcher::agent::pmix
