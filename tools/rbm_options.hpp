// rbm's command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tools/rbm_layers.hpp"

namespace rbm {

struct Options {
  Layer layer{};
  bool compare = false;  ///< all layers, instead of `layer`
  std::string engine = "auto";
  int precision = 32;
  int epochs = 5;
  std::string mnist;  ///< a folder; empty: bars and stripes
  Index cases = 0;    ///< 0: the default number
  Settings settings;
  std::uint64_t seed = 1;
  std::string save;      ///< a file; empty: none
  std::string pictures;  ///< a folder; empty: none
};

/// The options, or the exit status if the command line already settled it (--help, --version, an
/// error: said on the standard streams).
std::pair<std::optional<Options>, int> parse_options(int argc, char** argv);

}  // namespace rbm
