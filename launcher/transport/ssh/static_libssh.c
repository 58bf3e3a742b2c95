// SPDX-License-Identifier: Apache-2.0
// What a static libssh needs besides libcrypto.
#include <openssl/crypto.h>

// The machine's openssl.cnf may load modules that belong to another libcrypto and C library, or ask for one
// that is not here. This runs before libssh's own constructor, which is the first to use libcrypto.
__attribute__((constructor(101))) static void read_no_configuration(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, 0);
}

// GSSAPI, for a way to log in that adarun does not use. Each function fails, so that libssh takes it for a
// machine without mechanisms.
enum { not_available = 16 << 16 };  // GSS_S_UNAVAILABLE (RFC 2744, 3.9.1)

const void* GSS_C_NT_HOSTBASED_SERVICE = 0;
const void* GSS_C_NT_USER_NAME = 0;

#define FAILS(name)       \
  unsigned name(void) {   \
    return not_available; \
  }

FAILS(gss_accept_sec_context)
FAILS(gss_acquire_cred)
FAILS(gss_add_oid_set_member)
FAILS(gss_create_empty_oid_set)
FAILS(gss_display_name)
FAILS(gss_display_status)
FAILS(gss_get_mic)
FAILS(gss_import_name)
FAILS(gss_indicate_mechs)
FAILS(gss_init_sec_context)
FAILS(gss_inquire_cred)
FAILS(gss_inquire_cred_by_mech)
FAILS(gss_release_buffer)
FAILS(gss_release_cred)
FAILS(gss_release_name)
FAILS(gss_release_oid_set)
FAILS(gss_test_oid_set_member)
FAILS(gss_verify_mic)
