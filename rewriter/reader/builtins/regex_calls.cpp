// Calls of regular expressions.
#include "rewriter/reader/builtins/regex.hpp"
#include "rewriter/reader/values/containers.hpp"
#include "rewriter/reader/values/functions.hpp"
#include "rewriter/reader/values/value.hpp"

namespace rewriter {

namespace {

const std::string& text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  cudamat::misuse("re", "patterns and texts must be known when the program is read; got {}",
                  value.description());
}

Value span_of(const Regex::Span& span) {
  const auto place = [](std::size_t at) {
    return Value{at == Regex::kNone ? std::int64_t{-1} : static_cast<std::int64_t>(at)};
  };
  return new_sequence(false, {place(span.first), place(span.second)});
}

}  // namespace

Value regex_call(std::string_view name, const Call& call) {
  const auto number = [&](std::size_t i) { return call.arguments.at(i).integer("a flag"); };
  const Regex regex(text_of(call.arguments.at(0)), static_cast<unsigned>(number(1)));
  std::vector<Value> made;
  if (name == "_sre.groups") {
    for (const std::string& group : regex.names()) made.push_back({group});
    return new_sequence(false, std::move(made));
  }
  constexpr Regex::Mode kModes[] = {Regex::Mode::Search, Regex::Mode::Match,
                                    Regex::Mode::FullMatch};
  const auto spans = regex.match(text_of(call.arguments.at(2)), static_cast<std::size_t>(number(3)),
                                 kModes[number(4)], number(5) != 0);
  if (!spans) return {};
  for (const Regex::Span& span : *spans) made.push_back(span_of(span));
  return new_sequence(false, std::move(made));
}

}  // namespace rewriter
