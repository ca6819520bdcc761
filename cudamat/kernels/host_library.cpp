#include "cudamat/kernels/host_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

#include "cudamat/code/run_program.hpp"
#include "cudamat/error.hpp"
#include "cudamat/kernels/demangled.hpp"

namespace cudamat::kernels {
namespace {

/// simt::Entry of simt_user_end.h.
struct Entry {
  void (*run)(void* const* arguments);
  const char* type;
};

template <class F>
F* find(const code::LoadedObject& object, const std::string& name) {
  void* const found = object.find(name);
  if (found == nullptr) throw InternalError("a library of kernels has no " + name);
  return reinterpret_cast<F*>(found);
}

template <class T>
T read_at(const std::string& code, std::size_t offset) {
  T value{};
  if (offset + sizeof(T) <= code.size()) std::memcpy(&value, code.data() + offset, sizeof(T));
  return value;
}

Elf64_Shdr section_of(const std::string& code, const Elf64_Ehdr& header, std::size_t number) {
  return read_at<Elf64_Shdr>(code, header.e_shoff + number * sizeof(Elf64_Shdr));
}

/// "n" is a variable of C here, and the type __int128 to who takes all names for those of C++.
std::string name_of_symbol(const char* symbol) {
  return std::strncmp(symbol, "_Z", 2) == 0 ? demangled(symbol) : symbol;
}

/// "tile" of "matmul(float*)::tile"; "table" of "table".
std::string last_part(const std::string& name) {
  const std::size_t at = name.rfind("::");
  std::string part = at == std::string::npos ? name : name.substr(at + 2);
  return part.substr(0, part.find('.'));
}

}  // namespace

std::string demangled(const char* name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = text == nullptr ? name : text;
  std::free(text);
  return result;
}

HostLibrary::HostLibrary(const std::string& code, std::size_t kernels) : object_(code) {
  if (!object_.is_loaded())
    throw CUDAMatException("SourceModule",
                           fmt::format("the kernels cannot be loaded: {}", object_.failure()));
  base_ = object_.base();
  attach_ = find<void(const simt::Host*)>(object_, "simt_attach");
  for (std::size_t i = 0; i < kernels; ++i) {
    const Entry& entry = *find<const Entry*()>(object_, fmt::format("simt_entry_{}", i))();
    kernels_.push_back({entry.run, demangled(entry.type)});
  }
  read_code(code);
  read_variables(code);
}

/// The segment that is executed, up to the hooks of simt_user_end.h.
void HostLibrary::read_code(const std::string& code) {
  const auto header = read_at<Elf64_Ehdr>(code, 0);
  std::size_t hooks = 0;
  const auto names = section_of(code, header, header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = section_of(code, header, i);
    if (std::strcmp(code.c_str() + names.sh_offset + section.sh_name, "simt_hooks") == 0)
      hooks = section.sh_addr;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(code, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::size_t begin = segment.p_vaddr / page * page;
    if (hooks > begin && hooks % page == 0) code_ = {base_ + begin, hooks - begin};
  }
  if (code_.empty()) throw InternalError("a library of kernels has no hooks after its code");
}

void HostLibrary::close_code() const {
  (void)mprotect(code_.data(), code_.size(), PROT_READ);
}
void HostLibrary::open_code() const {
  (void)mprotect(code_.data(), code_.size(), PROT_READ | PROT_EXEC);
}

void HostLibrary::read_variables(const std::string& code) {
  const auto header = read_at<Elf64_Ehdr>(code, 0);
  const auto section = [&](std::size_t number) { return section_of(code, header, number); };
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    const Elf64_Shdr table = section(s);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr names = section(table.sh_link);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(code, table.sh_offset + at);
      const bool object = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0;
      if (!object || symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= header.e_shnum ||
          (section(symbol.st_shndx).sh_flags & SHF_WRITE) == 0)
        continue;
      const char* const mangled = code.c_str() + names.sh_offset + symbol.st_name;
      std::byte* const data = base_ + symbol.st_value;
      if (std::strcmp(mangled, "simt_dynamic") == 0) dynamic_ = data;
      // The library's own, of simt_user_end.h and of the linker, are none of the program's.
      const std::string name = name_of_symbol(mangled);
      if (name.starts_with("simt_") || name.find("simt::") != std::string::npos ||
          name.starts_with("_") || name.starts_with("guard variable") ||
          name.starts_with("typeinfo") || name.starts_with("vtable") ||
          name.starts_with("completed.") || name.starts_with("DW.ref."))
        continue;
      variables_.push_back(
          {last_part(name),
           name.find("::") != std::string::npos && std::strncmp(mangled, "_ZZ", 3) == 0, data,
           symbol.st_size});
    }
  }
  if (dynamic_ == nullptr) throw InternalError("a library of kernels has no shared memory");
}

int HostLibrary::line_of(std::size_t offset, const std::string& file) const {
  const code::Ran ran = code::run_program(
      {.arguments = {"addr2line", "-i", "-e", object_.path(), fmt::format("{:#x}", offset)},
       .folder = "/"});
  std::istringstream lines(ran.output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) continue;
    const std::string_view where = std::string_view(line).substr(0, colon);
    const bool of_file = where.ends_with(file) && (where.size() == file.size() ||
                                                   where[where.size() - file.size() - 1] == '/');
    if (of_file) return std::atoi(line.c_str() + colon + 1);
  }
  return 0;
}

}  // namespace cudamat::kernels
