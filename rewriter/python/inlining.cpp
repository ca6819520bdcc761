#include "rewriter/python/inlining.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "rewriter/python/generators.hpp"

namespace rewriter::ast {

namespace {

using Kind = StatementKind;
using Names = std::unordered_map<std::string, std::string>;

constexpr std::uint32_t kNone = ~0U;  // no statement
constexpr std::size_t kMostCandidates = 4;
constexpr std::size_t kMostStatements = 20'000;  // that copies add
constexpr int kMostDepth = 3;                    // of generators that run over generators

bool is_loop(Kind kind) {
  return kind == Kind::For || kind == Kind::While;
}

/// A generator whose statements are being copied, for a loop over it.
struct Copy {
  const Copy* around = nullptr;  ///< whose statements the loop is among
  std::uint32_t loop = 0;        ///< the For, or YieldFrom, of the program that runs over it
  std::uint32_t def = 0;
  std::uint32_t number = 0;  ///< of its Inlined
  const Iterable* iterable = nullptr;
  Names names{};
  std::size_t depth = 0;  ///< loops around it
  int copies = 1;         ///< of generators, up to this one
};

class Inliner {
 public:
  explicit Inliner(const Program& program) : in_(program), scopes_(program), out_(program.source) {
    out_.numbers = in_.numbers;
    out_.strings = in_.strings;
    out_.imports = in_.imports;
    for (std::uint32_t i = 0; i < out_.strings.size(); ++i) strings_.emplace(out_.strings[i], i);
  }

  Program run() {
    const auto is_of_interest = [&](const Statement& each) {
      return each.kind == Kind::Raise ||
             (each.kind == Kind::For &&
              std::ranges::any_of(iterables_in(in_, each.value), [&](const Iterable& iterable) {
                return is_generator_expression(in_, iterable.generator);
              }));
    };
    if (!scopes_.any() && std::ranges::none_of(in_.statements, is_of_interest)) return in_;
    read(0, size(in_.statements), nullptr);
    for (Statement& each : out_.statements)
      if (each.kind == Kind::Inlined && each.def != kNone) each.def = places_.at(each.def);
    for (const std::uint32_t module : in_.modules) out_.modules.push_back(places_.at(module));
    return std::move(out_);
  }

 private:
  template <class T>
  static std::uint32_t size(const std::vector<T>& items) {
    return static_cast<std::uint32_t>(items.size());
  }

  // ---- expressions

  std::uint32_t string(const std::string& text) {
    const auto [known, is_new] = strings_.try_emplace(text, size(out_.strings));
    if (is_new) out_.strings.push_back(text);
    return known->second;
  }

  /// Nothing of nothing.
  ExprId copied(ExprId root, const Copy* of) {
    if (root == kNoExpr) return root;
    const ExprId first = in_[root].first;
    const std::uint32_t moved = size(out_.exprs) - first;  // modulo 2^32
    const auto place = [&](ExprId id) { return id == kNoExpr ? id : id + moved; };
    for (ExprId id = first; id <= root; ++id) {
      Expr expr = in_[id];
      expr.first += moved;
      const auto children = in_.children(id);
      expr.children = size(out_.links);
      for (const ExprId child : children) out_.links.push_back(place(child));
      if (expr.kind == ExprKind::Name || expr.kind == ExprKind::Named)
        expr.payload = string(renamed(in_.string(id), of));
      if (expr.kind == ExprKind::Lambda) {
        const LambdaParameters& old = in_.lambdas[expr.payload];
        expr.payload = size(out_.lambdas);
        out_.lambdas.push_back({size(out_.parameters), old.count});
        for (Parameter parameter : in_.parameters_of(old)) {
          parameter.value = place(parameter.value);
          parameter.annotation = place(parameter.annotation);
          out_.parameters.push_back(std::move(parameter));
        }
      }
      out_.exprs.push_back(expr);
    }
    return root + moved;
  }

  static const std::string& renamed(const std::string& name, const Copy* of) {
    if (of == nullptr) return name;
    const auto found = of->names.find(name);
    return found == of->names.end() ? name : found->second;
  }

