// The parser against Python's own: same trees, same values, same places, over a corpus of written,
// generated and mutated programs, in one Python process.
#include <algorithm>
#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <span>
#include <sstream>

#include "rewriter/python/inlining.hpp"
#include "rewriter/python/parser.hpp"
#include "rewriter/text/unicode.hpp"
#include "tests/python.hpp"
#include "tests/rewriter_parser_corpus.hpp"
#include "tests/rewriter_parser_generator.hpp"

namespace rewriter::ast {
namespace {

// Prints each program of a file of zero-separated programs on a line: its statements as
// S-expressions with byte offsets, "outside" if it holds what the notation lacks, or "error".
constexpr const char* kScript = R"PY(
import ast, struct, sys, warnings

warnings.simplefilter("ignore")
OPERATORS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "MatMult": "@",
    "Pow": "**", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "And": "and", "Or": "or",
    "USub": "-", "UAdd": "+", "Invert": "~", "Not": "not",
    "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in", "LShift": "<<", "RShift": ">>",
}
DROPPED = ("jit", "njit", "profile", "autojit")  # decorators
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

class Outside(Exception):
    pass

def operator(node):
    name = type(node).__name__
    if name not in OPERATORS:
        raise Outside
    return OPERATORS[name]

def constant(value):
    if value is None or value is True or value is False:
        return str(value)
    if value is Ellipsis:
        return "..."
    if isinstance(value, str):
        return "str:" + value.encode("utf-8", "surrogatepass").hex()
    if isinstance(value, int):
        if value < 2 ** 63:
            return "int:%d" % value
        try:
            value = float(value)
        except OverflowError:
            value = float("inf")
        return "big:" + struct.pack(">d", value).hex()
    if isinstance(value, complex):
        return "imaginary:" + struct.pack(">d", value.imag).hex()
    if isinstance(value, float):
        return "real:" + struct.pack(">d", value).hex()
    raise Outside

class Printer:
    def __init__(self, text):
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def at(self, n):
        return "@%d-%d" % (self.starts[n.lineno - 1] + n.col_offset,
                           self.starts[n.end_lineno - 1] + n.end_col_offset)

    def node(self, head, n, *children):
        parts = [head + self.at(n)] + [self.show(c) for c in children]
        return "(" + " ".join(parts) + ")"

    def indices(self, s):
        is_one = isinstance(s, ast.Tuple) and len(s.elts) == 1 and not isinstance(s.elts[0], ast.Slice)
        return s.elts if isinstance(s, ast.Tuple) and not is_one else [s]

    def chain(self, n):
        operands = [self.show(c) for c in [n.left] + n.comparators]
        result = ""
        for op, left, right in zip(n.ops, operands, operands[1:]):
            part = "(" + operator(op) + " " + left + " " + right + ")"
            result = "(chain " + result + " " + part + ")" if result else part
        return result

