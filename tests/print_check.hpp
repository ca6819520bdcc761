// Inputs for the sample of all calls, and the Python that compares results with NumPy's.
#pragma once

#include <map>
#include <string>

#include "npmat/array.hpp"
#include "tests/python.hpp"

namespace print_check {

/// Positive numbers without ties, the ones that float32 holds exactly.
inline std::map<std::string, npmat::Array<double>> call_inputs() {
  const auto ramp = [](std::vector<std::int64_t> shape, double first, double step) {
    npmat::Array<double> array{std::move(shape), {}};
    const auto count = static_cast<std::size_t>(npmat::element_count(array.shape));
    for (std::size_t i = 0; i < count; ++i)  // 5 is prime to 12, 4 and 3: no order is left
      array.data.push_back(first + step * static_cast<double>((i * 5) % count));
    return array;
  };
  return {{"a", ramp({3, 4}, 0.125, 0.25)}, {"b", ramp({3, 4}, 2, -0.125)},
          {"row", ramp({4}, 0.5, 0.75)},    {"col", ramp({3}, 1.5, -0.5)},
          {"number", {{}, {2.5}}},          {"none", ramp({0, 4}, 0, 0)}};
}

/// Computes what `expected` says from a.npy, b.npy, ... in the folder sys.argv[1] and prints what
/// differs from o1.npy, o2.npy, ...
inline std::string compare_files(const std::string& expected, const std::string& tolerance) {
  return R"(
import math, sys, os, warnings
import numpy as np
warnings.simplefilter('ignore')
load = lambda name: np.load(os.path.join(sys.argv[1], name + '.npy'))
inputs = {name: load(name) for name in ('a', 'b', 'row', 'col', 'number', 'none')}
names = dict(inputs, np=np, math=math)
text = """)" +
         expected + R"("""
exec(text, names)
for line in text.splitlines():
    name = line.split(' = ')[0]
    want, got = np.asarray(names[name], dtype=float), load(name)
    if want.shape != got.shape:
        print(line, 'has the shape', got.shape)
    elif not np.allclose(got.astype(float), want, rtol=)" +
         tolerance + R"(, atol=1e-12, equal_nan=True):
        print(line, want, got)
)";
}

}  // namespace print_check