  ExprId new_expr(ExprKind kind, Span span, const std::vector<ExprId>& children = {},
                  std::uint32_t payload = 0, Operator op = Operator::None) {
    Expr expr;
    expr.kind = kind;
    expr.op = op;
    expr.payload = payload;
    expr.span = expr.token = span;
    const std::uint32_t id = size(out_.exprs);
    expr.first = children.empty() ? id : out_.exprs[children[0]].first;
    expr.children = size(out_.links);
    expr.child_count = size(children);
    out_.links.insert(out_.links.end(), children.begin(), children.end());
    out_.exprs.push_back(expr);
    return id;
  }
  ExprId new_name(const std::string& name, Span span) {
    return new_expr(ExprKind::Name, span, {}, string(name));
  }

  // ---- statements

  /// A statement like this one, as yet without expressions.
  Statement like(const Statement& other, Kind kind) {
    Statement made;
    made.kind = kind;
    made.span = other.span;
    made.token = other.span;
    made.line = other.line;
    made.last_line = other.last_line;
    return made;
  }
  void set_target(Statement& statement, ExprId target) {
    statement.targets = size(out_.links);
    statement.target_count = 1;
    out_.links.push_back(target);
  }
  std::uint32_t add(Statement statement) {
    const std::uint32_t at = size(out_.statements);
    statement.end = statement.else_end = at + 1;
    out_.statements.push_back(statement);
    return at;
  }
  void close(std::uint32_t at) {
    out_.statements[at].end = out_.statements[at].else_end = size(out_.statements);
  }

  void set_flag(const std::string& name, bool value, const Statement& where) {
    Statement made = like(where, Kind::Assign);
    set_target(made, new_name(name, where.span));
    made.value = new_expr(value ? ExprKind::True : ExprKind::False, where.span);
    add(made);
  }

  /// The statement itself, with its expressions; its blocks are for the caller to add.
  std::uint32_t copied_header(std::uint32_t at, const Copy* of) {
    const Statement& old = in_.statements[at];
    Statement made = old;
    std::vector<Parameter> parameters(in_.parameters_of(old).begin(), in_.parameters_of(old).end());
    for (Parameter& each : parameters) {
      each.annotation = copied(each.annotation, of);
      each.value = copied(each.value, of);
    }
    made.parameters = size(out_.parameters);
    out_.parameters.insert(out_.parameters.end(), parameters.begin(), parameters.end());
    const auto copied_all = [&](std::span<const ExprId> old_ones) {
      std::vector<ExprId> ids;
      for (const ExprId each : old_ones) ids.push_back(copied(each, of));
      const std::uint32_t first = size(out_.links);
      out_.links.insert(out_.links.end(), ids.begin(), ids.end());
      return first;
    };
    made.decorators = copied_all(in_.decorators_of(old));
    made.targets = copied_all(in_.targets(old));
    made.value = copied(old.value, of);
    made.annotation = copied(old.annotation, of);
    return add(made);
  }

  /// Statements of the program, or of a generator that is being copied. `is_last`: after them, an
  /// iteration of the innermost loop ends.
  void read(std::uint32_t begin, std::uint32_t end, const Copy* of, bool is_last = false) {
    for (std::uint32_t i = begin; i < end; i = after(in_, i))
      read_one(i, of, is_last && after(in_, i) == end);
  }

  void read_one(std::uint32_t at, const Copy* of, bool is_last) {
    const Statement& old = in_.statements[at];
    if (of != nullptr) {
      if (old.kind == Kind::Yield)
        return consume(*of, is_last, old, [this, at, of](Span span) {
          const ExprId value = in_.statements[at].value;
          return value == kNoExpr ? new_expr(ExprKind::None, span) : copied(value, of);
        });
      if (old.kind == Kind::YieldFrom) return yield_from(at, *of);
      if (old.kind == Kind::Return) return go_out(*of, old);
    }
    if (old.kind == Kind::For || old.kind == Kind::While) return read_loop(at, of);
    if (old.kind == Kind::Raise && !tries_.empty() && leaves_try(at)) return;
    if (old.kind == Kind::Try && has_raises(at)) return read_try(at, of);
    const std::uint32_t made = copied_header(at, of);
    if (of == nullptr) places_[at] = made;
    if (old.kind < Kind::For) return;
    read(at + 1, old.end, of, is_last);
    out_.statements[made].end = size(out_.statements);
    read(old.end, old.else_end, of, is_last);
    out_.statements[made].else_end = size(out_.statements);
  }

