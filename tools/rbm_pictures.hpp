// What an RBM has learned, as pictures: its filters, its reconstructions, its errors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/line_chart.hpp"
#include "tools/png.hpp"
#include "tools/rbm_data.hpp"
#include "tools/rbm_layers.hpp"

namespace rbm {

/// The weights of up to 100 hidden units in rows of ten, those with the largest norms first. A
/// unit's weights are a picture of the data's size: 0 is grey, its weight of the largest magnitude
/// black (negative) or white (positive), the others in proportion.
tools::GreyPicture filters(const Weights<double>& weights, const Pictures& data);

/// The first cases, up to ten, and below each what one step makes of it: the probabilities of the
/// visible units, given those of the hidden units, given the case. 0 is black, 1 white.
tools::GreyPicture reconstructions(const Weights<double>& weights, const Pictures& data);

/// A folder that holds filters.png, reconstructions.png and errors.svg, each replaced at once, so
/// that they are whole whenever the program ends.
class PictureFolder {
 public:
  /// Makes the folder where there is none. Throws CUDAMatException if that cannot be.
  PictureFolder(std::filesystem::path path, const Pictures& data);

  void show_weights(const Weights<double>& weights) const;
  void show_errors(const std::vector<tools::Curve>& curves) const;

 private:
  std::filesystem::path path_;
  const Pictures* data_;
};

/// Rounded to double.
template <class T>
Weights<double> as_double(const Weights<T>& weights) {
  const auto rounded = [](const npmat::Array<T>& array) {
    return npmat::Array<double>{array.shape, {array.data.begin(), array.data.end()}};
  };
  return {rounded(weights.w_vh), rounded(weights.w_v), rounded(weights.w_h)};
}

}  // namespace rbm
