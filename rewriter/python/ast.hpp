// The syntax tree of a program: what was written, before anything is known of shapes or names.
//
// Expressions are stored flat, in one vector, in post-order: a node's children come before it, and
// the nodes of a subtree are exactly exprs[node.first .. node] with no others between. So whatever
// works on an expression is one loop over indices with a value per node, at any depth:
//
//     for (ExprId id = program[root].first; id <= root; ++id) value[id] = evaluate(program[id]);
//
// Parentheses leave no node. Nothing here recurses, and destruction is that of a few vectors.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "rewriter/text/source.hpp"

namespace rewriter::ast {

/// Index of an expression in Program::exprs.
using ExprId = std::uint32_t;
/// Where a part is absent: the start of the slice `:3`.
inline constexpr ExprId kNoExpr = std::numeric_limits<ExprId>::max();

enum class ExprKind : std::uint8_t {
  Number,         // program.number(e)
  String,         // program.string(e): the value, escapes decoded, adjacent literals joined
  Name,           // program.string(e)
  None,           // also np.newaxis in a subscript, once names have meanings
  True,           //
  False,          //
  Ellipsis,       // only in a subscript
  Unary,          // op; children: operand
  Binary,         // op; children: left, right (and / or: nested to the left)
  Compare,        // op; children: left, right; a < b < c is a < b and b < c, its parts copied
  Conditional,    // children: value, condition, the value if it is false
  Attribute,      // program.string(e) is the attribute; children: object
  Call,           // children: callee, positional arguments, Keyword arguments
  Keyword,        // program.string(e) is the parameter; children: value; only in a Call
  Subscript,      // children: object, then an expression, Slice, Ellipsis or None for each index;
                  // x[(i, j)] has two indices, as x[i, j]
  Slice,          // children: start, stop, step, each kNoExpr if absent; only in a Subscript
  Tuple,          // children: elements
  List,           // children: elements
  Set,            // children: elements
  Dict,           // children: key, value, key, value, ...; of `**other` the key is kNoExpr
  Starred,        // *value; children: value; in a Call, a Tuple, a List or a Set
  DoubleStarred,  // **value; children: value; only in a Call
  Named,          // program.string(e) := value; children: value
  Lambda,         // program.lambdas[payload]; children: the defaults that there are, then its value
  Comprehension,  // payload: a Bracket; children: element, or key and value; then Generators
  Generator,      // children: target, what it runs over, conditions
  Joined,         // an f-string; children: String, Formatted
  Case,           // children: a Name, the pattern that its value has, perhaps a guard
  Formatted,      // program.string(e): "", "r", "s" or "a"; children: value, format or kNoExpr
};

/// What a comprehension makes.
enum class Bracket : std::uint8_t { List, Set, Dict, Generator };

/// Also the operator of an augmented assignment. The bitwise and Boolean ones are syntax here; what
/// they mean on arrays, and whether they are supported, is for the next stage to say.
enum class Operator : std::uint8_t {
  None,
  // unary
  Negative,
  Positive,
  Invert,
  Not,
  // binary
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Modulo,
  MatMul,
  Power,
  BitAnd,
  BitOr,
  BitXor,
  LeftShift,
  RightShift,
  And,
  Or,
  // comparison
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Is,
  IsNot,
  In,
  NotIn,
};

/// "+" for Add, "not" for Not, "" for None.
std::string_view spelling(Operator op);

struct Number {
  /// BigInteger: an integer that does not fit 64 bits; `real` is its nearest double.
  /// Imaginary: `2j`; `real` is the 2.
  enum class Kind : std::uint8_t { Integer, Real, BigInteger, Imaginary };
  Kind kind = Kind::Integer;
  std::int64_t integer = 0;  // of Kind::Integer
  double real = 0;           // of every kind, correctly rounded; infinite if too large for a double
};

struct Expr {
  ExprKind kind = ExprKind::None;
  Operator op = Operator::None;
  std::uint32_t payload = 0;      // into Program::strings or Program::numbers, by kind
  ExprId first = 0;               // first node of the subtree that ends here
  std::uint32_t children = 0;     // into Program::links
  std::uint32_t child_count = 0;  //
  Span span;                      // all of it, without enclosing parentheses
  Span token;  // operator, attribute, '(' of a call, '[' of a subscript; else span
};

enum class StatementKind : std::uint8_t {
  Assign,      // targets; value:      a = value, a = b = value, (a, b) = value, x[0:2] = value
  AugAssign,   // one target; op; value:     a += value, x[0] *= value
  Annotation,  // one target, a Name; annotation; value or kNoExpr: X: (2, 3), X: (2, 3) = value
  Import,      // imports
  Expression,  // value
  Pass,
  Return,  // value or kNoExpr
  Break,
  Continue,
  Assert,     // value; annotation: the message or kNoExpr
  Delete,     // targets
  Raise,      // value: the exception or kNoExpr
  Nonlocal,   // value: the name, or a tuple of names
  Global,     // likewise
  Unread,     // value: a String, what is not supported in the body of the class around it
  Yield,      // value or kNoExpr
  YieldFrom,  // value
  // Compound statements: the statements of their bodies follow them, up to `end`, and then those of
  // the else, up to `else_end`.
  For,     // one target; value: what it runs over
  While,   // value: the condition
  If,      // value: the condition
  Module,  // a file that others import, after all statements of those before it
  Def,     // targets: its name; parameters; decorators
  Class,  // targets: its name; value: its name, or a Call of it with bases and keywords; decorators
  With,   // value: what is entered; perhaps one target
  // Its block ends at `end`; then follow, up to `else_end`, Handlers and perhaps an Else and a
  // Finally.
  Try,
  Handler,  // value: the exceptions' classes or kNoExpr; perhaps one target, a name
  Else,     //
  Finally,  //
  // After a For, once for each generator or generator expression that it may run over: the
  // statements of the generator, with those of the loop's body where it yields; see inlining.hpp.
  // Its block is run by the For alone.
  Inlined,
};

/// One parameter of a Def or a Lambda: NAME, NAME: annotation, NAME=value, *NAME, **NAME.
struct Parameter {
  enum class Kind : std::uint8_t { Plain, KeywordOnly, Rest, Keywords } kind = Kind::Plain;
  std::string name;
  ExprId annotation = kNoExpr;
  ExprId value = kNoExpr;
  Span span;
};

/// A Lambda's parameters, in Program::parameters.
struct LambdaParameters {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// One name of an import statement.
///     import numpy as np        module "numpy", name "",    alias "np"
///     import numpy.linalg       module "numpy.linalg", name "", alias "numpy" (what Python binds)
///     from numpy import exp     module "numpy", name "exp", alias "exp"
///     from numpy import *       module "numpy", name "*",   alias ""
///     from ..a import f         module "..a", name "f",     alias "f"
struct ImportedName {
  std::string module;
  std::string name;
  std::string alias;  // the name that the program gets
  Span span;
  bool is_renamed = false;  // it has `as`
};

/// A target is a Name, an Attribute, a Subscript, a Tuple or List of targets, or a Starred one in
/// these; nothing else is let through. A target's outermost node is written to, not read;
/// everything inside a Subscript or an Attribute target is read. String statements (docstrings)
/// leave no statement.
struct Statement {
  StatementKind kind = StatementKind::Pass;
  Operator op = Operator::None;
  Span span;                  // without the line end, comment or semicolon
  Span token;                 // the operator of an AugAssign; else span
  int line = 0;               // first and last line in the source
  int last_line = 0;          //
  std::uint32_t targets = 0;  // into Program::links
  std::uint32_t target_count = 0;
  ExprId value = kNoExpr;
  ExprId annotation = kNoExpr;
  std::uint32_t imports = 0;  // into Program::imports
  std::uint32_t import_count = 0;
  std::uint32_t parameters = 0;  // into Program::parameters
  std::uint32_t parameter_count = 0;
  std::uint32_t decorators = 0;       // into Program::links, the outermost first
  std::uint32_t decorator_count = 0;  //
  std::uint32_t end = 0;              // of a compound statement: the index after its body
  std::uint32_t else_end = 0;         // the index after its else part; `end` if it has none
  bool is_generator = false;          // of a Def: a `yield` is in it
  std::uint32_t def = 0;              // of an Inlined: the generator's Def, if it has one
  std::uint32_t iterable = 0;         // of an Inlined: into Program::iterables
};

/// What a `for` runs over, as its text says: a generator within calls of enumerate, zip and islice.
struct Iterable {
  struct Call {
    enum class Kind : std::uint8_t { Enumerate, Zip, Islice } kind;
    std::uint32_t place = 0;  ///< of what is within it among its arguments
    std::uint32_t count = 0;  ///< of its arguments
  };
  std::vector<Call> calls{};  ///< the outermost first
  ExprId generator = kNoExpr;
};

/// A parsed program. Statements are in source order, file by file; a compound statement comes
/// before its body, which ends before the statement `end`. An elif is an If alone in the else part.
struct Program {
  explicit Program(Source text) : source(std::move(text)) {}

