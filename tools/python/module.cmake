# Python modules: extensions made with nanobind, which Python finds among its packages (tools/setup python installs it).
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE result ERROR_QUIET)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "CUDAMAT_PYTHON needs nanobind in ${Python_EXECUTABLE}: pip install nanobind")
endif()
find_package(nanobind CONFIG REQUIRED)
add_custom_target(python)

# cudamat_python(PACKAGE LIBRARY SOURCES file...): the extension _PACKAGE of a Python package, installed into it; built
# by the target `python`; of the stable ABI where scikit-build-core is asked for it (wheel.py-api). Its stub,
# _PACKAGE.pyi, comes from the signatures. The libraries' symbols are its own.
function(cudamat_python package library)
  set(module _${package})
  cmake_parse_arguments(ARG "" "" "SOURCES" ${ARGN})
  nanobind_add_module(${module} NB_STATIC STABLE_ABI NB_DOMAIN ${package} NOMINSIZE NB_SUPPRESS_WARNINGS ${ARG_SOURCES})
  target_link_libraries(${module} PRIVATE cudamat_flags ${library})
  cudamat_compiled_soon(${module})
  cudamat_in_batches(${module})
  target_compile_definitions(${module} PRIVATE CUDAMAT_VERSION="${PROJECT_VERSION}")
  target_link_options(${module} PRIVATE LINKER:--exclude-libs,ALL)
  install(TARGETS ${module} LIBRARY DESTINATION ${package} COMPONENT python)
  set(patterns)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/stub.pat)
    set(patterns PATTERN_FILE ${CMAKE_CURRENT_SOURCE_DIR}/stub.pat)
  endif()
  nanobind_add_stub(${module}_stub MODULE ${module} OUTPUT ${module}.pyi PYTHON_PATH $<TARGET_FILE_DIR:${module}>
                    ${patterns} DEPENDS ${module})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${module}.pyi DESTINATION ${package} COMPONENT python)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/python/_room.py DESTINATION ${package} COMPONENT python)
  add_dependencies(python ${module} ${module}_stub)
endfunction()