    def show(self, n):
        if n is None:
            return "_"
        t = type(n)
        if t is ast.Constant and isinstance(n.value, bytes):
            at = self.at(n)
            letters = [constant(text) for text in (n.value.decode("latin-1"), "latin-1")]
            return f"(call{at} name:bytes{at} {letters[0]}{at} {letters[1]}{at})"
        if t is ast.Constant:
            return constant(n.value) + self.at(n)
        if t is ast.Name:
            return "name:" + n.id + self.at(n)
        if t is ast.UnaryOp:
            return self.node("unary" + operator(n.op), n, n.operand)
        if t is ast.BinOp:
            return self.node(operator(n.op), n, n.left, n.right)
        if t is ast.BoolOp:
            result = self.show(n.values[0])
            for value in n.values[1:]:
                result = "(" + operator(n.op) + " " + result + " " + self.show(value) + ")"
            return result
        if t is ast.Compare:
            if len(n.ops) > 1:
                return self.chain(n)
            return self.node(operator(n.ops[0]), n, n.left, n.comparators[0])
        if t is ast.Attribute:
            return self.node("." + n.attr, n, n.value)
        if t is ast.Call:
            return self.node("call", n, n.func, *n.args, *n.keywords)
        if t is ast.keyword and n.arg is not None:
            return self.node("keyword:" + n.arg, n, n.value)
        if t is ast.Subscript:
            return self.node("subscript", n, n.value, *self.indices(n.slice))
        if t is ast.Slice:
            return self.node("slice", n, n.lower, n.upper, n.step)
        if t is ast.Tuple:
            return self.node("tuple", n, *n.elts)
        if t is ast.List:
            return self.node("list", n, *n.elts)
        if t is ast.IfExp:
            return self.node("choose", n, n.body, n.test, n.orelse)
        if t is ast.Set:
            return self.node("set", n, *n.elts)
        if t is ast.Dict:
            pairs = [part for pair in zip(n.keys, n.values) for part in pair]
            return self.node("dict", n, *pairs)
        if t is ast.Starred:
            return self.node("star", n, n.value)
        if t is ast.keyword:
            return "(stars " + self.show(n.value) + ")"
        if t is ast.NamedExpr:
            return self.node("named:" + n.target.id, n, n.value)
        if t is ast.Lambda:
            return "(lambda%s%s %s)" % (self.at(n), self.parameters(n.args), self.show(n.body))
        if t in (ast.ListComp, ast.SetComp, ast.GeneratorExp):
            return self.comprehension(t.__name__, n, [n.elt])
        if t is ast.DictComp:
            return self.comprehension("DictComp", n, [n.key, n.value])
        if t is ast.JoinedStr:
            return "(joined" + self.pieces(n) + ")"
        raise Outside

    def comprehension(self, name, n, elements):
        if any(g.is_async for g in n.generators):
            raise Outside
        clauses = [[g.target, g.iter] + g.ifs for g in n.generators]
        texts = ["(for " + " ".join(self.show(part) for part in clause) + ")" for clause in clauses]
        parts = [self.show(e) for e in elements] + texts
        return "(" + name + self.at(n) + " " + " ".join(parts) + ")"

    # The places of f-strings' parts are no use before Python 3.12: shown without, texts joined.
    def pieces(self, n):
        result, text = "", ""
        for value in n.values:
            if type(value) is ast.Constant:
                text += value.value
                continue
            if text:
                result += " str:" + text.encode("utf-8", "surrogatepass").hex()
            text = ""
            printer = Printer(b"")
            printer.at = lambda n: ""
            shown = printer.show(value.value)
            conversion = "" if value.conversion < 0 else chr(value.conversion)
            format = "_" if value.format_spec is None else "(joined" + self.pieces(value.format_spec) + ")"
            result += " (formatted:%s %s %s)" % (conversion, shown, format)
        return result + (" str:" + text.encode("utf-8", "surrogatepass").hex() if text else "")

    def block(self, statements):
        return "[" + " ".join(self.statement(s) for s in statements if not is_text(s)) + "]"

    # A body that holds what the notation lacks is not shown.
    def class_body(self, statements):
        try:
            return self.block(statements)
        except Outside:
            return "[(unread)]"

    def decorators(self, s):
        kept = [d for d in s.decorator_list if called_name(d) not in DROPPED]
        return "".join(" @" + self.show(d) for d in kept)

