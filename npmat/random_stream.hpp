// The engine's streams of random numbers (engine.cpp), for draws that are made piece by piece.
#pragma once

#include "npmat/engine.hpp"
#include "npmat/random.hpp"

namespace npmat {

/// Takes n values from the stream of T, as Engine<T>::uniform or normal of n would, and returns a
/// generator whose peek_uniform and peek_normal know them.
template <class T>
Generator draw_later(Index n);

}  // namespace npmat
