// The stream of a context, and events: how code of others is put in order with ours. No CUDA
// headers are needed to include this.
//
// Everything that a thread calls is queued on the stream of its context, stream(), and done in the
// order of the calls. Kernels and copies of the program's own that are queued there, too, are
// simply part of that order:
//
//   my_kernel<<<grid, 256, 0, cudamat::cuda::stream()>>>(a.data(), n);
//
// Work on other streams, ours of other contexts or somebody else's, is ordered by events, without a
// wait of the host:
//
//   Event ready;                        // another library's stream `theirs` is to read a:
//   ready.record();                     //   what was called so far
//   ready.wait_on(theirs);              //   comes before what is queued there from now on
//   their_library_reads(a.data(), theirs);
//   Event read;                         // and we may write it again when it was read
//   read.record_on(theirs);
//   read.wait();
//
// Streams are cudaStream_t and events cudaEvent_t, which are pointers to the structures declared
// here. A null stream is CUDA's legacy default stream: ours do not synchronise with it by
// themselves, so work there needs events like any other.
#pragma once

struct CUstream_st;
struct CUevent_st;

namespace cudamat::cuda {

/// The stream (cudaStream_t) of the calling thread's context, on current_device(); makes the
/// context if there is none yet. It lives as long as its Context or a matrix made in it, those of
/// default contexts as long as the program; it must not be destroyed. Throws what require_device()
/// does where there is no GPU.
CUstream_st* stream();

/// A point in the work of a stream: cudaEvent_t. Made on the calling thread's device and recorded
/// on streams of that device; any stream of the process may wait for it. Moving keeps the event.
/// Calls on one object from several threads at a time need a lock of the caller's; different
/// objects need none. Every function throws LibraryError where CUDA fails, for work that failed
/// before, too; destructors never do. Nothing waits on the host but synchronize().
class Event {
 public:
  /// `timed`: for elapsed_ms(). Untimed events are cheaper.
  explicit Event(bool timed = false);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  /// What was queued so far in the calling thread's context, or on a stream. Each record replaces
  /// the one before; who waits already keeps waiting for that one.
  void record();
  void record_on(CUstream_st* stream);

  /// What is called from now on in the calling thread's context, or queued on a stream, comes after
  /// what was recorded. An event that was never recorded is done.
  void wait() const;
  void wait_on(CUstream_st* stream) const;

  /// Whether all that was recorded is done; waits until it is.
  [[nodiscard]] bool done() const;
  void synchronize() const;

  /// The event itself; it is destroyed with this object.
  [[nodiscard]] CUevent_st* handle() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
};

/// Milliseconds between two timed events, to about half a microsecond. Waits for neither: an event
/// that is not done, was never recorded or is not timed is refused by CUDA (LibraryError).
float elapsed_ms(const Event& start, const Event& end);

}  // namespace cudamat::cuda
