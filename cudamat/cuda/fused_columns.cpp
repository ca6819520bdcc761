// Statements that use their own reductions over columns, as one kernel (fused_reduce.cuh).
#include <algorithm>

#include "cudamat/code/body_hash.hpp"
#include "cudamat/code/recent.hpp"
#include "cudamat/cuda/fused_call.hpp"
#include "cudamat/cuda/recording.hpp"
#include "cudamat/detail/fused_cut.hpp"

namespace cudamat::cuda {
namespace {

struct ColumnsLookup {
  const FusedBody& body;
  const std::vector<FusedLayout>& layouts;
  const std::vector<bool>& late;
  int device;
};
struct ColumnsKey {
  FusedBody body;
  std::vector<FusedLayout> layouts;
  std::vector<bool> late;
  int device;

  explicit ColumnsKey(const ColumnsLookup& from)
      : body(from.body), layouts(from.layouts), late(from.late), device(from.device) {}
  bool operator==(const ColumnsLookup& other) const {
    return device == other.device && layouts == other.layouts && late == other.late &&
           body == other.body;
  }
};
std::size_t hash(const ColumnsLookup& key) {
  return code::Hash().add(key.device).add(key.body).value();
}

code::Recent<ColumnsKey, MadeKernel>& column_kernels() {
  static auto* const the_kernels = new code::Recent<ColumnsKey, MadeKernel>(kMostFusedKernels);
  return *the_kernels;
}

/// Whether all that a statement reduces are columns, from end to end.
bool reduces_columns(const FusedBody& body) {
  return std::ranges::all_of(body.steps,
                             [](const FusedStep& s) { return !s.reduces() || s.axis == 0; }) &&
         std::ranges::all_of(body.targets, [](const FusedTarget& target) {
           return target.is_stored() ||
                  (target.is_vector() ? target.lies == Spread::Row
                                      : !target.is_total() && target.axis == 0);
         });
}

/// A part with all that a kernel needs to know of it.
template <class T>
struct ColumnPart {
  detail::FusedPartCall<T> made;
  FusedCall<T> call;
  Placed placed;
  code::FusedKernel kernel;

  ColumnPart(detail::FusedPartCall<T> of)
      : made(std::move(of)), call(made.call()), placed(place(call)) {
    const bool reduces = placed.layout.reduces != FusedReduces::No;
    if (!reduces) placed = place(call, true);
    kernel = code::fused_kernel(call.body, placed.layout);
  }
  /// Whether the kernel is one that a block runs on its columns.
  [[nodiscard]] bool fits() const {
    return kernel.reduces == placed.layout.reduces && pieces_of(placed) <= 1 &&
           code::fused_within_limits(call.body);
  }
  void add_to(Arguments& arguments) const {
    const Operands<T> operands(call, kernel);
    if (kernel.reduces != FusedReduces::No) return add_reducing(arguments, call, operands, placed);
    const Index shift = kernel.pack > 1 ? placed.shift : 0;
    operands.add_to(arguments, call.rows, call.cols, shift, 1);
  }
};

/// Whether one kernel takes less time than one for each part: on an H200 a softmax of 4096 x 4096
/// takes 0.92 of it, a layer norm of 1024 x 16384, whose columns are tiles, 1.3 times as long.
/// Small matrices are a matter of launches.
template <class T>
bool worth_one_kernel(const FusedCall<T>& call) {
  return call.rows > kShortColumn<T> || call.rows * call.cols <= Index{1} << 18;
}

}  // namespace

template <class T>
bool run_columns(const FusedCall<T>& call) {
  if (!compiles_fused() || !reduces_columns(call.body) || !worth_one_kernel(call)) return false;
  const std::vector<bool> late = detail::late_targets(call);
  const detail::FusedParts cut = detail::FusedCutter(call.body, late, false).cut();
  const detail::FusedRegion all{0, call.rows, 0, call.cols};
  std::vector<std::unique_ptr<Workspace<T>>> memory;
  std::vector<T*> temporaries;
  for (const Spread how : cut.temporaries) {
    if (how != Spread::Row) return false;
    memory.push_back(std::make_unique<Workspace<T>>(call.cols));
    temporaries.push_back(memory.back()->data());
  }
  std::vector<std::unique_ptr<ColumnPart<T>>> parts;
  std::vector<FusedLayout> layouts;
  Arguments arguments;
  Grid grid{};
  for (const detail::FusedPart& part : cut.parts) {
    if (part.space != Spread::Whole && part.space != Spread::Row) return false;
    parts.push_back(std::make_unique<ColumnPart<T>>(
        detail::FusedPartCall<T>(part, cut, call, all, temporaries)));
    const ColumnPart<T>& made = *parts.back();
    if (!made.fits() || !arguments.has_room()) return false;
    made.add_to(arguments);
    layouts.push_back(made.placed.layout);
    if (made.kernel.reduces == FusedReduces::No) {
      if (parts.size() == 1) return false;  // the first says which columns a block has
      continue;
    }
    const Grid own = grid_of<T>(made.placed, made.kernel);
    const auto shared = std::max(grid.shared_bytes, own.shared_bytes);
    grid = own;
    grid.shared_bytes = shared;
  }
  const ColumnsLookup key{call.body, layouts, late, state().device};
  const std::shared_ptr<MadeKernel> made = column_kernels().at(hash(key), key);
  make_once(*made, [&] {
    std::vector<code::FusedColumnPart> of;
    for (const auto& part : parts)
      of.push_back({part->call.body, part->placed.layout, part->kernel});
    load(*made, code::fused_columns_source(of));
  });
  if (made->loaded == nullptr) return false;
  if (Recording* const recording = state().recording; recording != nullptr)
    recording->kept.push_back(made);
  made->loaded->launch(grid, arguments.data());
  return true;
}

template bool run_columns(const FusedCall<float>&);
template bool run_columns(const FusedCall<double>&);

}  // namespace cudamat::cuda