  const Expr& operator[](ExprId id) const { return exprs[id]; }
  std::span<const ExprId> children(const Expr& e) const {
    return {links.data() + e.children, e.child_count};
  }
  std::span<const ExprId> children(ExprId id) const { return children(exprs[id]); }
  ExprId child(ExprId id, std::size_t i) const { return children(id)[i]; }
  /// Of a Name, String, Attribute or Keyword. Equal texts have equal payloads.
  const std::string& string(const Expr& e) const { return strings[e.payload]; }
  const std::string& string(ExprId id) const { return string(exprs[id]); }
  const Number& number(const Expr& e) const { return numbers[e.payload]; }
  const Number& number(ExprId id) const { return number(exprs[id]); }

  std::span<const ExprId> targets(const Statement& s) const {
    return {links.data() + s.targets, s.target_count};
  }
  std::span<const ExprId> decorators_of(const Statement& s) const {
    return {links.data() + s.decorators, s.decorator_count};
  }
  std::span<const ImportedName> imported(const Statement& s) const {
    return {imports.data() + s.imports, s.import_count};
  }
  std::span<const Parameter> parameters_of(const Statement& s) const {
    return {parameters.data() + s.parameters, s.parameter_count};
  }
  std::span<const Parameter> parameters_of(const LambdaParameters& lambda) const {
    return {parameters.data() + lambda.first, lambda.count};
  }
  /// The statement as written; of a compound one the line before its body.
  std::string_view text(const Statement& s) const { return source.slice(s.span); }
  std::string_view text(ExprId id) const { return source.slice(exprs[id].span); }

