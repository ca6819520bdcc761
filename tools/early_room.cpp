// A program that is linked with OpenBLAS waits for ever where OpenBLAS gets no buffers as it is
// loaded. So whether it will get them is looked at before: the functions of .preinit_array come
// before those of any shared library. Nothing is initialised then, not even the C library.
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "npmat/blas_start.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

/// As many as OpenMP will have, which has read nothing yet.
long threads(char** environment) {
  cpu_set_t set;
  CPU_ZERO(&set);
  long processors = 1;
  if (syscall(SYS_sched_getaffinity, 0, sizeof(set), &set) > 0) processors = CPU_COUNT(&set);
  constexpr char kName[] = "OMP_NUM_THREADS=";
  for (; *environment != nullptr; ++environment)
    if (std::strncmp(*environment, kName, sizeof(kName) - 1) == 0) {
      long wanted = 0;
      for (const char* c = *environment + sizeof(kName) - 1; *c >= '0' && *c <= '9'; ++c)
        if (wanted < processors) wanted = 10 * wanted + (*c - '0');
      if (wanted > 0 && wanted < processors) return wanted;
    }
  return processors;
}

/// Maps one buffer after the other, and gives them back.
bool has_buffers(long count) {
  void* const buffer = npmat::map_room(npmat::kBlasBuffer);
  if (buffer == MAP_FAILED) return false;
  const bool enough = count == 1 || has_buffers(count - 1);
  (void)munmap(buffer, npmat::kBlasBuffer);
  return enough;
}

void look_for_room(int, char**, char** environment) {
  if (has_buffers(threads(environment))) return;
  constexpr char kText[] =
      "out of memory: OpenBLAS needs 128 MiB of address space for each thread as the program "
      "starts, and less is available; allow more (ulimit -v), or set OMP_NUM_THREADS=1\n";
  [[maybe_unused]] const long written = syscall(SYS_write, STDERR_FILENO, kText, sizeof(kText) - 1);
  syscall(SYS_exit_group, 2);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const early)(int, char**,
                                                                  char**) = look_for_room;

}  // namespace

#endif
