// Runs a CUDA program that symdump --emit cuda printed, on the CPU (cudamat/simt):
//
//     cuda_program_host PROGRAM.so [NAME=FILE.npy ...] [FOLDER]
//
// The program, compiled as C++ into a shared library with -Dmain=cuda_program, calls back into this
// one for CUDA's runtime and libraries.
#include <cstdio>
#include <dlfcn.h>
#include <initializer_list>

int main(int count, char** arguments) {
  void* const library = count < 2 ? nullptr : dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  void* program = nullptr;
  for (const char* const name : {"_Z12cuda_programiPPc", "_Z12cuda_programv"})
    if (library != nullptr && program == nullptr) program = dlsym(library, name);
  if (program == nullptr) {
    std::fprintf(stderr, "cuda_program_host: %s\n", dlerror());
    return 2;
  }
  return reinterpret_cast<int (*)(int, char**)>(program)(count - 1, arguments + 1);
}
