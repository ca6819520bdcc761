# The CUDA engine without a GPU and with one.
#
# Label simt: its sources compiled as C++ against stand-ins for CUDA's headers, its kernels run thread by thread
# on the CPU (cudamat/simt). Threads and blocks run shuffled: under sanitizers on a device with room, its streams eager;
# without them on one that holds few blocks, its streams doing nothing before something waits for them. The cases, one
# by one, are those of the first, and in reverse there is cuda_simt_reverse_lazy. Forward, in the order in which a
# missing barrier shows least, they run where SIMT_ORDER says so.
set_source_files_properties(${CUDAMAT_CUDA_KERNELS} simt_broken_kernels.cu PROPERTIES LANGUAGE CXX)
add_library(cudamat_simt STATIC ${CUDAMAT_CUDA_SOURCES} ${CUDAMAT_CUDA_KERNELS})
target_link_libraries(cudamat_simt PUBLIC simt PRIVATE cudamat_code)
cudamat_loops_over_elements(cudamat_simt)
cudamat_compiled_soon(cudamat_simt)
target_compile_options(cudamat_simt PRIVATE -Wno-unknown-pragmas)  # `#pragma unroll` is nvcc's

# What is compiled at run time is compiled once for the tests of all builds.
set(simt_compiler SIMT_COMPILER=${CMAKE_CXX_COMPILER} SIMT_CACHE=${compiled_by_tests}/simt)
# What runs on either is compiled once. Kernels are templates: under sanitizers they run in float alone.
cudamat_test_objects(cuda_tests LIBS conformance_reference
  SOURCES cuda_conformance_float_test.cpp cuda_conformance_double_test.cpp cuda_device_test.cpp cuda_large_test.cpp
    cuda_random_test.cpp cuda_stream_test.cpp cuda_vector_products_test.cpp)

cudamat_test(simt_test LABEL simt LIBS simt npmat
  SOURCES simt_broken_kernels.cu simt_library_test.cpp simt_memory_test.cpp simt_ordering_test.cpp
    simt_graph_test.cpp simt_runtime_test.cpp simt_stand_ins_test.cpp simt_test.cpp)
cudamat_test(cuda_simt_test LABEL simt CASES
  SANITIZED -cuda_double*:CudaLarge/1.*:CudaVectorProducts/1.*
  ENVIRONMENT SIMT_ORDER=shuffle
  SOURCES cuda_turns_test.cpp $<TARGET_OBJECTS:cuda_tests> LIBS cudamat_simt conformance_reference)
# Exchange with other libraries, whose part is played by calls of the runtime here.
cudamat_test_objects(cuda_exchange_tests SOURCES cuda_exchange_test.cpp LIBS cudamat)
cudamat_test(cuda_exchange_test LABEL simt SOURCES cuda_exchange_simt_test.cpp $<TARGET_OBJECTS:cuda_exchange_tests>
  LIBS cudamat_simt)
# Statement lists and their replay; fused statements are compiled, too.
cudamat_test_objects(cuda_list_tests SOURCES cuda_arena_test.cpp cuda_replay_test.cpp LIBS rewriter)
add_library(run_cuda OBJECT ${CMAKE_SOURCE_DIR}/rewriter/run/run_cuda.cpp)
target_link_libraries(run_cuda PUBLIC rewriter)
cudamat_test(cuda_lists_test LABEL simt
  SOURCES cuda_lists_simt_test.cpp $<TARGET_OBJECTS:run_cuda> $<TARGET_OBJECTS:cuda_list_tests>
  LIBS cudamat_simt rewriter ENVIRONMENT ${simt_compiler} SIMT_STREAMS=lazy CUDAMAT_CACHE=off)
