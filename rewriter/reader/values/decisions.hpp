// Decisions by values. If reading a program fails because a condition, the length of a list or a
// key would be a run-time value, the program is read again, and such values are computed while it
// is read, in the precision of the run, if they depend only on the program's own numbers. These
// include random numbers if the program sets the seed; they are the numbers that the run draws.
// Values that depend on inputs stay run-time values. Internal to the reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "npmat/array.hpp"
#include "rewriter/expr/node.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

enum class Deciding : std::uint8_t {
  AtRun,
  ByValues,      ///< loops of the list stay loops where their bodies can be read at once
  WithoutLoops,  ///< and where nothing in them is decided
};

/// How the statement that is being read decides.
extern thread_local Deciding deciding;
/// Set where a condition that was to be known is not: what is wrong with the program is then what
/// the first reading has found.
extern thread_local bool could_not_decide;

/// While it lives, statements decide so.
class DecidingSo {
 public:
  explicit DecidingSo(Deciding so);
  ~DecidingSo();
  DecidingSo(const DecidingSo&) = delete;
  DecidingSo& operator=(const DecidingSo&) = delete;

 private:
  Deciding before_;
};

/// How the statements of the module decide, by their index.
class Decisions {
 public:
  [[nodiscard]] Deciding of(std::uint32_t statement) const;
  /// Reading the statement has failed: others may be tried. False where none are left.
  bool next(std::uint32_t failed);

 private:
  std::map<std::uint32_t, Deciding> own_;
  std::optional<std::uint32_t> up_to_{};  ///< these and all before them decide so:
  Deciding common_ = Deciding::AtRun;
  int times_ = 0;
};

/// What the node is, where it follows from the program's own numbers, as they are computed. Nothing
/// where statements do not decide by values.
std::optional<npmat::Array<double>> computed_values(const NodePtr& node);
/// The truth of a run-time number, likewise.
std::optional<bool> computed_truth(const Value& value);
/// A run-time int or boolean that is known in this way becomes that; whether it did.
bool settle_by_value(Value& value);
/// Before a program is read: `bits` of its run's floats, in which it draws; 0: draws are not known.
void forget_computed(int bits);
/// How often a value was known in this way since then.
std::uint64_t known_by_value();
/// Whether one of them depends on random numbers.
bool knows_draws();

/// Loops and other blocks of the list that are being read, of which it is not known how often they
/// run. While it lives, there is one more.
class OpenBlock {
 public:
  explicit OpenBlock(bool is_loop);
  ~OpenBlock();
  OpenBlock(const OpenBlock&) = delete;
  OpenBlock& operator=(const OpenBlock&) = delete;

 private:
  bool is_loop_;
};
/// The last of the steps is a draw of random numbers, or a seed: what it gives follows from the
/// seed that the program sets, and the draws since then.
void note_draws(const std::vector<NodePtr>& steps);

}  // namespace rewriter
