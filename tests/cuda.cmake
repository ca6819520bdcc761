# The CUDA engine without a GPU and with one.
#
# Label simt: its sources compiled as C++ against stand-ins for CUDA's headers, its kernels run thread by thread
# on the CPU (tests/simt). Threads and blocks run shuffled; without sanitizers once more in reverse with streams
# that do nothing before something waits for them, and on a device that holds few blocks. Forward, in the order in which
# a missing barrier shows least, they run where SIMT_ORDER says so.
add_subdirectory(simt)
set_source_files_properties(${CUDAMAT_CUDA_KERNELS} simt_broken_kernels.cu PROPERTIES LANGUAGE CXX)
add_library(cudamat_simt STATIC ${CUDAMAT_CUDA_SOURCES} ${CUDAMAT_CUDA_KERNELS})
target_link_libraries(cudamat_simt PUBLIC simt PRIVATE cudamat_code)
cudamat_loops_over_elements(cudamat_simt)
target_compile_options(cudamat_simt PRIVATE -Wno-unknown-pragmas)  # `#pragma unroll` is nvcc's

# What runs on either is compiled once.
add_library(cuda_tests OBJECT cuda_conformance_double_test.cpp cuda_conformance_float_test.cpp cuda_device_test.cpp
  cuda_large_test.cpp cuda_vector_products_test.cpp)
target_link_libraries(cuda_tests PUBLIC cudamat_flags conformance_reference GTest::gmock)
target_compile_definitions(cuda_tests PRIVATE ${test_definitions})
target_compile_options(cuda_tests PRIVATE ${test_optimization})

cudamat_test(simt_test LABEL simt LIBS simt npmat
  SOURCES simt_broken_kernels.cu simt_library_test.cpp simt_memory_test.cpp simt_ordering_test.cpp
    simt_runtime_test.cpp simt_test.cpp)
# Kernels are templates: sanitizers go through the operations' in float alone.
cudamat_test(cuda_simt_test LABEL simt SANITIZED --gtest_filter=-cuda_double/OpTable* ENVIRONMENT SIMT_ORDER=shuffle
  SOURCES cuda_turns_test.cpp $<TARGET_OBJECTS:cuda_tests> LIBS cudamat_simt conformance_reference)
cudamat_test(cuda_arena_test LABEL simt SOURCES cuda_arena_test.cpp ${CMAKE_SOURCE_DIR}/rewriter/run/run_cuda.cpp
  LIBS cudamat_simt rewriter)
cudamat_test(cuda_faults_test LABEL simt SOURCES cuda_faults_test.cpp LIBS cudamat_simt)
if(NOT CUDAMAT_SANITIZE)
  add_test(NAME cuda_simt_reverse_lazy COMMAND cuda_simt_test)
  add_test(NAME cuda_simt_few_blocks COMMAND cuda_simt_test)
  set_tests_properties(cuda_simt_reverse_lazy cuda_simt_few_blocks PROPERTIES LABELS simt TIMEOUT 900)
  set_property(TEST cuda_simt_reverse_lazy PROPERTY ENVIRONMENT SIMT_ORDER=reverse SIMT_STREAMS=lazy)
  # Grids of at most two blocks a side: every grid-stride loop takes several turns (cuda_turns_test.cpp).
  set_property(TEST cuda_simt_few_blocks PROPERTY ENVIRONMENT SIMT_ORDER=shuffle SIMT_MULTIPROCESSORS=1x128)
endif()

# Fused statements: compiled by the system's compiler, their kernels call back into the program.
add_library(cuda_fused_tests OBJECT cuda_fused_test.cpp)
target_link_libraries(cuda_fused_tests PUBLIC cudamat_flags fmt::fmt GTest::gmock)
target_compile_options(cuda_fused_tests PRIVATE ${test_optimization})
cudamat_test(cuda_fused_test LABEL simt SOURCES cuda_fused_simt_test.cpp $<TARGET_OBJECTS:cuda_fused_tests> LIBS cudamat_simt cudamat_code
  ENVIRONMENT SIMT_COMPILER=${CMAKE_CXX_COMPILER})
set_target_properties(cuda_fused_test PROPERTIES ENABLE_EXPORTS ON)
# And by NVRTC itself, which needs no GPU.
if(CUDAMAT_HAS_CUDA)
  cudamat_test(nvrtc_test SOURCES nvrtc_test.cpp LIBS cudamat_cuda cudamat_code ENVIRONMENT CUDAMAT_CACHE=off)
  target_include_directories(nvrtc_test SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endif()

# Label gpu: the same on a GPU; skipped, visibly, where there is none. tools/gpu-check carries it to one.
if(CUDAMAT_HAS_CUDA)
  add_executable(cuda_gpu_test gpu_main.cpp $<TARGET_OBJECTS:cuda_tests> $<TARGET_OBJECTS:cuda_fused_tests>)
  target_link_libraries(cuda_gpu_test PRIVATE cudamat_cuda conformance_reference GTest::gmock)
  add_test(NAME cuda_gpu_test COMMAND cuda_gpu_test)
  set_tests_properties(cuda_gpu_test PROPERTIES LABELS gpu TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()