set_target_properties(cuda_lists_test PROPERTIES ENABLE_EXPORTS ON)
# Programs that symdump --emit cuda prints, which are compiled by the test.
add_executable(cuda_program_host cuda_program_host.cpp)
target_link_libraries(cuda_program_host PRIVATE cudamat_flags $<LINK_LIBRARY:WHOLE_ARCHIVE,simt> ${CMAKE_DL_LIBS})
set_target_properties(cuda_program_host PROPERTIES ENABLE_EXPORTS ON)
if(NOT CUDAMAT_SANITIZE)
  cudamat_test(cuda_programs_bits_test LABEL simt
    SOURCES cuda_programs_bits_test.cpp $<TARGET_OBJECTS:run_cuda> LIBS cudamat_simt rewriter
    ENVIRONMENT ${simt_compiler} CUDAMAT_CACHE=off)
  target_compile_definitions(cuda_programs_bits_test PRIVATE
    CUDA_PROGRAM_HOST="$<TARGET_FILE:cuda_program_host>")
  set_target_properties(cuda_programs_bits_test PROPERTIES ENABLE_EXPORTS ON)
  add_dependencies(cuda_programs_bits_test cuda_program_host)
endif()
cudamat_test(cuda_copy_threads_test THREADS
  SOURCES cuda_copy_threads_test.cpp ${CMAKE_SOURCE_DIR}/cudamat/cuda/copy_threads.cpp LIBS cudamat)
cudamat_test(cuda_calls_test LABEL simt SOURCES cuda_calls_test.cpp LIBS cudamat_simt)
cudamat_test(cuda_product_tuning_test LABEL simt SOURCES cuda_product_tuning_test.cpp LIBS cudamat_simt)
cudamat_test(cuda_faults_test LABEL simt SANITIZED -*InDouble SOURCES cuda_faults_test.cpp LIBS cudamat_simt)
cudamat_test(cuda_random_curand_test LABEL simt SOURCES cuda_random_curand_test.cpp
  LIBS cudamat_simt npmat ${CMAKE_DL_LIBS})
target_compile_definitions(cuda_random_curand_test PRIVATE
  CUDAMAT_TEST_LIBCURAND="${CUDAToolkit_LIBRARY_DIR}/libcurand.so.10")
cudamat_test(cuda_neighbours_test LABEL simt SOURCES cuda_neighbours_test.cpp LIBS cudamat_simt ${CMAKE_DL_LIBS})
if(NOT CUDAMAT_SANITIZE)
  add_test(NAME cuda_simt_few_blocks COMMAND cuda_simt_test --gtest_brief=1)
  add_test(NAME cuda_simt_reverse_lazy COMMAND cuda_simt_test --gtest_brief=1)
  set_tests_properties(cuda_simt_few_blocks cuda_simt_reverse_lazy PROPERTIES LABELS simt TIMEOUT 900)
  # Grids of at most two blocks a side: every grid-stride loop takes several turns (cuda_turns_test.cpp).
  set_property(TEST cuda_simt_few_blocks PROPERTY
    ENVIRONMENT SIMT_ORDER=shuffle SIMT_STREAMS=lazy SIMT_MULTIPROCESSORS=1x128)
  set_property(TEST cuda_simt_reverse_lazy PROPERTY ENVIRONMENT SIMT_ORDER=reverse SIMT_STREAMS=lazy)
  set_property(TEST cuda_simt_reverse_lazy APPEND PROPERTY LABELS other-order)  # tools/test has no time for it
endif()

# Fused statements: compiled by the system's compiler, their kernels call back into the program.
cudamat_test_objects(cuda_fused_tests SOURCES cuda_fused_test.cpp LIBS fmt::fmt)
# What it compiles has no sanitizers in it: of the bodies they run those that lie in every way, in float.
cudamat_test(cuda_fused_test LABEL simt
  SANITIZED -CudaFused/1.*:*HaveTheBits*:*HaveTheOrder*:*AreCutIntoPieces*
  SOURCES cuda_fused_simt_test.cpp $<TARGET_OBJECTS:cuda_fused_tests> LIBS cudamat_simt cudamat_code
  ENVIRONMENT ${simt_compiler})