    def parameters(self, a):
        plain = a.posonlyargs + a.args
        defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
        named = [("", p, d) for p, d in zip(plain, defaults)]
        named += [("*", a.vararg, None)] if a.vararg else []
        named += [("=", p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        named += [("**", a.kwarg, None)] if a.kwarg else []
        return "".join(" %s%s:%s:%s" % (mark, p.arg, self.show(p.annotation), self.show(d))
                       for mark, p, d in named)

    def statement(self, s):
        t = type(s)
        if t is ast.Assign and type(s.value) is ast.Yield:
            return self.node("yield", s, *s.targets, *([s.value.value] if s.value.value else []))
        if t is ast.Assign:
            return self.node("assign", s, *s.targets, s.value)
        if t is ast.AugAssign:
            return self.node("augment" + operator(s.op), s, s.target, s.value)
        if t is ast.AnnAssign:
            return self.node("annotate", s, s.target, s.annotation, s.value)
        if t is ast.Expr and type(s.value) is ast.Constant and s.value.value is Ellipsis:
            return self.node("pass", s)
        if t is ast.Expr and type(s.value) is ast.Yield:
            return self.node("yield", s, *([s.value.value] if s.value.value else []))
        if t is ast.Expr and type(s.value) is ast.YieldFrom:
            return self.node("yield from", s, s.value.value)
        if t is ast.Expr:
            return self.node("expression", s, s.value)
        if t is ast.Pass:
            return self.node("pass", s)
        if t is ast.Break:
            return self.node("break", s)
        if t is ast.Continue:
            return self.node("continue", s)
        if t is ast.Assert:
            return self.node("assert", s, s.test, *([s.msg] if s.msg else []))
        if t is ast.Delete:
            targets = " ".join(self.show(target) for target in s.targets)
            return "(delete" + self.at(s) + " " + targets + ")"
        if t is ast.Return:
            return self.node("return", s, *([s.value] if s.value else []))
        if t in (ast.Nonlocal, ast.Global):
            return "(" + t.__name__.lower() + self.at(s) + " " + " ".join(s.names) + ")"
        if t is ast.Raise:
            if s.cause:
                self.show(s.cause)
            return self.node("raise", s, *([s.exc] if s.exc else []))
        start = self.at(s).split("-")[0]
        if t is ast.ExceptHandler:
            return "(handler%s %s %s %s)" % (start, self.show(s.type), s.name or "_",
                                             self.block(s.body))
        if t is ast.Try:
            parts = [self.block(s.body)] + [self.statement(h) for h in s.handlers]
            parts += ["(else %s)" % self.block(s.orelse)] if s.orelse else []
            parts += ["(finally %s)" % self.block(s.finalbody)] if s.finalbody else []
            return "(try%s %s)" % (start, " ".join(parts))
        if t is ast.With:
            text = self.block(s.body)
            for item in reversed(s.items):
                text = "[(with%s %s %s %s)]" % (start, self.show(item.context_expr),
                                                self.show(item.optional_vars), text)
            return text[1:-1]
        if t is ast.ClassDef:
            bases = "".join(" " + self.show(base) for base in s.bases + s.keywords)
            return "(class%s %s%s%s %s)" % (start, s.name, bases, self.decorators(s),
                                            self.class_body(s.body))
        if t is ast.For:
            return "(for%s %s %s %s %s)" % (start, self.show(s.target), self.show(s.iter),
                                            self.block(s.body), self.block(s.orelse))
        if t is ast.While:
            return "(while%s %s %s %s)" % (start, self.show(s.test), self.block(s.body),
                                           self.block(s.orelse))
        if t is ast.If:
            return "(if%s %s %s %s)" % (start, self.show(s.test), self.block(s.body),
                                        self.block(s.orelse))
        if t is ast.FunctionDef:
            head = "generator" if yields(s.body) else "def"
            return "(%s%s %s%s%s %s)" % (head, start, s.name, self.parameters(s.args),
                                         self.decorators(s), self.block(s.body))
        if t is ast.Import:
            names = [(a.name, "", a.asname or a.name.split(".")[0]) for a in s.names]
        elif t is ast.ImportFrom:
            names = [("." * s.level + (s.module or ""), a.name, a.asname or ("" if a.name == "*" else a.name))
                     for a in s.names]
        else:
            raise Outside
        return "(import" + self.at(s) + "".join(" %s|%s|%s" % name for name in names) + ")"

def is_text(s):
    return type(s) is ast.Expr and type(s.value) is ast.Constant and isinstance(s.value.value, str)

def called_name(decorator):
    called = decorator.func if type(decorator) is ast.Call else decorator
    return getattr(called, "attr", getattr(called, "id", ""))

# Whether a `yield` is in them that is not in a scope inside.
def yields(nodes):
    return any(type(n) in (ast.Yield, ast.YieldFrom) or
               type(n) not in SCOPES and yields(ast.iter_child_nodes(n)) for n in nodes)

for program in open(sys.argv[1], "rb").read().split(b"\0"):
    try:
        printer = Printer(program)
        line = printer.block(ast.parse(program).body)
    except (SyntaxError, ValueError):
        line = "error"
    except Outside:
        line = "outside"
    sys.stdout.buffer.write(line.encode() + b"\n")
)PY";

std::string at(Span span) {
  return fmt::format("@{}-{}", span.begin, span.end);
}

std::string bits(double value) {
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value));
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() const { return block(0, program_.statements.size()); }

