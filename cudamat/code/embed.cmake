# cmake -D ROOT=folder -D STANDARD=folder -D OUTPUT=file -D HEADERS="name name" -P embed.cmake
#
# Writes what headers.hpp declares. Names with a folder are files below ROOT, others below STANDARD.
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

namespace cudamat::code {
namespace {

constexpr Header kHeaders[] = {
${rows}};

}  // namespace

std::span<const Header> headers() {
  return kHeaders;
}

}  // namespace cudamat::code
")
