// Captures of a stream as graphs.
#include "cudamat/cuda/graph.hpp"

#include <utility>

#include "cudamat/cuda/device.hpp"
#include "cudamat/cuda/memory.hpp"
#include "cudamat/cuda/random.hpp"
#include "cudamat/cuda/recording.hpp"

namespace cudamat::cuda {

// ---- memory ----

Recording::Recording()
    : launches(state().shared_from_this()), captured(std::make_shared<State>(launches->device)) {
  captured->recording = this;
}

Recording::~Recording() {
  const DeviceScope scope(launches->device);
  for (const Block& block : blocks_) free_uncounted(*launches, block.data);
  if (!kept.empty()) (void)cudaStreamSynchronize(launches->stream);  // which runs them
}

void* Recording::take(std::size_t bytes) {
  Block* smallest = nullptr;  // that is large enough
  for (Block& block : blocks_)
    if (!block.in_use && block.bytes >= bytes && block.bytes / 2 <= bytes &&
        (smallest == nullptr || block.bytes < smallest->bytes))
      smallest = &block;
  if (smallest != nullptr) {
    smallest->in_use = true;
    return smallest->data;
  }
  blocks_.reserve(blocks_.size() + 1);
  void* const data = allocate_uncounted(*launches, "workspace", bytes);
  blocks_.push_back({data, bytes, true});
  return data;
}

void Recording::give_back(void* data) noexcept {
  for (Block& block : blocks_)
    if (block.data == data) block.in_use = false;
}

void Recording::lend_workspace(cublasHandle_t handle) {
  const std::size_t bytes = std::size_t{captured->capability >= 90 ? 32U : 4U} << 20;
  CUDAMAT_CUDA(cublasSetWorkspace(handle, take(bytes), bytes));
}

Drawn RecordedDraws::later(Recording& recording, std::uint64_t n) {
  if (place == nullptr) place = static_cast<Drawn*>(recording.take(sizeof(Drawn)));
  return {0, std::exchange(values, values + n), place};
}

// ---- graphs ----

struct Graph::Exec {
  std::shared_ptr<State> launches;
  RecordedDraws draws_float{};
  RecordedDraws draws_double{};
  cudaGraphExec_t exec = nullptr;
  std::size_t size = 0;

  explicit Exec(std::shared_ptr<State> state) : launches(std::move(state)) {}
  ~Exec() {
    const DeviceScope scope(launches->device);
    if (exec == nullptr) return;
    (void)cudaStreamSynchronize(launches->stream);  // its launches
    (void)cudaGraphExecDestroy(exec);
  }
  Exec(const Exec&) = delete;
  Exec& operator=(const Exec&) = delete;
};

Graph::Graph() = default;
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::launch() const {
  if (exec_ == nullptr || exec_->size == 0) return;
  const Context::Scope scope(exec_->launches);
  const State& current = state();
  if (const auto& [place, values] = exec_->draws_float; values > 0)
    store_place(take_from<float>(*exec_->launches, values), place);
  if (const auto& [place, values] = exec_->draws_double; values > 0)
    store_place(take_from<double>(*exec_->launches, values), place);
  CUDAMAT_CUDA(cudaGraphLaunch(exec_->exec, current.stream));
}

std::size_t Graph::size() const {
  return exec_ == nullptr ? 0 : exec_->size;
}

// ---- recording ----

namespace {

/// The graph of a capture that ended well.
class Captured {
 public:
  explicit Captured(cudaGraph_t graph) : graph_(graph) {}
  ~Captured() { (void)cudaGraphDestroy(graph_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  operator cudaGraph_t() const { return graph_; }

 private:
  cudaGraph_t graph_;
};

}  // namespace

Recorder::Recorder() : recording_(std::make_unique<Recording>()) {}
Recorder::~Recorder() = default;

Graph Recorder::record(const std::function<void()>& calls) {
  const Context::Scope scope(recording_->captured);
  State& captured = state();
  {  // handles are not made during a capture
    const std::scoped_lock lock(recording_->launches->mutex, captured.mutex);
    if (recording_->launches->cublas != nullptr && captured.cublas == nullptr)
      recording_->lend_workspace(captured.cublas_handle());
  }
  recording_->draws_float.values = recording_->draws_double.values = 0;
  CUDAMAT_CUDA(cudaStreamBeginCapture(captured.stream, cudaStreamCaptureModeThreadLocal));
  cudaGraph_t graph = nullptr;
  try {
    calls();
  } catch (...) {
    if (cudaStreamEndCapture(captured.stream, &graph) == cudaSuccess) (void)cudaGraphDestroy(graph);
    (void)cudaGetLastError();
    throw;
  }
  CUDAMAT_CUDA(cudaStreamEndCapture(captured.stream, &graph));
  const Captured done(graph);
  Graph result;
  result.exec_ = std::make_unique<Graph::Exec>(recording_->launches);
  result.exec_->draws_float = recording_->draws_float;
  result.exec_->draws_double = recording_->draws_double;
  CUDAMAT_CUDA(cudaGraphGetNodes(graph, nullptr, &result.exec_->size));
  if (result.exec_->size > 0) CUDAMAT_CUDA(cudaGraphInstantiate(&result.exec_->exec, graph, 0));
  return result;
}

void* Recorder::memory(std::size_t bytes) {
  return recording_->take(bytes);
}

}  // namespace cudamat::cuda