 private:
  std::string block(std::size_t begin, std::size_t end) const {
    std::string text = "[";
    for (std::size_t i = begin; i < end;) {
      const Statement& s = program_.statements[i];
      if (i > begin) text += ' ';
      if (s.kind >= StatementKind::For) {
        text += compound(s, i);
        i = s.else_end;
      } else {
        text += statement(s);
        ++i;
      }
    }
    return text + "]";
  }

  std::string compound(const Statement& s, std::size_t i) const {
    const std::string start = fmt::format("@{}", s.span.begin);
    const std::string body = block(i + 1, s.end);
    switch (s.kind) {
      case StatementKind::For:
        return fmt::format("(for{} {} {} {} {})", start, target(s), show(s.value), body,
                           block(s.end, s.else_end));
      case StatementKind::If:
      case StatementKind::While:
        return fmt::format("({}{} {} {} {})", s.kind == StatementKind::If ? "if" : "while", start,
                           show(s.value), body, block(s.end, s.else_end));
      case StatementKind::With:
        return fmt::format("(with{} {} {} {})", start, show(s.value), target(s), body);
      case StatementKind::Try: {
        const std::string parts = block(s.end, s.else_end);
        return fmt::format("(try{} {} {})", start, body, parts.substr(1, parts.size() - 2));
      }
      case StatementKind::Handler:
        return fmt::format("(handler{} {} {} {})", start, show(s.value),
                           s.target_count > 0 ? program_.string(program_.targets(s)[0]) : "_",
                           body);
      case StatementKind::Else:
      case StatementKind::Finally:
        return fmt::format("({} {})", s.kind == StatementKind::Else ? "else" : "finally", body);
      case StatementKind::Class:
        return fmt::format("(class{} {}{}{} {})", start, program_.string(program_.targets(s)[0]),
                           bases(s.value), decorators(s), body);
      default:
        return fmt::format("({}{} {}{}{} {})", s.is_generator ? "generator" : "def", start,
                           program_.string(program_.targets(s)[0]),
                           parameters(program_.parameters_of(s)), decorators(s), body);
    }
  }

  std::string target(const Statement& s) const {
    return s.target_count > 0 ? show(program_.targets(s)[0]) : "_";
  }

  std::string decorators(const Statement& s) const {
    std::string text;
    for (const ExprId decorator : program_.decorators_of(s)) text += " @" + show(decorator);
    return text;
  }

  std::string bases(ExprId value) const {
    if (program_[value].kind != ExprKind::Call) return "";
    std::string text;
    for (const ExprId part : in_python_order(program_.children(value).subspan(1)))
      text += ' ' + show(part);
    return text;
  }

  std::string parameters(std::span<const Parameter> parameters) const {
    std::string text;
    for (const Parameter& p : parameters) {
      const char* mark = p.kind == Parameter::Kind::Rest          ? "*"
                         : p.kind == Parameter::Kind::Keywords    ? "**"
                         : p.kind == Parameter::Kind::KeywordOnly ? "="
                                                                  : "";
      text += fmt::format(" {}{}:{}:{}", mark, p.name, show(p.annotation), show(p.value));
    }
    return text;
  }

  std::string statement(const Statement& s) const {
    if (s.kind == StatementKind::Unread) return "(unread)";
    std::string text = "(" + head(s) + at(s.span);
    for (const ExprId target : program_.targets(s)) {
      const bool several = s.kind == StatementKind::Delete &&
                           program_[target].kind == ExprKind::Tuple &&
                           program_.source.text()[program_[target].span.begin] != '(';
      if (!several) text += ' ' + show(target);
      for (const ExprId part : program_.children(target))
        if (several) text += ' ' + show(part);
    }
    if (s.kind == StatementKind::Annotation)
      text += ' ' + show(s.annotation) + ' ' + show(s.value);
    else if (s.kind == StatementKind::Nonlocal || s.kind == StatementKind::Global)
      for (const ExprId name : program_[s.value].kind == ExprKind::Name
                                   ? std::span(&s.value, 1)
                                   : program_.children(s.value))
        text += ' ' + program_.string(program_[name]);
    else if (s.value != kNoExpr)
      text += ' ' + show(s.value);
    if (s.kind == StatementKind::Assert && s.annotation != kNoExpr)
      text += ' ' + show(s.annotation);
    for (const ImportedName& i : program_.imported(s)) {
      text += fmt::format(" {}|{}|{}", i.module, i.name, i.alias);
    }
    return text + ")";
  }

