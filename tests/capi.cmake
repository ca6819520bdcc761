# The C interface: a C program, and programs for the original's Python package through ctypes, which finds the
# libraries as it would anywhere. All of it on npmat (label cpu), and on the CUDA engine over cudamat/simt (simt).

# Under sanitizers Python needs their runtime first.
set(capi_preload)
if(CUDAMAT_SANITIZE MATCHES address)
  foreach(runtime libasan.so libstdc++.so)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(APPEND preloaded "${path} ")
  endforeach()
  set(capi_preload LD_PRELOAD=${preloaded} ASAN_OPTIONS=detect_leaks=0)
endif()

# capi_tests(SUFFIX LABEL USE-GPU): the tests on the libraries cudamat_capiSUFFIX and cudalearn_capiSUFFIX.
function(capi_tests suffix label use_gpu)
  add_executable(capi_test${suffix} capi_test.c capi_compute_test.c)
  target_link_libraries(capi_test${suffix} PRIVATE cudamat_flags cudalearn_capi${suffix} cudamat_capi${suffix} m)
  add_test(NAME capi_test${suffix} COMMAND capi_test${suffix})
  cudamat_python_test(capi_ctypes_test${suffix} capi_ctypes_test.py $<TARGET_FILE:symdump>)
  cudamat_python_test(capi_flags_test${suffix} capi_flags_test.py ${CMAKE_SOURCE_DIR}/cudamat/capi)
  cudamat_python_test(capi_misuse_test${suffix} capi_misuse_test.py)
  cudamat_python_test(capi_symbols_test${suffix} capi_symbols_test.py $<TARGET_FILE_DIR:cudamat_capi${suffix}>
    ${CMAKE_SOURCE_DIR}/cudamat/capi/cudamat.h)
  set(environment GNUMPY_USE_GPU=${use_gpu})
  set_tests_properties(capi_test${suffix} PROPERTIES TIMEOUT 600 ENVIRONMENT "${environment}")
  list(APPEND environment LD_LIBRARY_PATH=$<TARGET_FILE_DIR:cudamat_capi${suffix}> ${capi_preload})
  set_tests_properties(capi_ctypes_test${suffix} capi_flags_test${suffix} capi_misuse_test${suffix}
    PROPERTIES ENVIRONMENT "${environment}")
  set_tests_properties(capi_test${suffix} capi_ctypes_test${suffix} capi_flags_test${suffix}
    capi_misuse_test${suffix} capi_symbols_test${suffix} PROPERTIES LABELS ${label})
endfunction()

capi_tests("" cpu no)
if(NOT CUDAMAT_SANITIZE)  # in Python under AddressSanitizer the fibers of cudamat/simt have hung
  cudamat_capi(_simt cudamat_simt)
  capi_tests(_simt simt yes)
endif()
cudamat_test(capi_threads_test THREADS SOURCES capi_threads_test.cpp LIBS cudalearn_capi cudamat_capi)
