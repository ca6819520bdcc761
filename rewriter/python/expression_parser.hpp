// Tokens to expressions: operator precedence over one explicit stack of operators and open
// brackets.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rewriter/python/ast.hpp"
#include "rewriter/python/literals.hpp"
#include "rewriter/python/token_cursor.hpp"

namespace rewriter::ast {

/// Appends expressions to a program. One parser serves a whole program, since it keeps equal names
/// together.
class ExpressionParser {
 public:
  /// Both must outlive the parser.
  ExpressionParser(Program& program, TokenCursor& cursor) : program_(program), cursor_(cursor) {}

  enum class Commas { MakeTuple, End };
  /// Whether `in` is an operator, or ends the expression, which is what a loop assigns.
  enum class Membership { Compares, Ends };

  /// Parses from the cursor to the first token outside of brackets that cannot continue the
  /// expression, and leaves the cursor there. At the statement's level a comma makes a tuple or
  /// ends the expression. Returns the expression's root, the last node of the program.
  ExprId parse(Commas commas, Membership membership = Membership::Compares);

  /// The same of a condition, where `name := value` needs no parentheses.
  ExprId parse_condition();

  /// `PATTERN` or `PATTERN if GUARD`, of the value of the name: a Case.
  ExprId parse_case(const std::string& subject);
  /// A Name that programs cannot have.
  ExprId hidden_name(const std::string& name);

  /// The parameters of a def or a lambda, up to `end`; their defaults are expressions of the
  /// program. Only those of a def have annotations.
  std::vector<Parameter> parameters(TokenKind end);

  /// Reports an expression that cannot be assigned to.
  void check_target(ExprId id, int most_stars = 1) const;

  /// The Name that the token spells.
  ExprId name(const Token& token);

  /// A String of that text, as if it were there.
  ExprId text(const std::string& text, Span span);

  /// The index in Program::strings of a name as spelled in the source.
  std::uint32_t intern_name(std::string_view name);

  /// Forgets an expression whose parsing failed.
  void reset() {
    frames_.clear();
    operands_.clear();
    around_ = {};
    depth_ = 0;
  }

  /// Reports the token at the cursor, where an expression has ended, as one that may not follow it.
  [[noreturn]] void fail_after_operand() const;

 private:
  enum class State { WantOperand, HaveOperand, Done };

  // An operator whose right operand is not complete, or a bracket that is open. At the bottom: the
  // statement.
  struct Frame {
    enum class Kind : std::uint8_t {
      Statement,
      Group,
      List,
      Brace,
      Call,
      Subscript,
      Prefix,
      Infix,
      Condition,  // after `a if`
      Choice,     // after `a if b else`
      Starred,
      DoubleStarred,
    };
    Kind kind = Kind::Statement;
    Operator op = Operator::None;
    std::uint8_t precedence = 0;
    std::uint8_t colons = 0;     // Subscript: of the slice that is being read; Brace: 1 after a key
    bool comma = false;          // a comma was read
    bool keywords = false;       // Call: a keyword argument was read
    bool unpacked = false;       // Call: a `**` argument was read
    bool pairs = false;          // Brace: a key and its value were read
    bool comprehension = false;  // it is one, complete
    Span token;                  // the operator or the opening bracket
    Span keyword;                // Call: the name of the argument that is being read; empty if none
    std::uint32_t base = 0;      // a bracket's first operand; the callee or object if it has one
    std::uint32_t slice_begin = 0;
  };

  // A complete operand: its span includes enclosing parentheses.
  struct Operand {
    ExprId id = kNoExpr;
    Span span;
    int depth = 0;  // of a list, a tuple, a set or a dictionary, with those that it holds
  };

  bool is_operator(const Frame& frame) const { return frame.kind >= Frame::Kind::Prefix; }
  bool in_bracket() const {
    std::size_t last = frames_.size() - 1;
    while (is_operator(frames_[last])) --last;
    return frames_[last].kind != Frame::Kind::Statement;
  }
  void push_bracket(Frame::Kind kind, const Token& token, std::size_t base);

  /// What one expression's parsing keeps.
  struct Around {
    Commas commas = Commas::MakeTuple;
    Membership membership = Membership::Compares;
    bool clause = false;  // of a comprehension: `if` begins another one
    bool named = false;   // := needs no parentheses
  };
  /// Parses an expression inside of the one that is being parsed: it becomes an operand of that.
  void nested(Around around);
  void parse_around(Around around);

  State read_operand();
  State read_operator();
  State starred();
  State lambda();
  State walrus();
  State comprehension();
  Parameter parameter(const std::vector<Parameter>& before, bool annotated, bool keywords_only);
  State joined_leaf();
  std::size_t joined_pieces(Span part, std::string_view prefix, int depth);
  std::uint32_t replacement_end(Span part, std::uint32_t at) const;
  std::uint32_t replacement(Span part, Span inside, std::string_view prefix, int depth);
  bool at_joined() const;
  State leaf(ExprKind kind, std::uint32_t payload, Span span);
  State string_leaf();
  State name_or_keyword_argument();
  State prefix(Operator op);
  State logical_not();
  State infix(const Token& token, Operator op, std::uint8_t precedence);
  void chain(const Token& token);
  State condition();
  State choice();
  State attribute();
  State separator();
  State colon(bool have_operand);
  State close(bool have_operand);
  State end(bool have_operand);

  void reduce(std::uint8_t precedence);
  void reduce_one();
  void finish_element(bool have_operand);
  void finish_slice();
  void unwrap_index_tuple(const Frame& frame);
  void check_repeated_keywords(const Frame& frame);

  // Makes a node of the last `count` operands and replaces them by it.
  void make(ExprKind kind, Operator op, std::uint32_t payload, std::size_t count, Span span,
            Span token);

  [[noreturn]] void fail_operand() const;
  void check_value(const StringValue& value, Span span) const;
  std::uint32_t intern(std::string text);

  Program& program_;
  TokenCursor& cursor_;
  Around around_;
  int depth_ = 0;  // of expressions that are parsed inside of others
  std::vector<Frame> frames_;
  std::vector<Operand> operands_;
  std::unordered_map<std::string, std::uint32_t> interned_;
  std::unordered_map<std::string_view, std::uint32_t> names_;  // as spelled; views of the source
};

}  // namespace rewriter::ast