  static std::string head(const Statement& s) {
    switch (s.kind) {
      case StatementKind::Assign:
        return "assign";
      case StatementKind::AugAssign:
        return "augment" + std::string(spelling(s.op));
      case StatementKind::Annotation:
        return "annotate";
      case StatementKind::Import:
        return "import";
      case StatementKind::Expression:
        return "expression";
      case StatementKind::Pass:
        return "pass";
      case StatementKind::Return:
        return "return";
      case StatementKind::Break:
        return "break";
      case StatementKind::Continue:
        return "continue";
      case StatementKind::Assert:
        return "assert";
      case StatementKind::Delete:
        return "delete";
      case StatementKind::Raise:
        return "raise";
      case StatementKind::Nonlocal:
        return "nonlocal";
      case StatementKind::Global:
        return "global";
      case StatementKind::Yield:
        return "yield";
      case StatementKind::YieldFrom:
        return "yield from";
      case StatementKind::Unread:
      case StatementKind::Inlined:
      case StatementKind::Module:
      case StatementKind::Handler:
      case StatementKind::With:
      case StatementKind::Try:
      case StatementKind::Else:
      case StatementKind::Finally:
      case StatementKind::Class:
      case StatementKind::For:
      case StatementKind::While:
      case StatementKind::If:
      case StatementKind::Def:
        break;
    }
    return "";
  }

  /// `a < b and b < c` that was written `a < b < c`: its operator is the second `<`.
  bool is_chain(const Expr& e) const {
    return e.op == Operator::And && program_.source.slice(e.token) != "and";
  }

  std::string chain(const Expr& e) const {
    const auto part = [this](ExprId id) {
      const Expr& comparison = program_[id];
      return is_chain(comparison)
                 ? chain(comparison)
                 : fmt::format("({} {} {})", spelling(comparison.op), show(program_.child(id, 0)),
                               show(program_.child(id, 1)));
    };
    const auto parts = program_.children(e);
    const std::string first = part(parts[0]);  // names what the second one reads
    return "(chain " + first + " " + part(parts[1]) + ")";
  }

  std::string show(ExprId id) const {
    if (id == kNoExpr) return "_";
    const Expr& e = program_[id];
    if (e.kind == ExprKind::Named && is_middle_name(program_.string(e)))
      return middles_[program_.string(e)] = show(program_.child(id, 0));
    if (e.kind == ExprKind::Name && is_middle_name(program_.string(e)))
      return middles_.at(program_.string(e));
    if (e.kind <= ExprKind::Ellipsis) return head(e) + at(e.span);
    if (is_chain(e)) return chain(e);
    if (e.kind == ExprKind::Joined) return "(joined" + pieces(id) + ")";
    if (e.kind == ExprKind::Lambda)
      return "(lambda" + at(e.span) +
             parameters(program_.parameters_of(program_.lambdas[e.payload])) + " " +
             show(program_.children(e).back()) + ")";
    if (e.kind == ExprKind::Generator || e.kind == ExprKind::DoubleStarred) {
      std::string text = e.kind == ExprKind::Generator ? "(for" : "(stars";
      for (const ExprId child : program_.children(e)) text += ' ' + show(child);
      return text + ")";
    }
    const bool boolean = e.op == Operator::And || e.op == Operator::Or;
    std::string text = "(" + head(e) + (boolean ? "" : at(e.span));
    for (const ExprId child : in_python_order(program_.children(e))) text += ' ' + show(child);
    return text + ")";
  }

  /// Keyword arguments come last in Python's trees.
  std::vector<ExprId> in_python_order(std::span<const ExprId> parts) const {
    std::vector<ExprId> result(parts.begin(), parts.end());
    std::stable_partition(result.begin(), result.end(), [this](ExprId part) {
      return part == kNoExpr || (program_[part].kind != ExprKind::Keyword &&
                                 program_[part].kind != ExprKind::DoubleStarred);
    });
    return result;
  }

