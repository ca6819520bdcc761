// What equations and factorisations need in addition to cuSOLVER's routines. For solver.cpp.
#pragma once

#include <cstdint>

#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// The part of a matrix that is read; what lies outside is taken for 0.
enum class Part : std::uint8_t { All, Lower, Upper };

/// Queues target = the part of source. With `special`, what is not a finite number becomes 0, and
/// *special 1. target may be source.
template <class T>
void take(Part part, const BlockCall<T>& call, int* special = nullptr);

/// Queues *found = 1 if one of n numbers is NaN.
template <class T>
void find_nan(const T* data, Index n, int* found);

/// Queues *number = NaN if *found is not 0.
template <class T>
void spread_nan(const int* found, T* number);

/// Queues target = the unit matrix, or as much of it as rows x cols has.
template <class T>
void unit(T* target, Index rows, Index cols);

/// Queues target[0] = the determinant, or with `logarithm` target[0] = its sign, target[1] = the
/// logarithm of its absolute value, from L and U of an n x n matrix and the rows, counted from 1,
/// with which each row changed places. Multiplies in double with an exponent of 64 bits.
template <class T>
void determinant(const T* lu, const std::int64_t* pivots, Index n, bool logarithm, T* target);

/// Queues, for k singular values, descending, rank = how many are greater than `limit` times the
/// first, and divides each of the `right` columns of c (k x right) by the values; beyond the rank c
/// becomes 0.
template <class T>
void divide_by_values(const T* values, Index k, T limit, T* c, Index right, T* rank);

}  // namespace cudamat::cuda
