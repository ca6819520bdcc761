#include "tools/rbm_compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "cudamat/say.hpp"
#include "tools/command_line.hpp"
#include "tools/difference.hpp"
#include "tools/rbm_training.hpp"

namespace rbm {

namespace {

const std::array<Layer, 4>& layers() {
  static const std::array<Layer, 4> all{{{Layer::Kind::Cudamat},
                                         {Layer::Kind::Gnumpy},
                                         {Layer::Kind::Rewriter, "none"},
                                         {Layer::Kind::Rewriter, "all"}}};
  return all;
}

template <class T>
struct Trained {
  Weights<T> weights;
  std::vector<double> errors;
  double fastest_epoch = 0;  ///< seconds
};

template <class T>
Trained<T> train_layer(const Layer& layer, bool gpu, const Task<T>& task,
                       const PictureFolder* folder, std::vector<tools::Curve>& curves) {
  Watch watch(task.epochs, task.batches(),
              [&](const std::string& line) { cudamat::say("{:<14}  {}", layer.name(), line); });
  curves.push_back({layer.name(), {}});
  const auto show = [&](const std::function<Weights<T>()>& weights) {
    if (folder == nullptr) return;
    curves.back().y = watch.errors();
    folder->show_errors(curves);
    if (layer.kind == Layer::Kind::Cudamat) folder->show_weights(as_double(weights()));
  };
  Trained<T> result;
  result.weights = train(layer, gpu, task, watch.observer<T>(show));
  result.errors = watch.errors();
  if (task.epochs > 0)
    result.fastest_epoch = *std::min_element(watch.seconds().begin(), watch.seconds().end());
  return result;
}

template <class T>
bool same_bits(const npmat::Array<T>& a, const npmat::Array<T>& b) {
  return std::equal(a.data.begin(), a.data.end(), b.data.begin(), [](T x, T y) {
    return x == y ? std::signbit(x) == std::signbit(y) : std::isnan(x) && std::isnan(y);
  });
}

/// "every bit", or the largest difference of two elements.
template <class T>
std::string likeness(const Weights<T>& a, const Weights<T>& b) {
  if (same_bits(a.w_vh, b.w_vh) && same_bits(a.w_v, b.w_v) && same_bits(a.w_h, b.w_h))
    return "every bit";
  return fmt::format("{:.2g}", std::max({tools::difference(a.w_vh, b.w_vh).largest,
                                         tools::difference(a.w_v, b.w_v).largest,
                                         tools::difference(a.w_h, b.w_h).largest}));
}

template <class T>
std::string table(const std::vector<Trained<T>>& all, int epochs) {
  std::string text;
  const auto row = [&](const std::string& title, const auto& cell) {
    text += fmt::format("{:<23}", title);
    for (std::size_t i = 0; i < all.size(); ++i) text += fmt::format("{:>15}", cell(i));
    text += '\n';
  };
  row("mean squared error", [](std::size_t i) { return layers()[i].name(); });
  for (int epoch = 0; epoch < epochs; ++epoch)
    row(fmt::format("epoch {:2}", epoch + 1), [&](std::size_t i) {
      return fmt::format("{:.9f}", all[i].errors[static_cast<std::size_t>(epoch)]);
    });
  row("weights as cudamat's",
      [&](std::size_t i) { return i == 0 ? "" : likeness(all[i].weights, all[0].weights); });
  if (epochs == 0) return text;
  row("fastest epoch, seconds",
      [&](std::size_t i) { return fmt::format("{:.3f}", all[i].fastest_epoch); });
  row("times cudamat's", [&](std::size_t i) {
    return fmt::format("{:.2f}", all[i].fastest_epoch / all[0].fastest_epoch);
  });
  return text;
}

}  // namespace

template <class T>
void compare(const Task<T>& task, bool gpu, const PictureFolder* folder) {
  std::vector<Trained<T>> all;
  std::vector<tools::Curve> curves;
  for (const Layer& layer : layers()) all.push_back(train_layer(layer, gpu, task, folder, curves));
  tools::write_out(table(all, task.epochs));
}

template void compare(const Task<float>&, bool, const PictureFolder*);
template void compare(const Task<double>&, bool, const PictureFolder*);
template void compare(const Task<long double>&, bool, const PictureFolder*);

}  // namespace rbm
