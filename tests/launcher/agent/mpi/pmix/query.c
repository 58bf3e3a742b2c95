// SPDX-License-Identifier: Apache-2.0
// A rank that asks its PMIx server by PMIx_Query_info, and prints whether it is answered or refused.
#include <pmix.h>
#include <stdio.h>

int main(void) {
  const char* keys[] = {PMIX_QUERY_NAMESPACES, PMIX_QUERY_PROC_TABLE, PMIX_JOB_SIZE};
  pmix_proc_t self;
  if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 1;
  for (int i = 0; i < 3; ++i) {
    pmix_query_t query;
    pmix_info_t* results = NULL;
    size_t count = 0;
    pmix_status_t status = PMIX_SUCCESS;
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(status, query.keys, keys[i]);
    if (status == PMIX_SUCCESS) status = PMIx_Query_info(&query, 1, &results, &count);
    printf("%s: %s\n", keys[i], status == PMIX_SUCCESS ? "answered" : "refused");
  }
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 1;
}
