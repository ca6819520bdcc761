#include "gnumpy/checks.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include "gnumpy/errors.hpp"
#include "gnumpy/number_check.hpp"

namespace gnumpy {

namespace {

// What is accepted: NaN if anything, magnitudes up to infinity if all but NaN.
std::atomic<double> bound = std::numeric_limits<double>::quiet_NaN();
std::atomic<double> probability = 1;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFinite = std::numeric_limits<double>::max();

}  // namespace

void acceptable_number_types(std::string_view what) {
  if (what == "anything goes")
    bound = std::numeric_limits<double>::quiet_NaN();
  else if (what == "no nans")
    bound = kInfinity;
  else if (what == "no nans or infs")
    bound = kFinite;
  else
    cudamat::misuse("acceptable_number_types",
                    "must be 'anything goes', 'no nans', 'no nans or infs' or a number; got '{}'",
                    what);
}

void acceptable_number_types(double magnitude) {
  if (!(magnitude >= 0))
    cudamat::misuse("acceptable_number_types", "a bound must be 0 or more; got {}", magnitude);
  bound = magnitude;
}

std::string acceptable_number_types() {
  const double now = bound;
  if (std::isnan(now)) return "anything goes";
  if (now == kInfinity) return "no nans";
  if (now == kFinite) return "no nans or infs";
  return fmt::format("{}", now);
}

void expensive_check_probability(double part) {
  if (!(part >= 0 && part <= 1))
    cudamat::misuse("expensive_check_probability", "must be from 0 to 1; got {}", part);
  probability = part;
}

double expensive_check_probability() {
  return probability;
}

namespace detail {

bool may_check_numbers() {
  return !std::isnan(bound.load());
}

bool checks_numbers() {
  if (!may_check_numbers()) return false;
  thread_local std::minstd_rand chance;
  return std::uniform_real_distribution<double>(0, 1)(chance) < probability;
}

namespace {

void check(std::string_view op, double least, double most, const std::string& whose,
           const std::source_location& where) {
  const double allowed = bound;
  const auto refuse = [&](const std::string& found) {
    misuse(op, where,
           fmt::format("{}{}; acceptable_number_types is {}", found, whose,
                       acceptable_number_types()));
  };
  if (std::isnan(least) || std::isnan(most)) refuse("NaN");
  const double magnitude = std::max(std::abs(least), std::abs(most));
  if (allowed == kFinite ? std::isinf(magnitude) : magnitude > allowed)
    refuse(fmt::format("{}", std::abs(least) == magnitude ? least : most));
}

}  // namespace

void check_number(std::string_view op, double number, const std::source_location& where) {
  check(op, number, number, "", where);
}

void check_numbers(std::string_view op, const void* data, Index offset, Index size,
                   const std::source_location& where) {
  if (size == 0) return;
  const auto [least, most] = engine().extremes(data, offset, size);
  check(op, least, most, fmt::format(" in a result of {} numbers", size), where);
}

}  // namespace detail
}  // namespace gnumpy
