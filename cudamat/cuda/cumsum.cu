// Running sums along the rows.
//
// The columns are cut into pieces as a reduction cuts them (reduce.cuh). If there are several, the
// sums of the pieces are made first, then the running sums of these, which say what each piece
// begins with. A block then takes some neighbouring rows of a piece, tile by tile: a thread sums a
// short run of a row, the runs' sums are joined by doubling distances, and each thread adds what
// precedes its run.
#include "cudamat/cuda/engine.hpp"
#include "cudamat/cuda/reduce.cuh"

namespace cudamat::cuda {
namespace {

inline constexpr Index kScanRows = 64;  ///< rows of a block, at most, where rows are long

/// Columns of a thread's run: 64 bytes.
template <class T>
inline constexpr int kRun = 64 / int(sizeof(T));

/// How a block deals out its tiles.
struct ScanPlan {
  Index rows, cols;
  Index tiles;  ///< of rows
  Index piece;  ///< columns of a block
  int height;   ///< rows of a tile
  int runs;     ///< of a row, in a tile
};

/// Calls visit(k, i) for the numbers of a tile that this thread moves, `columns` columns from `at`
/// on: number threadIdx.x + kThreads * k of the tile is number i of the matrix. Only those of the
/// first `rows_here` rows are there.
template <class T, int kUnroll, class Visit>
__device__ void visit_tile(const ScanPlan& plan, Index at, int rows_here, int columns,
                           const Visit& visit) {
  const int row_step = kThreads % plan.height, column_step = kThreads / plan.height;
  int row = int(threadIdx.x) % plan.height, column = int(threadIdx.x) / plan.height;
#pragma unroll kUnroll
  for (int k = 0; k < kRun<T>; ++k) {
    if (row < rows_here && column < columns) visit(k, at + row + plan.rows * column);
    row += row_step;
    column += column_step;
    if (row >= plan.height) {
      row -= plan.height;
      ++column;
    }
  }
}

/// sums[t] becomes the sum of sums[t - height * i] for all i up to `run`, the number of t's run.
template <class T>
__device__ void scan_runs(T* sums, int height, int runs, int run) {
  const int thread = threadIdx.x;
  for (int apart = 1; apart < runs; apart *= 2) {
    __syncthreads();
    const bool joins = run >= apart && run < runs;
    const T sum = joins ? sums[thread - height * apart] + sums[thread] : T(0);
    __syncthreads();
    if (joins) sums[thread] = sum;
  }
  __syncthreads();
}

/// The running sums of the rows, each piece beginning with the running sum of those before it:
/// carries (rows x pieces), which is not read for the first piece. target may be source.
template <class T>
__global__ void scan_rows(const T* source, T* target, const T* carries, ScanPlan plan) {
  constexpr int kSize = kRun<T> * kThreads;
  T* const tile = shared_memory<T>();
  T* const sums = tile + in_tile<T>(kSize);
  const Index first_row = Index(blockIdx.x % unsigned(plan.tiles)) * plan.height;
  const Index piece = blockIdx.x / unsigned(plan.tiles);
  const Index rows_left = plan.rows - first_row;
  const int rows_here = rows_left < plan.height ? int(rows_left) : plan.height;
  const Index end_of_piece = (piece + 1) * plan.piece;
  const Index end = end_of_piece < plan.cols ? end_of_piece : plan.cols;
  const int thread = threadIdx.x;
  const int row = thread % plan.height, run = thread / plan.height;
  const int begin = row + plan.height * kRun<T> * run;  // of the run, in the tile
  // -0 changes no number that it is added to.
  T carry = T(-0.0);
  if (piece > 0 && row < rows_here) carry = carries[first_row + row + plan.rows * (piece - 1)];
  const int width = plan.runs * kRun<T>;
  for (Index first = piece * plan.piece; first < end; first += width) {
    const int columns = end - first < width ? int(end - first) : width;
    const Index at = first_row + plan.rows * first;
    T x[kRun<T>]{};
    visit_tile<T, kRun<T>>(plan, at, rows_here, columns, [&](int k, Index i) { x[k] = source[i]; });
    for (int k = 0; k < kRun<T>; ++k) tile[in_tile<T>(thread + kThreads * k)] = x[k];
    __syncthreads();
    const bool works = row < rows_here && run < plan.runs;
    const int mine = works ? columns - run * kRun<T> : 0;  // columns of the run that there are
    T sum = T(-0.0);
    for (int k = 0; k < kRun<T>; ++k)
      if (k < mine) x[k] = sum = sum + tile[in_tile<T>(begin + plan.height * k)];
    sums[thread] = sum;
    scan_runs(sums, plan.height, plan.runs, run);
    const T before = works && run > 0 ? carry + sums[thread - plan.height] : carry;
    for (int k = 0; k < kRun<T>; ++k)
      if (k < mine) tile[in_tile<T>(begin + plan.height * k)] = before + x[k];
    if (works) carry = carry + sums[row + plan.height * (plan.runs - 1)];
    __syncthreads();
    visit_tile<T, 4>(plan, at, rows_here, columns,
                     [&](int k, Index i) { target[i] = tile[in_tile<T>(thread + kThreads * k)]; });
  }
}

template <class T>
ScanPlan plan_scan(Index rows, Index cols, const LanePlan& pieces) {
  const Index most = cols <= kRun<T> ? kThreads : kScanRows;
  ScanPlan plan{};
  plan.rows = rows;
  plan.cols = cols;
  plan.tiles = (rows + most - 1) / most;
  plan.height = int((rows + plan.tiles - 1) / plan.tiles);
  plan.runs = kThreads / plan.height;
  plan.piece = pieces.pieces > 1 ? pieces.piece * pieces.fold : cols;
  return plan;
}

/// target may be source.
template <class T>
void scan(const T* source, T* target, Index rows, Index cols) {
  const char* const name = cudamat::name(Op::cumsum).data();
  const Numbers<T> numbers{source};
  const LanePlan pieces = plan_lanes<T>({rows, cols, 1}, numbers.aligned());
  const Workspace<T> carries(pieces.pieces > 1 ? rows * pieces.pieces : 0);
  if (pieces.pieces > 1) {
    launch_lanes<Fold<T, functors::Sum>>(name, numbers, Store<T>{carries.data()}, pieces);
    scan(carries.data(), carries.data(), rows, pieces.pieces);
  }
  const ScanPlan plan = plan_scan<T>(rows, cols, pieces);
  launch({name, static_cast<unsigned>(plan.tiles * pieces.pieces), kThreads,
          (in_tile<T>(kRun<T> * kThreads) + kThreads) * sizeof(T)},
         scan_rows<T>, source, target, carries.data(), plan);
}

}  // namespace

template <class T>
void Engine<T>::cumsum(const T* source, T* target, Index rows, Index cols) {
  if (rows == 0 || cols == 0) return;
  scan(source, target, rows, cols);
}

template void Engine<float>::cumsum(const float*, float*, Index, Index);
template void Engine<double>::cumsum(const double*, double*, Index, Index);

}  // namespace cudamat::cuda
