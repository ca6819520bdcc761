// rbm: trains the report's restricted Boltzmann machine, written as Cudamat statements, on the CPU
// engine.
#include "tools/rbm.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "npmat/idx.hpp"
#include "npmat/npmat.hpp"
#include "npmat/npy.hpp"
#include "npmat/random.hpp"

namespace {

using cudamat::Index;
using cudamat::Shape;

struct Options {
  int epochs = 5;
  Index cases = 0;
  int precision = 32;
  std::uint64_t seed = 1;
  std::string mnist;
  std::string save;
  rbm::Settings settings;
};

/// Bars and stripes: side x side pictures of which either whole rows or whole columns are lit, each
/// with probability one half, and a tenth of the pixels flipped. Pixels are 0 or 1.
template <class T>
cudamat::HostMatrix<T> bars_and_stripes(Index side, Index cases, std::uint64_t seed) {
  npmat::Generator generator(seed);
  cudamat::HostMatrix<T> data(Shape{side * side, cases});
  std::vector<float> lines(static_cast<std::size_t>(side + 1));
  std::vector<float> noise(static_cast<std::size_t>(side * side));
  for (Index c = 0; c < cases; ++c) {
    generator.uniform(lines.data(), side + 1);
    generator.uniform(noise.data(), side * side);
    const bool rows = lines[static_cast<std::size_t>(side)] < 0.5F;
    for (Index i = 0; i < side * side; ++i) {
      const bool lit = lines[static_cast<std::size_t>(rows ? i / side : i % side)] < 0.5F;
      data(i, c) = T(lit != (noise[static_cast<std::size_t>(i)] < 0.1F));
    }
  }
  return data;
}

/// MNIST's training pictures, or else its test pictures.
std::filesystem::path find_pictures(const std::string& directory) {
  try {
    return npmat::find_idx(directory, "train-images-idx3-ubyte");
  } catch (const cudamat::CUDAMatException&) {
    return npmat::find_idx(directory, "t10k-images-idx3-ubyte");
  }
}

/// The pictures of an IDX file as columns in [0, 1]; at most `cases` of them if that is not 0.
template <class T>
cudamat::HostMatrix<T> read_pictures(const std::string& directory, Index cases) {
  const auto path = find_pictures(directory);
  const npmat::IdxFile file = npmat::read_idx(path);
  if (file.shape.size() != 3)
    cudamat::misuse("mnist", "{} must hold pictures (3 dimensions); it has {}", path.string(),
                    file.shape.size());
  const Index pixels = file.shape[1] * file.shape[2];
  const Index count = cases == 0 ? file.shape[0] : std::min<Index>(cases, file.shape[0]);
  cudamat::HostMatrix<T> data(Shape{pixels, count});
  for (Index i = 0; i < pixels * count; ++i)
    data.data()[i] = T(file.data[static_cast<std::size_t>(i)]) / T(255);
  return data;
}

/// A line that is rewritten while a terminal watches; silent elsewhere.
void show_progress(int epoch, int epochs, Index batch, Index batches) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr Index kWidth = 30;
  const auto done = static_cast<std::size_t>(kWidth * batch / batches);
  fmt::print(stderr, "\repoch {}/{} [{:<{}}] batch {}/{}", epoch, epochs, std::string(done, '#'),
             kWidth, batch, batches);
  if (batch == batches) fmt::print(stderr, "\r{:<70}\r", "");
  std::fflush(stderr);
}

template <class T>
void save_weights(const npmat::CUDAMatrix<T>& weights, const std::string& path) {
  // The columns of the transpose, one after the other, are the rows in NumPy's order.
  auto turned = weights.transpose();
  const auto values = turned.asarray().values();
  npmat::save_npy(
      path, npmat::Array<T>{{weights.rows(), weights.cols()}, {values.begin(), values.end()}});
  fmt::print("weights written to {}\n", path);
}

template <class T>
void train(const Options& options) {
  using CUDAMatrix = npmat::CUDAMatrix<T>;
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();

  CUDAMatrix::init_random(options.seed);
  CUDAMatrix data(
      options.mnist.empty()
          ? bars_and_stripes<T>(28, options.cases == 0 ? 2048 : options.cases, options.seed)
          : read_pictures<T>(options.mnist, options.cases));
  const Index batches = data.cols() / options.settings.batch_size;
  if (batches == 0)
    cudamat::misuse("rbm", "{} cases are fewer than one batch of {}", data.cols(),
                    options.settings.batch_size);
  fmt::print("RBM {}x{}, {} cases of {}, batches of {}, {}\n", data.rows(),
             options.settings.num_hid, data.cols(),
             options.mnist.empty() ? "bars and stripes" : options.mnist,
             options.settings.batch_size, CUDAMatrix::engine::name());

  rbm::Rbm<CUDAMatrix> machine(data.rows(), options.settings);
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    double error = 0;
    for (Index batch = 0; batch < batches; ++batch) {
      error += machine.step(data, batch);
      show_progress(epoch, options.epochs, batch + 1, batches);
    }
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    fmt::print("epoch {:2}  mean squared error {:.6f}  time {:.1f} s\n", epoch,
               error / static_cast<double>(batches), elapsed.count());
    std::fflush(stdout);
  }
  if (!options.save.empty()) save_weights(machine.w_vh, options.save);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Trains the Gnumpy report's restricted Boltzmann machine, written as Cudamat statements.",
      "rbm");
  app.add_option("--epochs", options.epochs, "passes over the data")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--mnist", options.mnist,
                 "read pictures from the IDX files, gzipped or not, in DIR "
                 "(default: bars and stripes, generated)")
      ->option_text("DIR");
  app.add_option("--cases", options.cases, "how many cases (default: 2048, or all of MNIST's)")
      ->check(CLI::PositiveNumber);
  app.add_option("--hidden", options.settings.num_hid, "hidden units")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.settings.batch_size, "cases in a batch")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--precision", options.precision, "bits of a number: 32|64|128")
      ->capture_default_str()
      ->check(CLI::IsMember({32, 64, 128}));
  app.add_option("--seed", options.seed, "seed of the data, the weights and the sampling")
      ->capture_default_str();
  app.add_option("--save", options.save, "write the weights")->option_text("FILE.npy");
  try {
    app.parse(argc, argv);
    switch (options.precision) {
      case 32:
        train<float>(options);
        break;
      case 64:
        train<double>(options);
        break;
      default:
        train<long double>(options);
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rbm: {}\n", error.what());
    return 2;
  }
  return 0;
}
