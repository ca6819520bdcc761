// rbm: trains the Gnumpy report's restricted Boltzmann machine, with any layer of this project or
// with all of them side by side.
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "cudamat/say.hpp"
#include "cudamat/use_gpu.hpp"
#include "npmat/npy.hpp"
#include "tools/command_line.hpp"
#include "tools/engine_choice.hpp"
#include "tools/interrupt.hpp"
#include "tools/rbm_compare.hpp"
#include "tools/rbm_data.hpp"
#include "tools/rbm_layers.hpp"
#include "tools/rbm_options.hpp"
#include "tools/rbm_pictures.hpp"
#include "tools/rbm_training.hpp"

namespace {

using namespace rbm;

/// Whether the GPU computes. gnumpy's numbers are float32 there.
bool choose_gpu(const Options& options) {
  const bool gpu = tools::choose_gpu({.tool = "rbm",
                                      .option = "--engine ",
                                      .engine = options.engine,
                                      .precision = options.precision});
  const bool garrays = options.compare || options.layer.kind == Layer::Kind::Gnumpy;
  if (!gpu || !garrays || options.precision == 32) return gpu;
  if (options.engine == "cudamat" || cudamat::use_gpu() == cudamat::UseGpu::Yes)
    cudamat::misuse("rbm",
                    "gnumpy computes in 32 bits on a GPU; --precision {} needs --engine npmat",
                    options.precision);
  return false;
}

/// What --save cannot write is found out before the training.
void check_writable(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const bool there = std::filesystem::exists(file);
  if (std::filesystem::is_directory(file))
    cudamat::misuse("rbm", "--save: {} is a folder; expected a file", file.string());
  if (access((there ? file : folder).c_str(), W_OK) != 0)
    cudamat::misuse("rbm", "--save: cannot write {}: {}", file.string(), std::strerror(errno));
}

Pictures read_data(const Options& options) {
  Pictures data =
      options.mnist.empty()
          ? bars_and_stripes(28, options.cases == 0 ? 2048 : options.cases, options.seed)
          : read_mnist(options.mnist, options.cases);
  if (data.cases() < options.settings.batch_size)
    cudamat::misuse("rbm", "{} cases are fewer than one batch of {}", data.cases(),
                    options.settings.batch_size);
  return data;
}

template <class T>
std::string heading(const Options& options, const Pictures& data, bool gpu) {
  return fmt::format("RBM {}x{}, {} cases of {}, batches of {}, {} on {}{}\n", data.size(),
                     options.settings.num_hid, data.cases(), data.name, options.settings.batch_size,
                     options.compare ? "all layers" : options.layer.name(),
                     engine_name<T>(options.layer, gpu),
                     options.engine == "auto" ? " (chosen by auto)" : "");
}

template <class T>
void train_one(const Options& options, const Task<T>& task, bool gpu, const PictureFolder* folder) {
  Watch watch(options.epochs, task.batches(), tools::write_out);
  const auto show = [&](const std::function<Weights<T>()>& weights) {
    if (folder == nullptr) return;
    folder->show_errors({{options.layer.name(), watch.errors()}});
    if (weights) folder->show_weights(as_double(weights()));
  };
  const Weights<T> weights = train(options.layer, gpu, task, watch.observer<T>(show));
  if (folder != nullptr) folder->show_weights(as_double(weights));
  if (options.save.empty()) return;
  npmat::save_npy(options.save, weights.w_vh);
  tools::write_out(fmt::format("weights written to {}\n", options.save));
}

/// All weights before the first epoch: the report's biases are 0 and -4.
template <class T>
Weights<T> initial_state(const Task<T>& task) {
  const Index num_vis = task.weights.shape[0];
  const Index num_hid = task.weights.shape[1];
  return {task.weights,
          {{num_vis}, std::vector<T>(static_cast<std::size_t>(num_vis), T(0))},
          {{num_hid}, std::vector<T>(static_cast<std::size_t>(num_hid), T(-4))}};
}

template <class T>
void run(const Options& options) {
  const tools::InterruptHandler handler;
  const bool gpu = choose_gpu(options);
  if (!options.save.empty()) check_writable(options.save);
  const Pictures data = read_data(options);
  Task<T> task{
      .data = data.array<T>(),
      .weights = initial_weights<T>(data.size(), options.settings.num_hid, options.seed + 1),
      .draws = {},
      .settings = options.settings,
      .epochs = options.epochs,
      .seed = options.seed};
  if (options.compare)
    task.draws = uniform_draws<T>(task.batches() * options.settings.batch_size,
                                  options.settings.num_hid, options.seed);
  std::optional<PictureFolder> folder;
  if (!options.pictures.empty()) {
    folder.emplace(options.pictures, data);
    folder->show_errors({});
    folder->show_weights(as_double(initial_state(task)));
  }
  tools::write_out(heading<T>(options, data, gpu));
  if (options.compare)
    compare(task, gpu, folder ? &*folder : nullptr);
  else
    train_one(options, task, gpu, folder ? &*folder : nullptr);
  if (folder)
    tools::write_out(fmt::format("filters.png, reconstructions.png and errors.svg written to {}\n",
                                 options.pictures));
}

void run_in_precision(const Options& options) {
  switch (options.precision) {
    case 32:
      return run<float>(options);
    case 64:
      return run<double>(options);
    default:
      return run<long double>(options);
  }
}

}  // namespace

int main(int argc, char** argv) {
  tools::prepare_streams();
  const auto [options, status] = parse_options(argc, argv);
  if (!options) return status;
  try {
    run_in_precision(*options);
    return 0;
  } catch (const tools::Interrupted&) {
    cudamat::say("rbm: interrupted; nothing further was written\n");
    return tools::interrupted_status();
  } catch (const std::bad_alloc&) {
    cudamat::say("rbm: out of memory\n");
  } catch (const std::exception& error) {
    cudamat::say("rbm: {}\n", error.what());
  }
  return 2;
}