  /// The blocks of a loop, in whose body `body` may leave it. Gives the copies that it leaves.
  std::vector<const Copy*> loop_body(std::uint32_t made, const std::function<void()>& body,
                                     const std::function<void()>& otherwise = {}) {
    left_.emplace_back();
    body();
    out_.statements[made].end = size(out_.statements);
    std::vector<const Copy*> left = std::move(left_.back());
    left_.pop_back();
    if (otherwise) otherwise();
    out_.statements[made].else_end = size(out_.statements);
    return left;
  }
  /// What left more than one loop leaves the next one, too.
  void leave_next(const std::vector<const Copy*>& left, const Statement& where) {
    for (const Copy* each : left) {
      if (left_.size() <= each->depth) continue;
      Statement leaves = like(where, Kind::If);
      leaves.value = new_name(flag_of(*each), where.span);
      const std::uint32_t choice = add(leaves);
      go_out(*each, where, false);
      close(choice);
    }
  }

  /// `body_of`: the loop is in the body of a loop over that copy, which its `else` may leave.
  void read_loop(std::uint32_t at, const Copy* of, const Copy* body_of = nullptr) {
    const Statement& old = in_.statements[at];
    const std::uint32_t made = copied_header(at, of);
    const auto left = loop_body(
        made, [&] { read(at + 1, old.end, of, true); }, [&] { read_else(at, of, body_of); });
    if (old.kind == Kind::For) inline_all(made, at, of, body_of);
    leave_next(left, old);
  }
  void read_else(std::uint32_t at, const Copy* of, const Copy* body_of) {
    const Statement& loop = in_.statements[at];
    if (body_of != nullptr)
      consume_body(loop.end, loop.else_end, *body_of);
    else
      read(loop.end, loop.else_end, of);
  }

  /// `for x in e: yield x`.
  void yield_from(std::uint32_t at, const Copy& of) {
    const Statement& old = in_.statements[at];
    const std::string item = fmt::format("<item of loop {}>", size(out_.statements));
    Statement loop = like(old, Kind::For);
    set_target(loop, new_name(item, old.span));
    loop.value = copied(old.value, &of);
    const std::uint32_t made = add(loop);
    const auto left = loop_body(
        made, [&] { consume(of, true, old, [&](Span span) { return new_name(item, span); }); });
    inline_all(made, at, &of);
    leave_next(left, old);
  }

  // ---- exceptions that a `try` catches in its own function

  /// A `try` whose block raises exceptions under conditions, which leave it as `break` does.
  struct Attempt {
    Copy block;  ///< what is left
    std::uint32_t at = 0;
    std::set<std::uint32_t> handlers{};  ///< that are come to so
  };

  static std::string caught_flag(const Attempt& attempt, std::uint32_t handler) {
    return fmt::format("<caught{} of loop {}>", handler, attempt.block.number);
  }

  /// The first handler whose text says that it takes the exception of this `raise`; 0: none that is
  /// known to be.
  std::uint32_t handler_of(std::uint32_t raise, std::uint32_t attempt) const {
    const Statement& statement = in_.statements[raise];
    if (statement.value == kNoExpr || statement.annotation != kNoExpr) return 0;
    const Expr& made = in_[statement.value];
    const ExprId type =
        made.kind == ExprKind::Call ? in_.child(statement.value, 0) : statement.value;
    if (in_[type].kind != ExprKind::Name) return 0;
    const Statement& of = in_.statements[attempt];
    for (std::uint32_t i = of.end; i < of.else_end; i = after(in_, i)) {
      const Statement& handler = in_.statements[i];
      if (handler.kind != Kind::Handler) break;
      const bool is_exit = in_.string(type).ends_with("Exit") ||
                           in_.string(type) == "KeyboardInterrupt";  // no Exception
      const auto says = [&](const std::string& name) {
        return in_[handler.value].kind == ExprKind::Name && in_.string(handler.value) == name;
      };
      if (handler.value != kNoExpr && !says(in_.string(type)) && (is_exit || !says("Exception")))
        return 0;
      const bool raises_again = std::any_of(
          in_.statements.begin() + i, in_.statements.begin() + handler.end,
          [](const Statement& each) { return each.kind == Kind::Raise && each.value == kNoExpr; });
      return handler.target_count > 0 || raises_again ? 0 : i;
    }
    return 0;
  }

