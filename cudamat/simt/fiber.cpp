#include "cudamat/simt/fiber.hpp"

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <sys/mman.h>

#include "cudamat/simt/memory.hpp"

#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace simt {
namespace {

namespace context = boost::context::detail;

#ifdef SIMT_ASAN
constexpr std::size_t kStack = std::size_t{256} << 10;
#else
constexpr std::size_t kStack = std::size_t{64} << 10;
#endif

/// Without access, below a stack: more than the frames of a function that overflows it, mostly.
constexpr std::size_t kGuard = std::size_t{64} << 10;

/// Stacks begin at different offsets into their pages, or the cache would hold few at a time.
std::size_t next_offset() {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kLinesPerFrame = 5;  // about what a waiting thread touches
  static std::atomic<std::size_t> made = 0;
  return made++ * kLinesPerFrame * kLine % kPage;
}

}  // namespace

/// The first function on a fiber's stack.
struct FiberEntry {
  static void run(context::transfer_t from) {
    Fiber& before = **static_cast<Fiber**>(from.data);
    Fiber& self = *static_cast<Fiber**>(from.data)[1];
    before.context_ = from.fctx;
#ifdef SIMT_ASAN
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    if (before.mapping_ == nullptr) {  // a thread's own stack, whose extent is learned here
      before.stack_ = bottom;
      before.size_ = size;
    }
#endif
    self.body_(self);
  }
};

Fiber::Fiber(Body body) : body_(body), size_(kStack) {
  void* const mapping = mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  mprotect(mapping_, kGuard, PROT_NONE);
  stack_ = mapping_ + kGuard;
  context_ = context::make_fcontext(mapping_ + kGuard + kStack - next_offset(), kStack - kPage,
                                    FiberEntry::run);
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#ifdef SIMT_ASAN
  __asan_unpoison_memory_region(mapping_ + kGuard, kStack);
#endif
  munmap(mapping_, kGuard + kStack);
}

bool Fiber::overflows_at(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  return mapping_ != nullptr && at >= mapping_ && at < mapping_ + kGuard;
}

}  // namespace simt
