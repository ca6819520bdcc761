#include "tools/line_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace tools {

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 420;
constexpr double kLeft = 80;
constexpr double kRight = kWidth - 20;
constexpr double kTop = 44;
constexpr double kBottom = kHeight - 54;

// Told apart by those, too, who do not see all colours (Okabe and Ito).
constexpr std::array<const char*, 6> kColours = {"#0072b2", "#e69f00", "#009e73",
                                                 "#000000", "#d55e00", "#cc79a7"};

const char* colour(std::size_t curve) {
  return kColours[curve % kColours.size()];
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

/// The least of 1, 2, 5, 10, 20, ... times a power of ten that is not below x.
double round_step(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1., 2., 5.})
    if (factor * power >= x) return factor * power;
  return 10 * power;
}

/// An axis: values from `low` to `high`, shown between two places, a tick at every multiple of
/// `step`.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 0.2;
  double from = 0;
  double to = 0;

  [[nodiscard]] double place(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
  /// With as many decimals as the step has.
  [[nodiscard]] std::string label(double tick) const {
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step))));
    if (decimals > 6 || std::abs(tick) >= 1e6) return fmt::format("{:.6g}", tick);
    return fmt::format("{:.{}f}", tick, decimals);
  }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> result;
    for (double k = std::ceil(low / step); k * step <= high * (1 + 1e-9); ++k)
      result.push_back(k == 0 ? 0 : k * step);  // not -0
    return result;
  }
};

Axis axis_of_points(std::size_t points) {
  const auto last = static_cast<double>(std::max<std::size_t>(points, 1));
  const double room = last == 1 ? 1 : 0;
  return {1 - room, last + room, std::max(1., round_step((last - 1) / 12)), kLeft + 10,
          kRight - 10};
}

Axis axis_of_values(const std::vector<Curve>& curves) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Curve& curve : curves)
    for (const double y : curve.y) {
      if (!std::isfinite(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  if (low > high) return {0, 1, 0.2, kBottom, kTop};
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= room;
    high += room;
  }
  const double step = round_step((high - low) / 6);
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step, kBottom, kTop};
}

struct Drawing {
  std::string svg{};

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(svg), format, std::forward<Args>(args)...);
    svg += '\n';
  }
  void text(double x, double y, const char* anchor, const std::string& text) {
    add(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x, y, anchor, escaped(text));
  }
};

void draw_axes(const LineChart& chart, const Axis& x, const Axis& y, Drawing& drawing) {
  const auto line = [&](double x1, double y1, double x2, double y2, const char* stroke) {
    drawing.add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}"/>)", x1, y1,
                x2, y2, stroke);
  };
  for (const double tick : y.ticks()) {
    line(kLeft, y.place(tick), kRight, y.place(tick), "#dddddd");
    drawing.text(kLeft - 8, y.place(tick) + 4, "end", y.label(tick));
  }
  for (const double tick : x.ticks()) {
    line(x.place(tick), kBottom, x.place(tick), kBottom + 5, "#444444");
    drawing.text(x.place(tick), kBottom + 20, "middle", x.label(tick));
  }
  line(kLeft, kBottom, kRight, kBottom, "#444444");
  line(kLeft, kTop, kLeft, kBottom, "#444444");
  drawing.text((kLeft + kRight) / 2, kHeight - 12, "middle", chart.x_label);
  drawing.add(
      R"svg(<text transform="translate(18 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
      (kTop + kBottom) / 2, escaped(chart.y_label));
  drawing.add(R"(<text x="{:.1f}" y="26" text-anchor="middle" font-size="16">{}</text>)",
              (kLeft + kRight) / 2, escaped(chart.title));
}

double stroke_width(std::size_t curve, std::size_t curves) {
  return 2 + 4 * static_cast<double>(curves - 1 - curve);
}

void draw_curve(const Curve& curve, std::size_t index, std::size_t curves, const Axis& x,
                const Axis& y, Drawing& drawing) {
  const double width = stroke_width(index, curves);
  std::string path;
  std::string marks;
  bool pen_down = false;
  for (std::size_t k = 0; k < curve.y.size(); ++k) {
    if (!std::isfinite(curve.y[k])) {
      pen_down = false;
      continue;
    }
    const double px = x.place(static_cast<double>(k + 1));
    const double py = y.place(curve.y[k]);
    path += fmt::format("{}{:.2f} {:.2f}", pen_down ? " L" : " M", px, py);
    marks += fmt::format(R"(<circle cx="{:.2f}" cy="{:.2f}" r="{:.1f}"/>)", px, py, width / 2 + 1);
    pen_down = true;
  }
  if (path.empty()) path = " M0 0";  // a path without data would not be one
  drawing.add(
      R"(<g stroke="{0}" fill="{0}"><path class="curve" fill="none" stroke-width="{1:.0f}" )"
      R"(stroke-linejoin="round" d="{2}"/>)",
      colour(index), width, path.substr(1));
  drawing.add(R"(<g stroke="none">{}</g></g>)", marks);
}

void draw_legend(const std::vector<Curve>& curves, Drawing& drawing) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const double y = kTop + 20 + 20 * static_cast<double>(i);
    drawing.add(
        R"(<line x1="{:.0f}" y1="{:.0f}" x2="{:.0f}" y2="{:.0f}" stroke="{}" stroke-width="{:.0f}"/>)",
        kRight - 190, y, kRight - 150, y, colour(i), stroke_width(i, curves.size()));
    drawing.text(kRight - 142, y + 4, "start", curves[i].name);
  }
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  std::size_t points = 0;
  for (const Curve& curve : chart.curves) points = std::max(points, curve.y.size());
  const Axis x = axis_of_points(points);
  const Axis y = axis_of_values(chart.curves);
  Drawing drawing;
  drawing.add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" )"
              R"(height="{1}" font-family="sans-serif" font-size="13" fill="#222222">)",
              kWidth, kHeight);
  drawing.add(R"(<rect width="{}" height="{}" fill="#ffffff"/>)", kWidth, kHeight);
  draw_axes(chart, x, y, drawing);
  for (std::size_t i = 0; i < chart.curves.size(); ++i)
    draw_curve(chart.curves[i], i, chart.curves.size(), x, y, drawing);
  if (chart.curves.size() > 1) draw_legend(chart.curves, drawing);
  drawing.svg += "</svg>\n";
  return drawing.svg;
}

}  // namespace tools