  /// Whether a statement of its block raises, under a condition, what one of its handlers takes.
  bool has_raises(std::uint32_t at) const {
    const Statement& of = in_.statements[at];
    if (scopes_.defines(at + 1, of.end) || scopes_.yields_in(at, of.else_end)) return false;
    const Jumps jumps = jumps_in(in_, at + 1, of.end);
    if (jumps.breaks || jumps.continues) return false;
    std::uint32_t inner = at + 1;  // the end of a `try` or `with` in it
    bool found = false;
    for (std::uint32_t i = at + 1; i < of.end; ++i) {
      const Kind kind = in_.statements[i].kind;
      if (i < inner) continue;
      if (kind == Kind::Try || kind == Kind::With) inner = after(in_, i);
      if (kind == Kind::Raise && is_conditional(i, at) && handler_of(i, at) != 0) found = true;
    }
    return found;
  }
  bool is_conditional(std::uint32_t statement, std::uint32_t attempt) const {
    for (std::uint32_t i = attempt + 1; i < statement; ++i)
      if (in_.statements[i].kind == Kind::If && statement < in_.statements[i].else_end) return true;
    return false;
  }

  /// Writes a `raise` of a `try` that is being read: it leaves its block. False if it does not.
  bool leaves_try(std::uint32_t at) {
    Attempt& attempt = *tries_.back();
    const Statement& of = in_.statements[attempt.at];
    if (at < attempt.at || at >= of.end || !is_conditional(at, attempt.at)) return false;
    for (std::uint32_t i = attempt.at + 1; i < at; ++i) {
      const Kind kind = in_.statements[i].kind;
      if ((kind == Kind::Try || kind == Kind::With) && at < after(in_, i)) return false;
    }
    const std::uint32_t handler = handler_of(at, attempt.at);
    if (handler == 0) return false;
    attempt.handlers.insert(handler);
    set_flag(caught_flag(attempt, handler), true, in_.statements[at]);
    go_out(attempt.block, in_.statements[at]);
    return true;
  }

  /// The block in a loop of one iteration, and the handlers that its `raise` statements come to in
  /// the `else`. What else is raised in the block comes to the handlers themselves.
  void read_try(std::uint32_t at, const Copy* of) {
    const Statement& old = in_.statements[at];
    Attempt attempt;
    attempt.at = at;
    attempt.block.number = size(out_.statements);
    attempt.block.depth = left_.size();
    const auto each_handler = [&](const std::function<void(std::uint32_t)>& work) {
      for (std::uint32_t i = old.end; i < old.else_end; i = after(in_, i))
        if (in_.statements[i].kind == Kind::Handler) work(i);
    };
    each_handler([&](std::uint32_t i) { set_flag(caught_flag(attempt, i), false, old); });
    set_flag(flag_of(attempt.block), false, old);
    const std::uint32_t made = copied_header(at, of);
    tries_.push_back(&attempt);
    once(old, attempt.block.number, [&] { read(at + 1, old.end, of); });
    tries_.pop_back();
    out_.statements[made].end = size(out_.statements);
    std::uint32_t otherwise = 0, last = 0;
    for (std::uint32_t i = old.end; i < old.else_end; i = after(in_, i)) {
      const Kind kind = in_.statements[i].kind;
      if (kind == Kind::Else) otherwise = i;
      if (kind == Kind::Finally) last = i;
      if (kind == Kind::Handler) read_one(i, of, false);
    }
    const std::uint32_t added = add(like(old, Kind::Else));
    const auto choose = [&](const auto& self, auto handler) -> void {
      if (handler == attempt.handlers.end()) {
        if (otherwise != 0) read(otherwise + 1, in_.statements[otherwise].end, of);
        return;
      }
      Statement choice = like(in_.statements[*handler], Kind::If);
      choice.value = new_name(caught_flag(attempt, *handler), old.span);
      const std::uint32_t taken = add(choice);
      read(*handler + 1, in_.statements[*handler].end, of);
      out_.statements[taken].end = size(out_.statements);
      self(self, std::next(handler));
      out_.statements[taken].else_end = size(out_.statements);
    };
    choose(choose, attempt.handlers.begin());
    close(added);
    if (last != 0) read_one(last, of, false);
    out_.statements[made].else_end = size(out_.statements);
  }

