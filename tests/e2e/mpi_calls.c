// SPDX-License-Identifier: Apache-2.0
// What ranks ask of what started them: "spawn" processes, publish "names", "connect" by such a name, and
// "info" on how they were started. Errors are printed, not fatal.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void tell(const char* call, int error) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(error, text, &length);
  printf("%s: %s\n", call, error == MPI_SUCCESS ? "ok" : text);
}

static void spawn(char* program) {
  MPI_Comm children;
  tell("spawn", MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                               MPI_ERRCODES_IGNORE));
}

// The first rank publishes, the last one looks it up.
static void names(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  if (rank == 0) tell("publish", MPI_Publish_name("a service", MPI_INFO_NULL, "port:1"));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    tell("lookup", MPI_Lookup_name("a service", MPI_INFO_NULL, port));
    printf("port %s\n", port);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) tell("unpublish", MPI_Unpublish_name("a service", MPI_INFO_NULL, "port:1"));
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1)
    printf("after that: %s\n",
           MPI_Lookup_name("a service", MPI_INFO_NULL, port) == MPI_SUCCESS ? "found" : "gone");
}

static void connect_by_name(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm other = MPI_COMM_NULL;
  int value = 42;
  if (rank == 0) {
    tell("open", MPI_Open_port(MPI_INFO_NULL, port));
    tell("publish", MPI_Publish_name("a service", MPI_INFO_NULL, port));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    tell("accept", MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
    MPI_Send(&value, 1, MPI_INT, 0, 0, other);
  } else if (rank == size - 1) {
    value = 0;
    MPI_Lookup_name("a service", MPI_INFO_NULL, port);
    tell("connect", MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
    MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
    printf("received %d\n", value);
  }
  if (other != MPI_COMM_NULL) MPI_Comm_disconnect(&other);
}

static void info(void) {
  int count, found;
  char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
  MPI_Info_get_nkeys(MPI_INFO_ENV, &count);
  for (int i = 0; i < count; ++i) {
    MPI_Info_get_nthkey(MPI_INFO_ENV, i, key);
    MPI_Info_get(MPI_INFO_ENV, key, MPI_MAX_INFO_VAL, value, &found);
    if (found) printf("%s=%s\n", key, value);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (strcmp(what, "spawn") == 0) spawn(argv[0]);
  if (strcmp(what, "names") == 0) names();
  if (strcmp(what, "connect") == 0) connect_by_name();
  if (strcmp(what, "info") == 0) info();
  return MPI_Finalize();
}
