# What npmat links with and what has no CMake files of its own to go by: npmat::openblas, npmat::dnnl, npmat::mvec,
# where they are found. Read by the build, and once installed by find_package(cudamat).
# oneDNN's own CMake files ask for OpenCL's headers.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp)
find_library(DNNL_LIBRARY dnnl)
find_library(MVEC_LIBRARY mvec)  # the C library's vector functions, a library of its own on x86-64
foreach(name openblas dnnl mvec)
  string(TOUPPER ${name}_LIBRARY file)
  if(${file} AND NOT TARGET npmat::${name})
    add_library(npmat::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(npmat::${name} PROPERTIES IMPORTED_LOCATION ${${file}})
  endif()
endforeach()
