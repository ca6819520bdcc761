#include "tools/rbm_data.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "npmat/idx.hpp"
#include "npmat/random.hpp"
#include "tools/memory.hpp"

namespace rbm {

namespace {

std::filesystem::path find_pictures(const std::string& folder) {
  try {
    return npmat::find_idx(folder, "train-images-idx3-ubyte");
  } catch (const cudamat::CUDAMatException&) {
    return npmat::find_idx(folder, "t10k-images-idx3-ubyte");
  }
}

/// Of zeros.
template <class T>
npmat::Array<T> matrix(const char* what, Index rows, Index cols) {
  tools::require_memory(fmt::format("{}, {}x{},", what, rows, cols),
                        static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T));
  npmat::Array<T> array{{rows, cols}, {}};
  array.data.resize(static_cast<std::size_t>(npmat::element_count(array.shape)));
  return array;
}

}  // namespace

Pictures bars_and_stripes(Index side, Index cases, std::uint64_t seed) {
  npmat::Generator generator(seed);
  const Index size = side * side;
  Pictures result{"bars and stripes", side, side, {}};
  tools::require_memory(fmt::format("the data of {} cases of {} pixels", cases, size),
                        static_cast<double>(cases) * static_cast<double>(size));
  result.pixels.reserve(static_cast<std::size_t>(size * cases));
  std::vector<float> lines(static_cast<std::size_t>(side + 1));
  std::vector<float> noise(static_cast<std::size_t>(size));
  for (Index c = 0; c < cases; ++c) {
    generator.uniform(lines.data(), side + 1);
    generator.uniform(noise.data(), size);
    const bool rows = lines.back() < 0.5F;
    for (Index i = 0; i < size; ++i) {
      const bool lit = lines[static_cast<std::size_t>(rows ? i / side : i % side)] < 0.5F;
      result.pixels.push_back(lit != (noise[static_cast<std::size_t>(i)] < 0.1F) ? 255 : 0);
    }
  }
  return result;
}

Pictures read_mnist(const std::string& folder, Index cases) {
  const auto path = find_pictures(folder);
  const npmat::IdxFile file = npmat::read_idx(path);
  if (file.shape.size() != 3)
    cudamat::misuse("mnist", "{} must hold pictures (3 dimensions); it has {}", path.string(),
                    file.shape.size());
  Pictures result{folder, file.shape[1], file.shape[2], {}};
  const Index count = cases == 0 ? file.shape[0] : std::min(cases, file.shape[0]);
  if (count * result.size() == 0)
    cudamat::misuse("mnist", "{} holds {} pictures of {}x{} pixels: nothing to learn from",
                    path.string(), file.shape[0], result.height, result.width);
  result.pixels.assign(file.data.begin(), file.data.begin() + count * result.size());
  return result;
}

template <class T>
npmat::Array<T> initial_weights(Index num_vis, Index num_hid, std::uint64_t seed) {
  npmat::Array<T> weights = matrix<T>("the array of initial weights", num_vis, num_hid);
  npmat::Generator(seed).normal(weights.data.data(), weights.size());
  for (T& weight : weights.data) weight *= T(0.1);
  return weights;
}

template <class T>
npmat::Array<T> uniform_draws(Index cases, Index num_hid, std::uint64_t seed) {
  npmat::Array<T> draws = matrix<T>("the array of the samples' numbers", cases, num_hid);
  npmat::Generator(seed).uniform(draws.data.data(), draws.size());
  return draws;
}

template npmat::Array<float> initial_weights(Index, Index, std::uint64_t);
template npmat::Array<double> initial_weights(Index, Index, std::uint64_t);
template npmat::Array<long double> initial_weights(Index, Index, std::uint64_t);
template npmat::Array<float> uniform_draws(Index, Index, std::uint64_t);
template npmat::Array<double> uniform_draws(Index, Index, std::uint64_t);
template npmat::Array<long double> uniform_draws(Index, Index, std::uint64_t);

}  // namespace rbm
