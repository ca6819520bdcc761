// The stream of a context, and events: how to order other code with calls of this library.
// Including this needs no CUDA headers.
//
// All calls of a thread are queued on the stream of its context, stream(), and run in order. Your
// own kernels and copies can be queued there, too, and are then part of this order:
//
//   my_kernel<<<grid, 256, 0, cudamat::cuda::stream()>>>(a.data(), n);
//
// Work on other streams, of other contexts or other libraries, is ordered by events; the host does
// not wait:
//
//   Event ready;                        // another library's stream `theirs` is to read a:
//   ready.record();                     //   the calls so far
//   ready.wait_on(theirs);              //   run before what is queued on `theirs` from now on
//   their_library_reads(a.data(), theirs);
//   Event read;                         // we may write a again after it was read
//   read.record_on(theirs);
//   read.wait();
//
// Streams are cudaStream_t and events cudaEvent_t, which are pointers to the structures declared
// here. A null stream is CUDA's legacy default stream. Our streams do not synchronise with it
// implicitly, so work on it needs events like any other.
#pragma once

struct CUstream_st;
struct CUevent_st;

namespace cudamat::cuda {

/// The stream (cudaStream_t) of the calling thread's context, on current_device(); creates the
/// context if necessary. It lives as long as its Context or a matrix made in it, and as long as the
/// program for default contexts; do not destroy it. Throws like require_device() if there is no
/// GPU.
CUstream_st* stream();

/// A point in the work of a stream: cudaEvent_t. It is made on the calling thread's device and
/// recorded on streams of that device; any stream of the process may wait for it. Moving keeps the
/// event. Calls on one object from several threads need a lock; different objects do not. Every
/// function throws LibraryError if CUDA fails, also for earlier work that failed; destructors never
/// throw. Only synchronize() waits on the host.
class Event {
 public:
  /// `timed`: for elapsed_ms(). Untimed events are cheaper.
  explicit Event(bool timed = false);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;

  /// Records the work that was queued so far in the calling thread's context, or on a stream. Each
  /// record replaces the previous one; streams that wait already keep waiting for the previous one.
  void record();
  void record_on(CUstream_st* stream);

  /// Later calls in the calling thread's context, or later work on a stream, run after the recorded
  /// work. An event that was never recorded counts as done.
  void wait() const;
  void wait_on(CUstream_st* stream) const;

  /// Whether the recorded work is done; synchronize() waits for it.
  [[nodiscard]] bool done() const;
  void synchronize() const;

  /// The event itself; it is destroyed with this object.
  [[nodiscard]] CUevent_st* handle() const { return event_; }

 private:
  CUevent_st* event_ = nullptr;
};

/// Milliseconds between two timed events, accurate to about half a microsecond. Does not wait: an
/// event that is not done, was never recorded or is not timed throws LibraryError.
float elapsed_ms(const Event& start, const Event& end);

}  // namespace cudamat::cuda
