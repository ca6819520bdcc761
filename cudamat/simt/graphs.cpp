// Captures of streams as graphs. While a stream is captured, its works are kept instead of done; a
// launch of the graph submits them, in their order, to the launch's stream. So a graph sees what
// its memory holds then, the arguments of its kernels and pinned memory as a real one would.
//
// What CUDA forbids while a thread captures ends the capture and fails, and so do things that this
// stand-in has no need of: events, allocations and frees in stream order, other threads' works on
// the stream, and the legacy stream.
#include <string_view>

#include "cudamat/simt/runtime.hpp"

struct CUgraph_st {
  std::vector<simt::Node> nodes;
};
struct CUgraphExec_st {
  std::vector<simt::Node> nodes;
};

namespace simt {
namespace {

/// What the calling thread captures.
struct Capture {
  Stream stream;
  std::vector<Node> nodes;
  bool valid = true;
};
thread_local std::unique_ptr<Capture> capturing;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

/// Calls that wait for the device, or may, and calls that have no place in a graph here.
constexpr std::string_view kForbidden[] = {
    "cudaDeviceSynchronize", "cudaMalloc",           "cudaFree",
    "cudaHostAlloc",         "cudaFreeHost",         "cudaMemcpy",
    "cudaMemPoolTrimTo",     "cudaMemPoolCreate",    "cudaMemPoolDestroy",
    "cudaLibraryLoadData",   "cudaLibraryUnload",    "cudaStreamCreateWithFlags",
    "cudaStreamDestroy",     "cudaEventSynchronize", "cudaGraphInstantiate",
    "cudaGraphLaunch",
};
/// All calls of these libraries; of cuBLAS products may be captured.
constexpr std::string_view kForbiddenLibraries[] = {"curand",          "cusolverDn",
                                                    "cublasCreate",    "cublasDestroy",
                                                    "cublasSetStream", "cublasSetWorkspace"};

cudaError_t invalidate(cudaError_t error) {
  capturing->valid = false;
  return error;
}

}  // namespace

Handles& graphs() {
  static auto* const live = new Handles("graph");
  return *live;
}

cudaError_t forbidden_in_capture(const char* call) {
  if (capturing == nullptr) return cudaSuccess;
  const std::string_view name = call;
  for (const std::string_view forbidden : kForbidden)
    if (name == forbidden) return invalidate(cudaErrorStreamCaptureUnsupported);
  for (const std::string_view library : kForbiddenLibraries)
    if (name.starts_with(library)) return invalidate(cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}

cudaError_t unsafe_in_capture() {
  if (capturing == nullptr || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  return invalidate(cudaErrorStreamCaptureUnsupported);
}

cudaError_t wait_in_capture(const Stream& stream) {
  if (stream->capturer == nullptr) return cudaSuccess;
  if (capturing != nullptr && capturing->stream == stream) capturing->valid = false;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t work_in_capture(const Stream& stream, bool pageable) {
  if (capturing != nullptr && stream == find_stream(nullptr))
    return invalidate(cudaErrorStreamCaptureImplicit);
  if (stream->capturer == nullptr) return cudaSuccess;
  if (capturing == nullptr || capturing->stream != stream) return cudaErrorStreamCaptureWrongThread;
  if (!capturing->valid) return cudaErrorStreamCaptureInvalidated;
  return pageable ? invalidate(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

bool capture(const Stream& stream, const Node& node) {
  if (capturing == nullptr || capturing->stream != stream) return false;
  capturing->nodes.push_back(node);
  return true;
}

}  // namespace simt

using simt::begin;
using simt::report;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  if (const cudaError_t error = begin("cudaStreamBeginCapture")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (stream == nullptr || stream == cudaStreamLegacy)
    return report(cudaErrorStreamCaptureUnsupported);
  if (mode != cudaStreamCaptureModeThreadLocal || simt::capturing != nullptr ||
      found->capturer != nullptr)
    return report(cudaErrorInvalidValue);
  simt::capturing = std::make_unique<simt::Capture>();
  simt::capturing->stream = found;
  found->capturer = simt::capturing.get();
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, simt::thread_mode);
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  const cudaError_t error = begin("cudaStreamEndCapture");
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (found->capturer == nullptr) return report(cudaErrorInvalidValue);
  if (simt::capturing == nullptr || simt::capturing->stream != found)
    return report(cudaErrorStreamCaptureWrongThread);
  const auto ended = std::exchange(simt::capturing, nullptr);
  found->capturer = nullptr;
  if (!ended->valid) return report(cudaErrorStreamCaptureInvalidated);
  if (error != cudaSuccess) return report(error);
  *graph = new CUgraph_st{std::move(ended->nodes)};
  simt::graphs().add(*graph);
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (const cudaError_t error = begin("cudaStreamIsCapturing")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  const bool ours = simt::capturing != nullptr && simt::capturing->stream == found;
  *status = found->capturer == nullptr        ? cudaStreamCaptureStatusNone
            : ours && !simt::capturing->valid ? cudaStreamCaptureStatusInvalidated
                                              : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  if (const cudaError_t error = begin("cudaGraphGetNodes")) return report(error);
  if (!simt::graphs().has(graph) || nodes != nullptr) return report(cudaErrorInvalidValue);
  *count = graph->nodes.size();
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const cudaError_t error = begin("cudaGraphDestroy");
  if (!simt::graphs().remove(graph)) return report(cudaErrorInvalidValue);
  delete graph;
  return report(error);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  *exec = nullptr;
  if (const cudaError_t error = begin("cudaGraphInstantiate", cudaErrorMemoryAllocation))
    return report(error);
  if (!simt::graphs().has(graph) || flags != 0) return report(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{graph->nodes};
  simt::graphs().add(*exec);
  return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (const cudaError_t error = begin("cudaGraphLaunch")) return report(error);
  const simt::Stream found = simt::find_stream(stream);
  if (found == nullptr) return report(cudaErrorInvalidResourceHandle);
  if (!simt::graphs().has(exec)) return report(cudaErrorInvalidValue);
  for (const simt::Node& node : exec->nodes) node(found);
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  const cudaError_t error = begin("cudaGraphExecDestroy");
  if (!simt::graphs().remove(exec)) return report(cudaErrorInvalidValue);
  delete exec;
  return report(error);
}
