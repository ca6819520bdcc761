// Curves over whole numbers, as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace tools {

struct Curve {
  std::string name;
  std::vector<double> y;  ///< at x = 1, 2, ...; values that are not finite are omitted
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Curve> curves;  ///< earlier ones are drawn wider, so that equal ones all show
};

/// An SVG document that needs no other file: axes with ticks, the curves (each a path of the class
/// "curve") with a mark at every point, and a legend where there are several.
std::string to_svg(const LineChart& chart);

}  // namespace tools
