// Random numbers: where draws are in their stream, and who makes them.
#pragma once

#include <cstdint>

#include "cudamat/cuda/context.hpp"
#include "cudamat/index.hpp"
#include "cudamat/philox.hpp"

namespace cudamat::cuda {

enum class Distribution : std::uint8_t { Uniform, Normal };

/// Takes n values from the stream of T, as Engine<T>::uniform or normal of n would: those that
/// philox_uniforms() of cudamat/philox.hpp gives there, or philox_normals() of
/// cudamat/box_muller.hpp. While calls are recorded, n values from where the stream is at each
/// launch of the graph.
template <class T>
Drawn draw_later(Index n);

/// Takes n values from the stream of a context, for what was recorded.
template <class T>
Drawn take_from(State& context, std::uint64_t n);

/// Queues *place = drawn, in the engine's memory.
void store_place(const Drawn& drawn, Drawn* place);

/// Queues target[k] = value drawn.position + k of the stream, k < n, n > 0.
template <class T>
void draw_at(const Drawn& drawn, Distribution which, T* target, Index n);

/// The same from where `random` is, which moves on, by cuRAND. Call with the state's mutex held.
template <class T>
void draw_by_curand(State& current, RandomStream& random, Distribution which, T* target, Index n);

}  // namespace cudamat::cuda
