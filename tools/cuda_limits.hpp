// The GPU's limits, measured in the run whose results they judge: see limits.hpp. Times are the
// device's, by events around the work, the median of several.
#pragma once

#include <functional>

#include "tools/limits.hpp"

namespace tools::gpu {

/// Seconds that the device takes for one call of `work`, which queues on the calling thread's
/// context: the median of `repeats`, after some that warm up (the first measurement of a program
/// for 0.6 s, as an idle GPU's clocks are low). What the host takes to queue it is not part of it,
/// up to 60 us.
double time(int repeats, const std::function<void()>& work);

/// Seconds to move `bytes`, reads and writes both counted, by the driver's copy on the device.
double copy_floor(double bytes);

/// Seconds to read `bytes` by a kernel that does nothing else.
double read_floor(double bytes);

/// Seconds to copy `bytes` between pinned memory of the host and the device.
double link_floor(double bytes, bool to_device);

/// Seconds of a bare cublasSgemm or cublasDgemm m x n, inner extent k, in IEEE arithmetic.
template <class T>
double product_floor(bool trans_a, bool trans_b, Index m, Index n, Index k);

}  // namespace tools::gpu
