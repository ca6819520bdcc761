// The kernel of a fused statement, as text: CUDA C++ that is compiled at run time. Numbers and
// extents are arguments of the kernel, so that the text is the same whatever they are.
//
// A kernel computes element by element, and draws its uniform numbers. What else a body asks for is
// done around it:
//   normals     are inputs of the kernel, after the body's own, in the order of the steps, Whole:
//               cuRAND draws them, with a logarithm, sine and cosine that are its own
//   reductions  of short bodies are begun by the kernel, which then runs by their plan
//               (cudamat/cuda/fused_reduce.cuh); where it reaches their end in one pass it ends
//               them. Those of long bodies, and of more values than its tiles hold, are of values
//               that the kernel stores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cudamat/fused.hpp"

namespace cudamat::code {

/// How a kernel reduces: not at all, or by which of the plans of cudamat/cuda/reduce_plan.hpp.
enum class FusedReduces : std::uint8_t { No, Lanes, Tiles };

/// What a kernel knows beforehand of where its operands lie.
struct FusedLayout {
  bool is_double = false;
  bool flat = false;   ///< all is contiguous, and no input is a Row or a Column: one long column
  bool packs = false;  ///< accesses are of 16 bytes: all columns begin at the same offset from
                       ///< a 16-byte boundary
  bool dense = false;  ///< all stored targets are contiguous
  FusedReduces reduces = FusedReduces::No;  ///< how a kernel would, if it may
  bool plan_packs = false;                  ///< whether the plan's accesses are of 16 bytes
  friend bool operator==(const FusedLayout&, const FusedLayout&) = default;
};

/// What a kernel reads and writes.
struct FusedKernel {
  std::vector<Spread> inputs;
  std::vector<int> normals;        ///< steps; their results are the last inputs
  int uniforms = 0;                ///< steps that the kernel draws itself
  std::vector<FusedValue> stored;  ///< the stored targets' values in their order, then those of
                                   ///< reductions that are not among them, once each; a kernel
                                   ///< that reduces does not store these
  std::size_t targets = 0;         ///< how many of `stored` are in memory
  FusedReduces reduces = FusedReduces::No;
  int tiles = 0;             ///< how many of `stored` it reduces
  std::vector<int> reduced;  ///< for each reduced target of the body: which of `stored`
  int pack = 1;              ///< elements of an access
  int batch = 1;             ///< accesses of an operand that a thread has under way
};

/// Where `dense`, a reduced value that a target stores is not stored once more.
FusedKernel fused_kernel(const FusedBody& body, const FusedLayout& layout);

/// Whether a kernel of the body is worth making: beyond these limits it would spill registers, or
/// take seconds to compile.
bool fused_within_limits(const FusedBody& body);

/// The text. Its kernel is `fused`, its one argument FusedArguments of cudamat/cuda/fused.cuh.
/// Of one that reduces it is FusedReduceArguments of cudamat/cuda/fused_reduce.cuh.
std::string fused_source(const FusedBody& body, const FusedLayout& layout,
                         const FusedKernel& kernel);

/// A part of a statement that uses its own reductions over columns.
struct FusedColumnPart {
  FusedBody body;
  FusedLayout layout;
  FusedKernel kernel;
};

/// The text of one kernel for all parts, the first of which reduces: where each block has whole
/// columns, the same ones in every part, it computes one part of them after the other. The kernel's
/// argument is a struct of those of the parts.
std::string fused_columns_source(const std::vector<FusedColumnPart>& parts);

/// The kernel's name.
inline constexpr const char* kFusedName = "fused";

/// Of the arguments: pointers to inputs and targets, draws, and numbers.
inline constexpr int kMostFusedPointers = 24;
inline constexpr int kMostFusedUniforms = 16;
inline constexpr int kMostFusedReductions = 4;  ///< of a kernel that reduces
inline constexpr int kMostFusedTiles = 2;       ///< values that it reduces in tiles
inline constexpr int kMostFusedNumbers = 64;

}  // namespace cudamat::code