  /// Of an f-string, without places; texts beside each other joined.
  std::string pieces(ExprId joined) const {
    std::string result;
    std::string text;
    const auto flush = [&] {
      if (!text.empty()) result += " " + text;
      text.clear();
    };
    for (const ExprId part : program_.children(joined)) {
      const Expr& e = program_[part];
      if (e.kind == ExprKind::String) {
        if (!program_.string(e).empty()) text += text.empty() ? head(e) : head(e).substr(4);
        continue;
      }
      flush();
      const ExprId format = program_.child(part, 1);
      std::string shown = show(program_.child(part, 0));
      shown = std::regex_replace(shown, std::regex("@[0-9]+-[0-9]+"), "");
      result += fmt::format(" (formatted:{} {} {})", program_.string(e), shown,
                            format == kNoExpr ? "_" : "(joined" + pieces(format) + ")");
    }
    flush();
    return result;
  }

  std::string head(const Expr& e) const {
    switch (e.kind) {
      case ExprKind::Number:
        return number(program_.number(e));
      case ExprKind::String: {
        std::string text = "str:";
        for (const char c : program_.string(e)) {
          text += fmt::format("{:02x}", static_cast<unsigned char>(c));
        }
        return text;
      }
      case ExprKind::Name:
        return "name:" + program_.string(e);
      case ExprKind::None:
        return "None";
      case ExprKind::True:
        return "True";
      case ExprKind::False:
        return "False";
      case ExprKind::Ellipsis:
        return "...";
      case ExprKind::Unary:
        return "unary" + std::string(spelling(e.op));
      case ExprKind::Binary:
      case ExprKind::Compare:
        return std::string(spelling(e.op));
      case ExprKind::Conditional:
        return "choose";
      case ExprKind::Attribute:
        return "." + program_.string(e);
      case ExprKind::Call:
        return "call";
      case ExprKind::Keyword:
        return "keyword:" + program_.string(e);
      case ExprKind::Subscript:
        return "subscript";
      case ExprKind::Slice:
        return "slice";
      case ExprKind::Tuple:
        return "tuple";
      case ExprKind::List:
        return "list";
      case ExprKind::Set:
        return "set";
      case ExprKind::Dict:
        return "dict";
      case ExprKind::Starred:
        return "star";
      case ExprKind::Named:
        return "named:" + program_.string(e);
      case ExprKind::Comprehension: {
        constexpr const char* kNames[] = {"ListComp", "SetComp", "DictComp", "GeneratorExp"};
        return kNames[e.payload];
      }
      case ExprKind::DoubleStarred:
      case ExprKind::Lambda:
      case ExprKind::Generator:
      case ExprKind::Joined:
      case ExprKind::Formatted:
      case ExprKind::Case:
        break;
    }
    return "";
  }

  static std::string number(const Number& n) {
    switch (n.kind) {
      case Number::Kind::Integer:
        return fmt::format("int:{}", n.integer);
      case Number::Kind::Real:
        return "real:" + bits(n.real);
      case Number::Kind::BigInteger:
        return "big:" + bits(n.real);
      case Number::Kind::Imaginary:
        return "imaginary:" + bits(n.real);
    }
    return "";
  }

  const Program& program_;
  /// What the middle of a chained comparison with calls is, which has a name.
  mutable std::map<std::string, std::string> middles_{};
};

// What Python prints for each program.
std::vector<std::string> ask_python(const std::vector<std::string>& programs) {
  std::string corpus;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (i > 0) corpus += '\0';
    corpus += programs[i];
  }
  const tests::TemporaryFolder folder;
  tests::write_file(folder / "corpus", corpus);
  std::istringstream printed(tests::run_python(kScript, {(folder / "corpus").string()}));
  std::vector<std::string> lines;
  for (std::string line; std::getline(printed, line);) lines.push_back(line);
  return lines;
}

