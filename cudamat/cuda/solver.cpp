// Equations, factorisations and counts: on the host, whose memory is staged.
#include <vector>

#include "cudamat/cuda/engine.hpp"
#include "cudamat/detail/textbook.hpp"

namespace cudamat::cuda {

template <class T>
void Engine<T>::solver(const SolverCall<T>& call) {
  const auto host = [](const T* device, Index n) {
    std::vector<T> copy(static_cast<std::size_t>(n));
    if (n > 0) copy_to_host(device, copy.data(), n);
    return copy;
  };
  const std::vector<T> a = host(call.a, call.rows * call.cols);
  const std::vector<T> b = host(call.b, call.rows * call.right);
  std::vector<T> result(static_cast<std::size_t>(call.size));
  SolverCall<T> on_host = call;
  on_host.a = a.data();
  on_host.b = b.data();
  on_host.target = result.data();
  if (call.op == Op::bincount)
    textbook::bincount(on_host);
  else
    textbook::solver<double>(on_host);
  if (!result.empty()) copy_to_device(result.data(), call.target, call.size);
}

template void Engine<float>::solver(const SolverCall<float>&);
template void Engine<double>::solver(const SolverCall<double>&);

}  // namespace cudamat::cuda
