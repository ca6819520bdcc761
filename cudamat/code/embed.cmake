# cmake -D ROOT=folder -D STANDARD=folder -D OUTPUT=file -D NAMESPACE=name -D HEADERS="name name" -P embed.cmake
#
# Writes a source that defines headers(), as headers.hpp declares it, in the namespace. Names with a folder are files
# below ROOT, others below STANDARD.
separate_arguments(HEADERS)
set(rows)
foreach(name ${HEADERS})
  if(name MATCHES "/")
    file(READ ${ROOT}/${name} text)
  else()
    file(READ ${STANDARD}/${name} text)
  endif()
  string(APPEND rows "    {\"${name}\", R\"header(${text})header\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"cudamat/code/headers.hpp\"

namespace ${NAMESPACE} {
namespace {

constexpr cudamat::code::Header kHeaders[] = {
${rows}};

}  // namespace

std::span<const cudamat::code::Header> headers() {
  return kHeaders;
}

}  // namespace ${NAMESPACE}
")
