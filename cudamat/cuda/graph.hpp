// Calls that are queued again as a whole: CUDA graphs. No CUDA headers are needed to include this.
//
//   cuda::Recorder recorder;
//   body();                                         // once: kernels are compiled, handles made
//   cuda::Graph graph = recorder.record([&] { body(); });
//   for (int i = 1; i < n; ++i) graph.launch();
//
// What is recorded are the calls' kernels and copies with the addresses and numbers of the moment;
// a launch queues them with one call of the driver. Random numbers go on from where the context's
// stream is at the launch, as if the calls were made then. Calls that wait for the device, that
// copy from or to the host, that make matrices, that seed, or that draw by cuRAND cannot be
// recorded.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace cudamat::cuda {

struct Recording;  // recording.hpp

/// What was recorded. Moved, not copied; an empty one does nothing.
class Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  /// Queues the calls in the context in which the recorder was made. Their matrices must be where
  /// they were, and the recorder must still be there. Throws LibraryError.
  void launch() const;
  /// Of kernels and copies.
  [[nodiscard]] std::size_t size() const;

 private:
  friend class Recorder;
  struct Exec;
  std::unique_ptr<Exec> exec_;
};

/// Records calls of the calling thread. Holds the memory that recorded calls need in passing, for
/// as long as it lives: calls of different graphs share it, since graphs run one after the other.
class Recorder {
 public:
  using Graph = cuda::Graph;

  /// For the calling thread's context, in which graphs are launched.
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Runs `calls`, whose calls are recorded and compute nothing. They must have been made once
  /// before. What `calls` throws passes, and so does LibraryError where one of its calls cannot be
  /// recorded; nothing was computed then either.
  Graph record(const std::function<void()>& calls);

  /// Memory that graphs read, uninitialised, counted as what calls need in passing; until the
  /// recorder ends.
  void* memory(std::size_t bytes);

 private:
  std::unique_ptr<Recording> recording_;
};

}  // namespace cudamat::cuda
