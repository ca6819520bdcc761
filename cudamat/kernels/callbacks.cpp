#include "cudamat/kernels/callbacks.hpp"

#include <csignal>
#include <fmt/format.h>

#include "cudamat/kernels/interrupt.hpp"

namespace cudamat::kernels {
namespace {

struct Watched {
  simt::Checks* checks;  ///< nullptr: no kernel runs
  Heap* heap;
  Output* output;
  const HostLibrary* library;
  volatile std::sig_atomic_t interrupted;
};
thread_local Watched watched{};

std::uint32_t place_of(const void* code) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(code) - watched.library->base() -
                                    1);
}

void touch(const void* data, std::size_t bytes, simt::Touch what, const void* code) {
  watched.checks->touch(data, bytes, what, place_of(code));
}
void misaligned(const void* data, std::size_t bytes, simt::Touch what, const void* code) {
  watched.checks->misaligned(data, bytes, what, place_of(code));
}
void enter(const void* frame, const void* code) {
  watched.checks->enter(frame, place_of(code));
}
void fence() {
  watched.checks->fence();
}
void* allocate(std::size_t bytes) {
  return watched.heap->allocate(*watched.checks, bytes);
}
void release(void* data, const void* code) {
  if (!watched.heap->release(*watched.checks, data))
    simt::abandon("frees an address that malloc() and new have not returned",
                  static_cast<const std::byte*>(code) - 1);
}
int print(const char* format, std::va_list arguments) {
  return watched.output->print(format, arguments);
}
void fail_text(const char* text, const simt::Place& place) {
  char line[500];
  *fmt::format_to_n(line, sizeof line - 1, "{} ({}:{})", text, place.file_name(), place.line())
       .out = '\0';
  simt::abandon(line);
}
void fail_at(const char* text, const void* code) {
  simt::abandon(text, static_cast<const std::byte*>(code) - 1);
}

}  // namespace

Attached::Attached(const HostLibrary& library, simt::Checks& checks, Heap& heap, Output& output)
    : host_{.touch = touch,
            .misaligned = misaligned,
            .enter = enter,
            .warp_call = simt::warp_call,
            .barrier = simt::block_vote,
            .fence = fence,
            .allocate = allocate,
            .release = release,
            .print = print,
            .fail = fail_text,
            .fail_at = fail_at,
            .thread = &threadIdx,
            .block = &blockIdx,
            .block_dim = &blockDim,
            .grid_dim = &gridDim} {
  library.attach(host_);
  watched.interrupted = 0;
  watched.library = &library;
  watched.heap = &heap;
  watched.output = &output;
  watched.checks = &checks;  // last: from now on Ctrl-C ends the launch
}

Attached::~Attached() {
  watched.checks = nullptr;
  if (watched.interrupted != 0) watched.library->open_code();
}

bool Attached::is_interrupted() {
  return watched.interrupted != 0;
}

void interrupt_launch(const void* instruction) {
  if (watched.checks == nullptr) return;
  watched.interrupted = 1;
  if (simt::is_watched() && watched.library->has_code(instruction))
    watched.checks->interrupt(static_cast<std::uint32_t>(watched.library->place_of(instruction)));
  watched.library->close_code();
}

}  // namespace cudamat::kernels