  /// The end of the statements of the first file.
  [[nodiscard]] std::uint32_t first_file_end() const {
    return modules.empty() ? static_cast<std::uint32_t>(statements.size()) : modules[0];
  }

  Source source;
  std::vector<Statement> statements;
  std::vector<std::uint32_t> modules;  // the Module statements, one for each file after the first
  std::vector<Expr> exprs;
  std::vector<ExprId> links;  // the children of each expression and the targets of each statement
  std::vector<Number> numbers;
  std::vector<std::string> strings;  // each text once
  std::vector<ImportedName> imports;
  std::vector<Parameter> parameters;
  std::vector<LambdaParameters> lambdas;
  std::vector<Iterable> iterables;
  std::unordered_set<ExprId> inlined_expressions;  // generator expressions that have an Inlined
};

/// A name that a statement binds, or a part of whose value it writes: x[0] = 1, x.T[0] += 1.
struct TargetName {
  const std::string& name;
  bool binds = true;
};
/// The statement after one and, of a compound statement, after its block and its else.
inline std::uint32_t after(const Program& program, std::uint32_t statement) {
  const Statement& s = program.statements[statement];
  return s.kind < StatementKind::For ? statement + 1 : s.else_end;
}
/// Whether its block has names of its own: a function's, a class's or a module's.
inline bool has_scope(const Statement& s) {
  return s.kind == StatementKind::Def || s.kind == StatementKind::Class ||
         s.kind == StatementKind::Module;
}
/// Those of its targets, in their order.
std::vector<TargetName> target_names(const Program& program, const Statement& statement);

/// How statements may leave the block that they are in.
struct Jumps {
  bool breaks = false, continues = false, returns = false;
  [[nodiscard]] bool any() const { return breaks || continues || returns; }
  [[nodiscard]] bool leave_loop() const { return breaks || returns; }
};
/// Of statements [begin, end), taken as the body of a loop or of a function.
Jumps jumps_in(const Program& program, std::uint32_t begin, std::uint32_t end);

}  // namespace rewriter::ast
