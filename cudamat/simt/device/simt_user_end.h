// Behind a user's kernels: what the compiler makes loads and stores call, and how the program
// reaches the kernels.
#pragma once

#include <typeinfo>
#include <utility>

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace simt {

/// While the library is loaded, nobody looks on.
constinit const Host nobody{
    [](const void*, std::size_t, Touch, const void*) {},
    [](const void*, std::size_t, Touch, const void*) {},
    [](const void*, const void*) {},
    nullptr,
    nullptr,
    nullptr,
    [](std::size_t) -> void* { return nullptr; },
    [](void*, const void*) {},
    [](const char*, std::va_list) { return 0; },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};
constinit const Host* host = &nobody;

/// A kernel's code, and its type as the C++ library names it.
struct Entry {
  void (*run)(void* const* args);
  const char* type;
};

template <class... Params>
struct Caller {
  template <void (*kKernel)(Params...)>
  SIMT_PLAIN static void run(void* const* args) {
    call<kKernel>(args, std::index_sequence_for<Params...>());
  }
  template <void (*kKernel)(Params...), std::size_t... I>
  SIMT_PLAIN static void call([[maybe_unused]] void* const* args, std::index_sequence<I...>) {
    kKernel(*static_cast<std::remove_reference_t<Params>*>(args[I])...);
  }
};
template <class... Params>
Caller<Params...> caller_of(void (*)(Params...));

}  // namespace simt

#define SIMT_EXPORTED __attribute__((visibility("default"), SIMT_UNSEEN))
#define SIMT_ENTRY(number, ...)                                                                 \
  extern "C" SIMT_EXPORTED const simt::Entry* simt_entry_##number() {                           \
    static const simt::Entry entry{&decltype(simt::caller_of(&__VA_ARGS__))::run<&__VA_ARGS__>, \
                                   typeid(decltype(__VA_ARGS__)).name()};                       \
    return &entry;                                                                              \
  }

extern "C" SIMT_EXPORTED void simt_attach(const simt::Host* host) {
  simt::host = host;
}

// Hooks are by themselves, in pages that hold nothing before them: where the kernels' code is
// closed (host_library.hpp), they run.
#define SIMT_APART_FROM_KERNELS SIMT_UNSEEN, noinline, used, section("simt_hooks")
#define SIMT_HOOK __attribute__((visibility("hidden"), SIMT_APART_FROM_KERNELS))

namespace simt {

SIMT_HOOK __attribute__((aligned(65536))) void first_hook() {}

SIMT_HOOK void* allocate_for_new(std::size_t bytes, const void* code) {
  if (void* const data = host->allocate(bytes)) return data;
  host->fail_at("calls new: the kernels' heap is full", code);
  __builtin_unreachable();
}

SIMT_HOOK int print(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = host->print(format, arguments);
  va_end(arguments);
  return length;
}

}  // namespace simt

extern "C" {
SIMT_APART char simt_dynamic[SIMT_SHARED_BYTES];

#define SIMT_TOUCHES(name, bytes, what)                                                    \
  SIMT_HOOK void __tsan_##name(void* data) {                                               \
    if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0)                               \
      simt::host->misaligned(data, bytes, simt::Touch::what, __builtin_return_address(0)); \
    simt::host->touch(data, bytes, simt::Touch::what, __builtin_return_address(0));        \
  }                                                                                        \
  SIMT_HOOK void __tsan_unaligned_##name(void* data) {                                     \
    simt::host->touch(data, bytes, simt::Touch::what, __builtin_return_address(0));        \
  }                                                                                        \
  SIMT_HOOK void __tsan_volatile_##name(void* data) {                                      \
    simt::host->touch(data, bytes, simt::Touch::what, __builtin_return_address(0));        \
  }
