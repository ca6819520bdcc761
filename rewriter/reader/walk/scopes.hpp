// What the interpreter keeps of the program that it runs: scopes, loops, files. Internal to the
// reader.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rewriter/python/ast.hpp"
#include "rewriter/reader/modules/modules.hpp"
#include "rewriter/reader/values/value.hpp"
#include "rewriter/reader/walk/loop_trace.hpp"

namespace rewriter {

/// The names of a call that functions defined in it see, also after it has ended.
struct Enclosing {
  std::unordered_map<std::string, Value>* names = nullptr;
  std::unordered_map<std::string, Value> kept{};  ///< after the call
  std::uint32_t function = 0;
  std::shared_ptr<Enclosing> outer{};
};

/// How a statement ends.
enum class Flow : std::uint8_t {
  Next,
  Break,
  Continue,
  Return,
  Perhaps,  ///< one of these, known only at run time: conditions.cpp
};

/// A loop whose body is being run.
struct LoopFrame {
  LoopPtr loop;
  std::unordered_set<std::string> read;     ///< names read before the body assigned them
  std::unordered_set<std::string> rebound;  ///< names that the body assigned
  std::vector<std::string> rebound_order;
  Index most = 0;             ///< iterations of a While, where its text says how many; else 0
  std::uint64_t begin = 0;    ///< lists of smaller numbers were there before
  std::uint64_t objects = 0;  ///< objects of numbers up to this one were
  /// Of those: the names of the body that refer to one.
  std::unordered_map<std::string, std::uint64_t> lists{};
  std::unordered_set<std::uint64_t> grown{};  ///< lists that the body changed
  std::vector<Value> changed{};               ///< the same before they were
  /// Names that only a condition inside of the body makes: what they are before it does.
  std::map<std::string, ValueType> fresh{};
  std::unordered_set<std::string> missed{};  ///< attributes that were asked for, and not there
};

/// The names of the module, or of a call that is being run.
struct Scope {
  std::unordered_map<std::string, Value> names;
  std::vector<LoopFrame*> loops;  ///< outermost first
  std::uint32_t function = 0;     ///< the statement of its def
  /// The names of comprehensions that are being made, innermost last.
  std::vector<std::pair<std::string, Value>> inner;
  std::set<std::string> nonlocal;        ///< names of functions around it that it binds
  std::set<std::string> global;          ///< names of the module that it binds
  std::shared_ptr<Enclosing> enclosing;  ///< of functions defined in it
  std::shared_ptr<Enclosing> outer;      ///< of the function that is being run
  bool is_class = false;                 ///< of the body of a class
  const Class* enumerated = nullptr;     ///< that class, if it is an enum
  bool is_file = false;                  ///< of the body of an imported file
  std::size_t file = 0;                  ///< of the program's source, whose globals it sees
  int level = 0;                         ///< loops around that may be left, or whose iterations may
  bool returns_tuple = false;            ///< what is returned under a run-time condition
  std::size_t returns = 0;               ///< how many values these are
  std::optional<Value> returned;
  ast::ExprId returned_expr = ast::kNoExpr;
};

/// A file that the program imports, imports.cpp. Before it has run its names are those of a
/// call; then they are held as those of a class are.
struct FileModule {
  std::string name;
  const ModuleFile* file = nullptr;
  std::size_t number = 0;            ///< of the source's files; 0: it is a folder
  ClassPtr names{};                  ///< null before it is imported
  Scope* running = nullptr;          ///< while its statements are executed
  std::vector<std::string> bound{};  ///< its names, after that
};

/// The last assignment of an array to a name of the module.
struct Assigned {
  SourceLocation place;
  NodePtr node;
};

/// What an outermost statement appends to a list.
struct Growth {
  RunList::Form form;
  bool open = false;  ///< it does
  Index room = 0;     ///< what there is room for
  Index added = 0;    ///< at most
};

/// What an unrolled loop may be, counted from when it began.
struct Work {
  std::uint64_t nodes = 0;
  std::uint64_t statements = 0;

  friend Work operator-(const Work& a, const Work& b) {
    return {a.nodes - b.nodes, a.statements - b.statements};
  }
};

/// How fast one grows.
struct Pace {
  explicit Pace(const Work& now) : begin(now), before(now), half(now) {}
  /// An iteration ends.
  void iterated(const Work& now);

  Work begin;
  Work before;  ///< the next iteration
  Work half;    ///< after half of those up to the last power of two
  Work last{};  ///< the last iteration's; of steady ones the mean of the second half
  Index iterations = 0;
  bool is_steady = false;  ///< the second half of them was no shorter than the first
};

/// Why the block that was read last does not settle: it binds the items of these lists anew, and
/// these names to what is no number and no array, or is None in some iterations; and it appends to
/// lists that only other lists and dictionaries hold.
struct Unsettled {
  std::set<std::uint64_t> lists{};
  std::map<std::string, bool> names{};  ///< and whether they become None
  std::set<std::uint64_t> unnamed{};
  [[nodiscard]] bool any() const { return !lists.empty() || !names.empty() || !unnamed.empty(); }
};

/// Of loops with Inlined statements: these and the loop itself, and which loop it is.
struct Alternative {
  std::uint32_t begin, end, loop;
};

}  // namespace rewriter