// Errors where Python's grammar has none. UnsupportedErrors are, and those whose texts are these:
// Python finds them after its tree is made, or they are about characters.
bool may_have_tree(const ProgramError& error) {
  if (dynamic_cast<const UnsupportedError*>(&error) != nullptr) return true;
  for (const char* part : {"is not supported", "unexpected character", "is given twice",
                           "is not UTF-8", "the program ends after", "outside loop",
                           "outside function", "cannot be used here", "cannot be used inside"}) {
    if (error.message().find(part) != std::string::npos) return true;
  }
  return false;
}

// Programs that Python refuses must be refused; programs that it takes must give its tree, or be
// refused as outside of the notation. Returns how many gave a tree.
int compare(const std::vector<std::string>& programs) {
  const std::vector<std::string> expected = ask_python(programs);
  EXPECT_EQ(expected.size(), programs.size());
  if (expected.size() != programs.size()) return 0;
  int parsed = 0;
  int failures = 0;
  for (std::size_t i = 0; i < programs.size() && failures < 10; ++i) {
    std::string tree;
    std::string refusal;
    bool has_tree = false;
    try {
      tree = Printer(parse(Source("prog.py", programs[i]))).run();
    } catch (const ProgramError& error) {
      refusal = error.what();
      has_tree = may_have_tree(error);
    }
    // a class with what is outside of the notation: what follows in it is passed over
    if (tree.find("(unread)") != std::string::npos) continue;
    if (refusal.empty()) {
      ++parsed;
      EXPECT_EQ(tree, expected[i]) << programs[i];
      failures += tree != expected[i];
    } else if (expected[i] != "error") {
      EXPECT_TRUE(has_tree) << programs[i] << '\n' << refusal;
      failures += !has_tree;
    }
  }
  return parsed;
}

TEST(ParserAgainstPython, WrittenProgramsHaveItsTrees) {
  CUDAMAT_NEEDS_NUMPY();
  EXPECT_EQ(compare(kTaken), static_cast<int>(kTaken.size()));
  for (const std::string& program : kTaken) EXPECT_NO_THROW(parse(Source("prog.py", program)));
}

TEST(ParserAgainstPython, WhatIsOutsideIsRefusedAsSuch) {
  CUDAMAT_NEEDS_NUMPY();
  EXPECT_EQ(compare(kOutside), 0);
  EXPECT_THAT(ask_python(kOutside), testing::Not(testing::Contains("error")));
}

TEST(ParserAgainstPython, AMatchIsTheSubjectAndAnIfForEachCase) {
  CUDAMAT_NEEDS_NUMPY();
  const std::vector<std::string> programs = {
      "match a:\n  case 1: b",
      "match a, b:\n  case _: c",
      "match (a):\n  case b: c",
      "match -a:\n  case 1 | c.d if e: c",
      "match [a]:\n  case b.c: d\n  case C(1, x=y): e\n  case [f, *g]: h\n  case _: e",
  };
  EXPECT_THAT(ask_python(programs), testing::Not(testing::Contains("error")));
  for (const std::string& program : programs) {
    const Program tree = parse(Source("prog.py", program));
    EXPECT_EQ(tree.statements[0].kind, StatementKind::Assign) << program;
    ASSERT_EQ(tree.statements[1].kind, StatementKind::If) << program;
    EXPECT_EQ(tree[tree.statements[1].value].kind, ExprKind::Case) << program;
    EXPECT_EQ(tree.statements[1].else_end, tree.statements.size()) << program;
  }
}

TEST(ParserAgainstPython, WhatIsMalformedIsRefused) {
  CUDAMAT_NEEDS_NUMPY();
  EXPECT_EQ(compare(kMalformed), 0);
  EXPECT_THAT(ask_python(kMalformed), testing::Each("error"));
}

// In a method of a class that another statement follows.
std::string in_class(const std::string& program) {
  return "class A:\n    def f(self):\n        pass\n        " +
         std::regex_replace(program, std::regex("\n"), "\n        ") + "\nx = 1\n";
}

