// Stands in for CUDA's header of this name: the part of NVRTC that the project uses. Programs are
// compiled by the system's C++ compiler for the execution on the CPU (cudamat/simt/compiler.cpp).
#pragma once

#include <cstddef>

enum nvrtcResult {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_INTERNAL_ERROR = 11
};

using nvrtcProgram = struct _nvrtcProgram*;

const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int* major, int* minor);
nvrtcResult nvrtcCreateProgram(nvrtcProgram* prog, const char* src, const char* name,
                               int num_headers, const char* const* headers,
                               const char* const* include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* prog);
nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int num_options, const char* const* options);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char* name);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char* name, const char** lowered);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, std::size_t* size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char* cubin);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, std::size_t* size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char* log);