  // ---- copies of generators

  static std::string flag_of(const Copy& of) { return fmt::format("<left of loop {}>", of.number); }
  static std::string else_flag_of(const Copy& of) {
    return fmt::format("<broken of loop {}>", of.number);
  }

  /// Leaves all loops of the copy.
  void go_out(const Copy& of, const Statement& where, bool sets_flag = true) {
    if (left_.size() > of.depth + 1) {
      if (sets_flag) set_flag(flag_of(of), true, where);
      auto& left = left_.back();
      if (std::find(left.begin(), left.end(), &of) == left.end()) left.push_back(&of);
    }
    add(like(where, Kind::Break));
  }

  /// What the loop over the generator does with an item.
  void consume(const Copy& of, bool is_last, const Statement& yielded,
               const std::function<ExprId(Span)>& value) {
    const Statement& loop = in_.statements[of.loop];
    if (loop.kind == Kind::YieldFrom) return consume(*of.around, is_last, yielded, value);
    const Limits limits = limits_of(*of.iterable);
    const auto leave_if_over = [&](const std::string& room) {
      Statement leaves = like(yielded, Kind::If);
      const ExprId steps = new_name(loop_names::steps(of.number), yielded.span);
      leaves.value = new_expr(ExprKind::Compare, yielded.span,
                              {steps, new_name(room, yielded.span)}, 0, Operator::GreaterEqual);
      const std::uint32_t choice = add(leaves);
      go_out(of, yielded);
      close(choice);
    };
    const bool continues = jumps_in(in_, of.loop + 1, loop.end).continues;
    const auto body = [&] {
      take_item(of, yielded, limits.after ? item_before(of, yielded, value, leave_if_over) : value);
      consume_body(of.loop + 1, loop.end, of);
    };
    if (continues && (!is_last || limits.before))
      once(yielded, of.number, body);
    else
      body();
    if (limits.before) leave_if_over(loop_names::room(of.number));
  }

  /// Evaluates the item, and leaves the loop if something after it in a zip has no more items.
  std::function<ExprId(Span)> item_before(
      const Copy& of, const Statement& yielded, const std::function<ExprId(Span)>& value,
      const std::function<void(const std::string&)>& leave_if_over) {
    const std::string item = fmt::format("<item of loop {}>", of.number);
    Statement made = like(yielded, Kind::Assign);
    set_target(made, new_name(item, yielded.span));
    made.value = value(yielded.span);
    add(made);
    leave_if_over(loop_names::room_after(of.number));
    return [this, item](Span span) { return new_name(item, span); };
  }

