#include "tools/rbm_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "npmat/file_io.hpp"

namespace rbm {

namespace {

constexpr std::size_t kFilters = 100;
constexpr Index kCases = 10;

/// Columns of the weights by their norms, largest first; NaN last.
std::vector<std::size_t> by_norm(const Weights<double>& weights) {
  const auto units = static_cast<std::size_t>(weights.w_vh.shape[1]);
  std::vector<double> squares(units);
  for (std::size_t i = 0; i < weights.w_vh.data.size(); ++i)
    squares[i % units] += weights.w_vh.data[i] * weights.w_vh.data[i];
  for (double& square : squares)
    if (std::isnan(square)) square = -1;
  std::vector<std::size_t> order(units);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return squares[a] > squares[b]; });
  return order;
}

/// What is not a number becomes black.
std::uint8_t shade(double zero_to_one) {
  return zero_to_one > 0 ? static_cast<std::uint8_t>(std::lround(255 * std::min(zero_to_one, 1.)))
                         : std::uint8_t{0};
}

tools::GreyPicture tile(const Pictures& data, const std::vector<double>& shades) {
  tools::GreyPicture result{data.height, data.width, {}};
  for (const double value : shades) result.pixels.push_back(shade(value));
  return result;
}

tools::GreyPicture filter(const Weights<double>& weights, std::size_t unit, const Pictures& data) {
  const auto units = static_cast<std::size_t>(weights.w_vh.shape[1]);
  std::vector<double> values;
  double largest = 0;
  for (std::size_t i = unit; i < weights.w_vh.data.size(); i += units) {
    values.push_back(weights.w_vh.data[i]);
    largest = std::max(largest, std::abs(values.back()));
  }
  for (double& value : values) value = largest == 0 ? 0.5 : 0.5 + value / largest / 2;
  return tile(data, values);
}

double logistic(double x) {
  return 1 / (1 + std::exp(-x));
}

/// Probabilities of the visible units.
std::vector<double> reconstruct(const Weights<double>& weights,
                                const std::vector<double>& visible) {
  std::vector<double> hidden = weights.w_h.data;
  const std::size_t units = hidden.size();
  for (std::size_t i = 0; i < visible.size(); ++i)
    for (std::size_t j = 0; j < units; ++j)
      hidden[j] += visible[i] * weights.w_vh.data[i * units + j];
  for (double& h : hidden) h = logistic(h);
  std::vector<double> result = weights.w_v.data;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    for (std::size_t j = 0; j < units; ++j)
      result[i] += hidden[j] * weights.w_vh.data[i * units + j];
    result[i] = logistic(result[i]);
  }
  return result;
}

}  // namespace

tools::GreyPicture filters(const Weights<double>& weights, const Pictures& data) {
  std::vector<std::size_t> order = by_norm(weights);
  order.resize(std::min(order.size(), kFilters));
  std::vector<tools::GreyPicture> tiles;
  for (const std::size_t unit : order) tiles.push_back(filter(weights, unit, data));
  return tools::grid(tiles, {});
}

tools::GreyPicture reconstructions(const Weights<double>& weights, const Pictures& data) {
  const Index count = std::min(kCases, data.cases());
  std::vector<tools::GreyPicture> cases;
  std::vector<tools::GreyPicture> made;
  for (Index k = 0; k < count; ++k) {
    const auto first = data.pixels.begin() + k * data.size();
    std::vector<double> visible(first, first + data.size());
    for (double& pixel : visible) pixel /= 255;
    cases.push_back(tile(data, visible));
    made.push_back(tile(data, reconstruct(weights, visible)));
  }
  cases.insert(cases.end(), made.begin(), made.end());
  return tools::grid(cases, {.columns = count});
}

PictureFolder::PictureFolder(std::filesystem::path path, const Pictures& data)
    : path_(std::move(path)), data_(&data) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error)
    cudamat::misuse("rbm", "--pictures: cannot create the folder {}: {}", path_.string(),
                    error.message());
}

void PictureFolder::show_weights(const Weights<double>& weights) const {
  tools::write_png(path_ / "filters.png", filters(weights, *data_));
  tools::write_png(path_ / "reconstructions.png", reconstructions(weights, *data_));
}

void PictureFolder::show_errors(const std::vector<tools::Curve>& curves) const {
  const std::filesystem::path path = path_ / "errors.svg";
  const std::string svg = tools::to_svg({.title = "Reconstruction error of the RBM",
                                         .x_label = "epoch",
                                         .y_label = "mean squared error",
                                         .curves = curves});
  npmat::detail::write_file(
      npmat::detail::context_of("rbm", path), path,
      [&](npmat::detail::FileSink& sink) { sink.write(svg.data(), svg.size()); });
}

}  // namespace rbm
