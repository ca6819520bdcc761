#include "cudamat/simt/order.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include "cudamat/simt/failure.hpp"

namespace simt {
namespace {

struct Setting {
  std::atomic<Order> order = Order::kForward;
  std::atomic<std::uint64_t> seed = 0;
  std::atomic<std::uint64_t> launches = 0;
};

void read_environment(Setting& setting) {
  const char* const value = std::getenv("SIMT_ORDER");
  if (value == nullptr || *value == '\0') return;
  const std::string_view text = value;
  if (text == "reverse") {
    setting.order = Order::kReverse;
  } else if (text == "shuffle") {
    setting.order = Order::kShuffle;
    setting.seed = std::random_device{}();
  } else if (text.starts_with("shuffle:")) {
    char* end = nullptr;
    setting.order = Order::kShuffle;
    setting.seed = std::strtoull(value + 8, &end, 10);
    if (end == value + 8 || *end != '\0') fail("SIMT_ORDER=%s: the seed is not a number", value);
  } else if (text != "forward") {
    fail("SIMT_ORDER=%s: it takes forward, reverse, shuffle or shuffle:SEED", value);
  }
}

Setting& setting() {
  static Setting the_setting;
  static const bool read = (read_environment(the_setting), true);
  (void)read;
  return the_setting;
}

}  // namespace

void set_order(Order order, std::uint64_t seed) {
  setting().order = order;
  setting().seed = seed;
  setting().launches = 0;
}

Order order() {
  return setting().order;
}

int write_order(char* text, std::size_t size) {
  switch (order()) {
    case Order::kForward:
      return std::snprintf(text, size, "forward");
    case Order::kReverse:
      return std::snprintf(text, size, "reverse");
    default:
      return std::snprintf(text, size, "shuffle:%llu",
                           static_cast<unsigned long long>(setting().seed.load()));
  }
}

std::string order_text() {
  char text[40];
  write_order(text, sizeof text);
  return text;
}

Orderer::Orderer() : order_(order()), state_(setting().seed + (setting().launches++ << 32)) {}

}  // namespace simt