  /// Assigns the item, with what enumerate and zip add to it, to the loop's target.
  void take_item(const Copy& of, const Statement& yielded,
                 const std::function<ExprId(Span)>& value) {
    const std::vector<Iterable::Call>& calls = of.iterable->calls;
    const auto wrapped = [&](const auto& self, std::size_t level) -> ExprId {
      if (level == calls.size()) return value(yielded.span);
      const Iterable::Call& call = calls[level];
      if (call.kind == Iterable::Call::Kind::Islice) return self(self, level + 1);
      std::vector<ExprId> parts;
      if (call.kind == Iterable::Call::Kind::Enumerate) {
        parts.push_back(new_name(loop_names::count(of.number, level), yielded.span));
        parts.push_back(self(self, level + 1));
      } else {
        for (std::uint32_t k = 0; k < call.count; ++k)
          parts.push_back(k == call.place ? self(self, level + 1)
                                          : item_of_source(of, level, k, yielded.span));
      }
      return new_expr(ExprKind::Tuple, yielded.span, parts);
    };
    Statement made = like(yielded, Kind::Assign);
    set_target(made, copied(in_.targets(in_.statements[of.loop])[0], of.around));
    made.value = wrapped(wrapped, 0);
    add(made);
    for (std::size_t level = 0; level < calls.size(); ++level)
      if (calls[level].kind == Iterable::Call::Kind::Enumerate)
        increment(loop_names::count(of.number, level), yielded);
    const Limits limits = limits_of(*of.iterable);
    if (limits.before || limits.after) increment(loop_names::steps(of.number), yielded);
  }
  ExprId item_of_source(const Copy& of, std::size_t level, std::uint32_t place, Span span) {
    const ExprId source = new_name(loop_names::source(of.number, level, place), span);
    return new_expr(ExprKind::Subscript, span,
                    {source, new_name(loop_names::steps(of.number), span)});
  }
  void increment(const std::string& name, const Statement& where) {
    Statement next = like(where, Kind::AugAssign);
    next.op = Operator::Add;
    set_target(next, new_name(name, where.span));
    next.value = new_expr(ExprKind::Number, where.span, {}, one());
    add(next);
  }

  std::uint32_t one() {
    out_.numbers.push_back({Number::Kind::Integer, 1, 1});
    return size(out_.numbers) - 1;
  }

  /// Statements in a loop of one iteration, for jumps.
  void once(const Statement& where, std::uint32_t number, const std::function<void()>& body) {
    Statement loop = like(where, Kind::For);
    set_target(loop, new_name(fmt::format("<once of loop {}>", number), where.span));
    const ExprId item = new_expr(ExprKind::None, where.span);
    loop.value = new_expr(ExprKind::Tuple, where.span, {item});
    const std::uint32_t made = add(loop);
    leave_next(loop_body(made, body), where);
  }

  /// Statements of the body of the loop over the copy: what leaves that loop leaves the copy's.
  void consume_body(std::uint32_t begin, std::uint32_t end, const Copy& of) {
    for (std::uint32_t i = begin; i < end; i = after(in_, i)) {
      const Statement& old = in_.statements[i];
      if (old.kind == Kind::Break) {
        const Statement& loop = in_.statements[of.loop];
        if (loop.else_end > loop.end) set_flag(else_flag_of(of), true, old);
        go_out(of, old);
      } else if (old.kind == Kind::If || old.kind == Kind::With || old.kind == Kind::Try ||
                 old.kind == Kind::Handler || old.kind == Kind::Else || old.kind == Kind::Finally) {
        const std::uint32_t made = copied_header(i, of.around);
        consume_body(i + 1, old.end, of);
        out_.statements[made].end = size(out_.statements);
        consume_body(old.end, old.else_end, of);
        out_.statements[made].else_end = size(out_.statements);
      } else if (is_loop(old.kind)) {
        read_loop(i, of.around, &of);
      } else {
        read_one(i, of.around, false);
      }
    }
  }

  /// Adds the Inlined statements of a loop that was just copied, as its statement `made`.
  void inline_all(std::uint32_t made, std::uint32_t at, const Copy* of,
                  const Copy* body_of = nullptr) {
    const Statement& loop = in_.statements[at];
    const std::uint32_t moved = out_.statements[made].value - loop.value;  // modulo 2^32
    std::vector<Iterable> iterables = iterables_in(in_, loop.value);
    if (loop.kind == Kind::YieldFrom) iterables = {{{}, loop.value}};
    for (const Iterable& iterable : iterables) {
      if (is_generator_expression(in_, iterable.generator)) {
        if (!expression_fits(iterable.generator)) continue;
        out_.inlined_expressions.insert(iterable.generator + moved);
        inline_one(kNone, at, of, body_of, iterable, moved);
        continue;
      }
      const std::vector<std::uint32_t> candidates = scopes_.candidates(iterable.generator);
      if (candidates.size() > kMostCandidates) continue;
      for (const std::uint32_t def : candidates)
        if (fits(def, at, of) && (!is_limited(iterable) || !scopes_.is_endless(def)))
          inline_one(def, at, of, body_of, iterable, moved);
    }
  }
  static bool is_limited(const Iterable& iterable) {
    const Limits limits = limits_of(iterable);
    return limits.before || limits.after;
  }