SIMT_TOUCHES(read1, 1, kRead)
SIMT_TOUCHES(read2, 2, kRead)
SIMT_TOUCHES(read4, 4, kRead)
SIMT_TOUCHES(read8, 8, kRead)
SIMT_TOUCHES(read16, 16, kRead)
SIMT_TOUCHES(write1, 1, kWrite)
SIMT_TOUCHES(write2, 2, kWrite)
SIMT_TOUCHES(write4, 4, kWrite)
SIMT_TOUCHES(write8, 8, kWrite)
SIMT_TOUCHES(write16, 16, kWrite)
SIMT_HOOK void __tsan_read_range(void* data, unsigned long bytes) {
  simt::host->touch(data, bytes, simt::Touch::kRead, __builtin_return_address(0));
}
SIMT_HOOK void __tsan_write_range(void* data, unsigned long bytes) {
  simt::host->touch(data, bytes, simt::Touch::kWrite, __builtin_return_address(0));
}
// What kernels call of the C library, seen as well. The loops must not become calls of these.
SIMT_HOOK void* memmove(void* to, const void* from, unsigned long bytes) noexcept {
  simt::host->touch(from, bytes, simt::Touch::kRead, __builtin_return_address(0));
  simt::host->touch(to, bytes, simt::Touch::kWrite, __builtin_return_address(0));
  auto* const target = static_cast<volatile char*>(to);
  const auto* const source = static_cast<const volatile char*>(from);
  if (target < source)
    for (unsigned long i = 0; i < bytes; ++i) target[i] = source[i];
  else
    for (unsigned long i = bytes; i > 0; --i) target[i - 1] = source[i - 1];
  return to;
}
SIMT_HOOK void* memcpy(void* to, const void* from, unsigned long bytes) noexcept {
  simt::host->touch(from, bytes, simt::Touch::kRead, __builtin_return_address(0));
  simt::host->touch(to, bytes, simt::Touch::kWrite, __builtin_return_address(0));
  auto* const target = static_cast<volatile char*>(to);
  const auto* const source = static_cast<const volatile char*>(from);
  for (unsigned long i = 0; i < bytes; ++i) target[i] = source[i];
  return to;
}
SIMT_HOOK void* memset(void* to, int value, unsigned long bytes) noexcept {
  simt::host->touch(to, bytes, simt::Touch::kWrite, __builtin_return_address(0));
  auto* const target = static_cast<volatile char*>(to);
  for (unsigned long i = 0; i < bytes; ++i) target[i] = static_cast<char>(value);
  return to;
}
SIMT_HOOK void* malloc(unsigned long bytes) noexcept {
  return simt::host->allocate(bytes);
}
SIMT_HOOK void free(void* data) noexcept {
  simt::host->release(data, __builtin_return_address(0));
}
// printf("x") and printf("x\n") are calls of putchar() and puts() once they are compiled.
SIMT_HOOK int vprintf(const char* format, std::va_list arguments) {
  return simt::host->print(format, arguments);
}
SIMT_HOOK int printf(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int length = simt::host->print(format, arguments);
  va_end(arguments);
  return length;
}
SIMT_HOOK int puts(const char* text) {
  return simt::print("%s\n", text);
}
SIMT_HOOK int putchar(int letter) {
  return simt::print("%c", letter);
}
// What would end the process ends the launch; kernels of CUDA have none of these.
#define SIMT_ENDS(name, text)                               \
  SIMT_HOOK void name {                                     \
    simt::host->fail_at(text, __builtin_return_address(0)); \
    __builtin_trap();                                       \
  }
SIMT_ENDS(exit(int) noexcept, "calls exit()")
SIMT_ENDS(_exit(int), "calls _exit()")
SIMT_ENDS(_Exit(int) noexcept, "calls _Exit()")
SIMT_ENDS(quick_exit(int) noexcept, "calls quick_exit()")
SIMT_ENDS(abort() noexcept, "calls abort()")
// Before a throw; the C++ library's header says that it is visible.
__attribute__((SIMT_APART_FROM_KERNELS)) void* __cxa_allocate_exception(unsigned long) noexcept {
  simt::host->fail_at("throws an exception", __builtin_return_address(0));
  __builtin_trap();
}
SIMT_HOOK void __tsan_vptr_update(void**, void*) {}
SIMT_HOOK void __tsan_vptr_read(void**) {}
SIMT_HOOK void __tsan_init() {}
SIMT_HOOK void __tsan_func_entry(void*) {
  simt::host->enter(__builtin_frame_address(0), __builtin_return_address(0));
}
SIMT_HOOK void __tsan_func_exit() {}
}

#define SIMT_NEW __attribute__((SIMT_APART_FROM_KERNELS))
#define SIMT_DELETE(...)                                    \
  SIMT_NEW void operator delete(__VA_ARGS__) noexcept {     \
    simt::host->release(data, __builtin_return_address(0)); \
  }                                                         \
  SIMT_NEW void operator delete[](__VA_ARGS__) noexcept {   \
    simt::host->release(data, __builtin_return_address(0)); \
  }
SIMT_NEW void* operator new(std::size_t bytes) {
  return simt::allocate_for_new(bytes, __builtin_return_address(0));
}
SIMT_NEW void* operator new[](std::size_t bytes) {
  return simt::allocate_for_new(bytes, __builtin_return_address(0));
}
SIMT_DELETE(void* data)
SIMT_DELETE(void* data, std::size_t)