set_target_properties(cuda_fused_test PROPERTIES ENABLE_EXPORTS ON)
# And by NVRTC itself, which needs no GPU.
if(CUDAMAT_HAS_CUDA)
  cudamat_test(nvrtc_test SOURCES nvrtc_test.cpp LIBS cudamat_cuda cudamat_code ENVIRONMENT CUDAMAT_CACHE=off)
  target_include_directories(nvrtc_test SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  # All of the engine in a shared library, with what such a library shows unless it is told otherwise.
  file(CONFIGURE OUTPUT nothing.cpp CONTENT "")
  add_library(cuda_exports SHARED ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
  target_link_libraries(cuda_exports PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,cudamat_cuda>)
endif()

# Label gpu: the same on a GPU; skipped, visibly, where there is none. tools/gpu-check carries it to one.
if(CUDAMAT_HAS_CUDA)
  add_executable(cuda_gpu_test gpu_main.cpp $<TARGET_OBJECTS:cuda_tests> $<TARGET_OBJECTS:cuda_exchange_tests>
    $<TARGET_OBJECTS:cuda_fused_tests>)
  target_link_libraries(cuda_gpu_test PRIVATE cudamat_cuda conformance_reference GTest::gmock)
  add_test(NAME cuda_gpu_test COMMAND cuda_gpu_test)
  set_tests_properties(cuda_gpu_test PROPERTIES LABELS gpu TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()

# Kernels of users, thread by thread on the CPU; and as on a GPU, over the stand-ins. NVRTC itself compiles some in
# nvrtc_test.
cudamat_kernels(_cpu)
cudamat_test(kernels_test
  SOURCES kernels_bookkeeping_test.cpp kernels_right_test.cpp kernels_wrong_test.cpp kernels_module_test.cpp
    kernels_exercises_test.cpp kernels_goes_on_test.cpp kernels_limits_test.cpp kernels_signals_test.cpp
  LIBS cudamat_kernels_cpu npmat simt_core ENVIRONMENT CUDAMAT_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/kernels_cache)
cudamat_test(kernels_source_test SOURCES kernels_source_test.cpp LIBS cudamat_kernels_cpu)
cudamat_kernels(_simt cudamat_simt)
cudamat_test(kernels_gpu_test LABEL simt SOURCES kernels_gpu_test.cpp LIBS cudamat_kernels_simt npmat
  ENVIRONMENT ${simt_compiler} CUDAMAT_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/kernels_cache)
set_target_properties(kernels_gpu_test PROPERTIES ENABLE_EXPORTS ON)
# Kernels as operations of expressions, on npmat and on the CUDA engine.
cudamat_test_objects(rewriter_custom_tests SOURCES rewriter_custom_test.cpp LIBS rewriter)
cudamat_test(rewriter_custom_test LABEL simt
  SOURCES $<TARGET_OBJECTS:run_cuda> $<TARGET_OBJECTS:rewriter_custom_tests>
  LIBS cudamat_kernels_simt rewriter
  ENVIRONMENT ${simt_compiler} CUDAMAT_CACHE_DIR=${CMAKE_CURRENT_BINARY_DIR}/kernels_cache)
set_target_properties(rewriter_custom_test PROPERTIES ENABLE_EXPORTS ON)
if(CUDAMAT_HAS_CUDA)
  cudamat_test(kernels_device_test LABEL gpu SOURCES kernels_device_test.cpp LIBS cudamat_kernels)
  # For tools/gpu-check.
  add_executable(lists_gpu_test EXCLUDE_FROM_ALL gpu_main.cpp $<TARGET_OBJECTS:cuda_list_tests>
    $<TARGET_OBJECTS:rewriter_custom_tests>)
  target_link_libraries(lists_gpu_test PRIVATE rewriter_cuda cudamat_kernels GTest::gmock)
endif()