  /// Whether the names of a generator expression can be others.
  bool expression_fits(ExprId id) const {
    if (out_.statements.size() > in_.statements.size() + kMostStatements) return false;
    for (ExprId part = in_[id].first; part <= id; ++part)
      if (in_[part].kind == ExprKind::Lambda || in_[part].kind == ExprKind::Named) return false;
    return true;
  }

  bool fits(std::uint32_t def, std::uint32_t at, const Copy* of) {
    if (out_.statements.size() > in_.statements.size() + kMostStatements) return false;
    if (of != nullptr && of->copies >= kMostDepth) return false;
    for (const Copy* each = of; each != nullptr; each = each->around)
      if (each->def == def || !scopes_.means_the_same(def, each->loop)) return false;
    const Statement& loop = in_.statements[at];
    return scopes_.may_be_copied(def) && scopes_.means_the_same(def, at) &&
           (loop.kind == Kind::YieldFrom || !scopes_.defines(at + 1, loop.end));
  }

  /// `def`: of a generator, or kNone.
  void inline_one(std::uint32_t def, std::uint32_t at, const Copy* of, const Copy* body_of,
                  const Iterable& iterable, std::uint32_t moved) {
    const Statement& loop = in_.statements[at];
    Copy copy;
    copy.around = of;
    copy.loop = at;
    copy.def = def;
    copy.number = size(out_.statements);
    copy.iterable = &iterable;
    copy.depth = left_.size();
    copy.copies = of == nullptr ? 1 : of->copies + 1;
    name_locals(copy);
    Statement header = like(loop, Kind::Inlined);
    header.def = def;
    header.iterable = size(out_.iterables);
    out_.iterables.push_back({iterable.calls, iterable.generator + moved});
    const std::uint32_t made = add(header);
    const bool has_else = loop.kind == Kind::For && loop.else_end > loop.end;
    if (has_else) set_flag(else_flag_of(copy), false, loop);
    set_flag(flag_of(copy), false, loop);
    if (def == kNone) {
      read_clauses(copy, loop, 1);
    } else {
      const std::uint32_t begin = def + 1, end = in_.statements[def].end;
      if (needs_loop(begin, end, copy))
        once(loop, copy.number, [&] { read(begin, end, &copy); });
      else
        read(begin, end, &copy);
    }
    if (has_else) {
      Statement choice = like(loop, Kind::If);
      choice.value = new_name(else_flag_of(copy), loop.span);
      const std::uint32_t broken = add(choice);
      add(like(loop, Kind::Pass));
      out_.statements[broken].end = size(out_.statements);
      read_else(at, of, body_of);
      out_.statements[broken].else_end = size(out_.statements);
    }
    close(made);
  }

  /// What the names of the generator are in the copy.
  void name_locals(Copy& copy) {
    if (copy.def != kNone) {
      for (const std::string& name : scopes_.locals(copy.def))
        copy.names.emplace(name, inlined_name(name, copy.number));
      return;
    }
    if (copy.around != nullptr) copy.names = copy.around->names;
    const auto clauses = in_.children(copy.iterable->generator).subspan(1);
    for (const ExprId clause : clauses) {
      const ExprId target = in_.child(clause, 0);
      for (ExprId part = in_[target].first; part <= target; ++part)
        if (in_[part].kind == ExprKind::Name)
          copy.names[in_.string(part)] = inlined_name(in_.string(part), copy.number);
    }
  }