TEST(ParserAgainstPython, AClassWithWhatIsOutsideHasOneUnreadStatement) {
  CUDAMAT_NEEDS_NUMPY();
  std::vector<std::string> programs;
  for (const std::string& program : kOutside) {
    std::string message;
    try {
      parse(Source("prog.py", program));
    } catch (const UnsupportedError& error) {
      message = error.message();
    } catch (const ProgramError&) {
    }
    if (message.empty()) continue;  // what Python refuses when it has the tree
    programs.push_back(in_class(program));
    const Program tree = parse(Source("prog.py", programs.back()));
    ASSERT_EQ(tree.statements.size(), 3u) << program;
    EXPECT_EQ(tree.statements[0].kind, StatementKind::Class);
    EXPECT_EQ(tree.statements[0].else_end, 2u);
    EXPECT_EQ(tree.statements[1].kind, StatementKind::Unread);
    EXPECT_EQ(tree.string(tree.statements[1].value), message);
    EXPECT_THAT(Printer(tree).run(), testing::StartsWith("[(class@0 A [(unread)]) (assign"));
    EXPECT_EQ(tree.statements[2].kind, StatementKind::Assign);
  }
  EXPECT_GT(programs.size(), 15u);
  EXPECT_THAT(ask_python(programs), testing::Not(testing::Contains("error")));
}

TEST(ParserAgainstPython, AClassWithWhatIsMalformedIsRefused) {
  CUDAMAT_NEEDS_NUMPY();
  std::vector<std::string> programs;
  for (const std::string& program : kMalformed) programs.push_back(in_class(program));
  for (const std::string& program : programs)
    EXPECT_THROW(parse(Source("prog.py", program)), ProgramError) << program;
  EXPECT_THAT(ask_python(programs), testing::Each("error"));
}

TEST(ParserAgainstPython, WhatIsMalformedIsNotCalledUnsupported) {
  for (const std::string& program : kMalformed) {
    try {
      parse(Source("prog.py", program));
    } catch (const UnsupportedError& error) {
      ADD_FAILURE() << error.what();
    } catch (const ProgramError&) {
    }
  }
}

TEST(ParserAgainstPython, StatementsAfterAnUnreadClassAreReadAsBefore) {
  const Program tree = parse(
      Source("prog.py",
             "def f():\n  for a in b:\n    class A:\n      x = [1, (2,\n  3)]\n      def g(self):\n"
             "        while c:\n          yield\n          await d\n      e = 1\n    break\n"
             "  yield a\n@f\ndef g(): return\n"));
  EXPECT_THAT(Printer(tree).run(), testing::StartsWith("[(generator@0 "));
  EXPECT_FALSE(tree.statements.end()[-2].is_generator);
  EXPECT_EQ(tree.decorators_of(tree.statements.end()[-2]).size(), 1u);
}

TEST(ParserAgainstPython, GeneratedExpressionsHaveItsTrees) {
  CUDAMAT_NEEDS_NUMPY();
  Generator generator(1);
  std::vector<std::string> programs;
  for (int i = 0; i < 8000; ++i) programs.push_back("r = " + generator.expression(1 + i % 5));
  EXPECT_GT(compare(programs), 4000);
}

TEST(ParserAgainstPython, MutatedProgramsAreTakenOrRefusedAsItDoes) {
  CUDAMAT_NEEDS_NUMPY();
  Generator generator(2);
  std::vector<std::string> programs;
  for (int i = 0; i < 20000; ++i) {
    const auto& seeds = i % 4 > 0 ? kTaken : i % 8 > 0 ? kOutside : kMalformed;
    programs.push_back(generator.mutate(seeds[generator.below(seeds.size())]));
  }
  EXPECT_GT(compare(programs), 2000);
}

TEST(ParserAgainstPython, EveryLetterTakenInANameIsOneForItAndEqualAfterNormalisation) {
  CUDAMAT_NEEDS_NUMPY();
  std::vector<std::string> programs;
  for (char32_t code = 0x80; code < 0x30000; ++code) {
    if (name_letter(code) == 0) continue;
    std::string program;
    append_utf8(program, code);
    programs.push_back(program);
  }
  EXPECT_EQ(compare(programs), static_cast<int>(programs.size()));
  EXPECT_GT(programs.size(), 700u);
  EXPECT_EQ(name_letter(0xFF38), U'X');   // full-width
  EXPECT_EQ(name_letter(0x1D417), U'X');  // bold
  EXPECT_EQ(name_letter(0x211D), U'R');
}

}  // namespace
}  // namespace rewriter::ast
