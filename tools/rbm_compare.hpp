// The layers side by side: the same weights, the same random numbers.
#pragma once

#include "tools/rbm_layers.hpp"
#include "tools/rbm_pictures.hpp"

namespace rbm {

/// Trains hand-written Cudamat, gnumpy and the rewriter's program with no pass and with all, and
/// prints their errors, how far their weights are from Cudamat's, and their times. Pictures, if
/// `folder` is not null: Cudamat's weights, everyone's errors.
template <class T>
void compare(const Task<T>& task, bool gpu, const PictureFolder* folder);

extern template void compare(const Task<float>&, bool, const PictureFolder*);
extern template void compare(const Task<double>&, bool, const PictureFolder*);
extern template void compare(const Task<long double>&, bool, const PictureFolder*);

}  // namespace rbm