  /// The loops and conditions of a generator expression, from this clause on.
  void read_clauses(const Copy& copy, const Statement& where, std::size_t clause) {
    const auto parts = in_.children(copy.iterable->generator);
    if (clause == parts.size())
      return consume(copy, true, where, [&](Span) { return copied(parts[0], &copy); });
    const auto of_clause = in_.children(parts[clause]);
    Statement loop = like(where, Kind::For);
    set_target(loop, copied(of_clause[0], &copy));
    loop.value = clause == 1 ? new_name(loop_names::first(copy.number), where.span)
                             : copied(of_clause[1], &copy);
    const std::uint32_t made = add(loop);
    leave_next(loop_body(made, [&] { read_conditions(copy, where, clause, 2); }), where);
  }
  void read_conditions(const Copy& copy, const Statement& where, std::size_t clause,
                       std::size_t condition) {
    const auto of_clause = in_.children(in_.child(copy.iterable->generator, clause));
    if (condition == of_clause.size()) return read_clauses(copy, where, clause + 1);
    Statement choice = like(where, Kind::If);
    choice.value = copied(of_clause[condition], &copy);
    const std::uint32_t made = add(choice);
    read_conditions(copy, where, clause, condition + 1);
    close(made);
  }

  /// Whether what leaves the copy would leave the loop around it, or go on after a loop of it.
  bool needs_loop(std::uint32_t begin, std::uint32_t end, const Copy& of) const {
    std::uint32_t last = begin;
    for (std::uint32_t i = begin; i < end; i = after(in_, i)) last = i;
    const Statement& loop = in_.statements[last];
    const bool only_loop =
        is_loop(loop.kind) && loop.else_end == loop.end && !scopes_.yields_in(begin, last) &&
        std::none_of(in_.statements.begin() + begin, in_.statements.begin() + last,
                     [](const Statement& each) { return each.kind == Kind::Return; });
    if (only_loop) return false;
    const Statement& outer = in_.statements[of.loop];
    const bool leaves = outer.kind == Kind::YieldFrom || is_limited(*of.iterable) ||
                        jumps_in(in_, of.loop + 1, outer.end).breaks;
    return leaves || of.around != nullptr || jumps_in(in_, begin, end).returns;
  }

  const Program& in_;
  Scopes scopes_;
  Program out_;
  std::unordered_map<std::string, std::uint32_t> strings_;
  std::unordered_map<std::uint32_t, std::uint32_t> places_;  ///< of statements that have scopes
  /// Of each loop that is open: the copies that are left from within it, and from loops around it.
  std::vector<std::vector<const Copy*>> left_;
  std::vector<Attempt*> tries_;
};

}  // namespace

Program with_inlined_generators(const Program& program) {
  return Inliner(program).run();
}

std::string inlined_name(const std::string& name, std::uint32_t inlined) {
  return fmt::format("<{} of generator {}>", name, inlined);
}
std::string middle_name(ExprId middle) {
  return fmt::format("<middle {}>", middle);
}
bool is_middle_name(const std::string& name) {
  return name.find("<middle ") != std::string::npos;
}
namespace loop_names {
std::string count(std::uint32_t inlined, std::size_t level) {
  return fmt::format("<count {} of loop {}>", level, inlined);
}
std::string source(std::uint32_t inlined, std::size_t level, std::size_t place) {
  return fmt::format("<source {} {} of loop {}>", level, place, inlined);
}
std::string steps(std::uint32_t inlined) {
  return fmt::format("<steps of loop {}>", inlined);
}
std::string room(std::uint32_t inlined) {
  return fmt::format("<room of loop {}>", inlined);
}
std::string room_after(std::uint32_t inlined) {
  return fmt::format("<room after of loop {}>", inlined);
}
std::string first(std::uint32_t inlined) {
  return fmt::format("<first of loop {}>", inlined);
}
}  // namespace loop_names
bool is_inlined_name(const std::string& name) {
  return name.starts_with('<') && (name.find(" of generator ") != std::string::npos ||
                                   name.find(" of loop ") != std::string::npos);
}

}  // namespace rewriter::ast
