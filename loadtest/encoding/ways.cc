#include "loadtest/encoding/ways.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "json/encode.h"

namespace tessera::loadtest {
namespace {

using json::Escape;

// One text as a JSON string, made safe by itself.
std::string escaped_token(std::string_view text) {
  json::Writer token(Escape::none);
  token.string(text);
  return json::escape_json_scalar(Escape::html, token.view());
}

// The tree with every text as its token.
Tree with_escaped_inputs(const Tree& tree) {
  return std::visit(
      [](const auto& held) -> Tree {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::same_as<Held, std::string>) {
          return {escaped_token(held)};
        } else if constexpr (std::same_as<Held, Tree::Elements>) {
          Tree::Elements elements;
          elements.reserve(held.size());
          for (const Tree& element : held) elements.push_back(with_escaped_inputs(element));
          return {std::move(elements)};
        } else if constexpr (std::same_as<Held, Members<std::string>>) {
          Members<std::string> members;
          members.reserve(held.size());
          for (const auto& [name, value] : held) {
            members.emplace_back(escaped_token(name), with_escaped_inputs(value));
          }
          return {std::move(members)};
        } else {
          return {held};
        }
      },
      tree.data);
}

// Writes a tree whose texts become JSON strings by `token`.
template <class Token>
void generate(const Tree& tree, std::string& out, Token token) {
  if (const auto* text = std::get_if<std::string>(&tree.data)) {
    out += token(*text);
  } else if (const auto* elements = std::get_if<Tree::Elements>(&tree.data)) {
    char separator = '[';
    for (const Tree& element : *elements) {
      out += std::exchange(separator, ',');
      generate(element, out, token);
    }
    out += elements->empty() ? "[]" : "]";
  } else if (const auto* members = std::get_if<Members<std::string>>(&tree.data)) {
    char separator = '{';
    for (const auto& [name, value] : *members) {
      out += std::exchange(separator, ',');
      out += token(name);
      out += ':';
      generate(value, out, token);
    }
    out += members->empty() ? "{}" : "}";
  } else if (const auto* integer = std::get_if<std::int64_t>(&tree.data)) {
    out += std::to_string(*integer);
  } else if (const auto* boolean = std::get_if<bool>(&tree.data)) {
    out += *boolean ? "true" : "false";
  } else if (std::holds_alternative<std::nullptr_t>(tree.data)) {
    out += "null";
  } else {
    json::Writer number(Escape::none);
    json::write_value(number, tree);
    out += number.view();
  }
}

std::string two_passes(const Subject& subject) {
  const Tree ready = with_escaped_inputs(subject.tree);
  std::string out;
  out.reserve(subject.room);
  generate(ready, out, [](const std::string& token) -> const std::string& { return token; });
  return out;
}

std::string one_pass_escaped_inputs(const Subject& subject) {
  std::string out;
  out.reserve(subject.room);
  generate(subject.tree, out, escaped_token);
  return out;
}

template <class Value>
std::string encoded(const Subject& subject, const Value& value, Escape escape) {
  return json::encode(value, {.escape = escape, .reserve = subject.room}).value();
}

std::string plain(const Subject& subject) {
  return encoded(subject, subject.tree, Escape::none);
}

std::string scalar_output_pass(const Subject& subject) {
  return json::escape_json_scalar(Escape::html, plain(subject));
}

std::string vector_output_pass(const Subject& subject) {
  return json::escape_json(Escape::html, plain(subject));
}

std::string fused(const Subject& subject) {
  return encoded(subject, subject.tree, Escape::html);
}

std::string fused_interned(const Subject& subject) {
  return encoded(subject, subject.interned, Escape::html);
}

using RapidWriter = rapidjson::Writer<rapidjson::StringBuffer>;

rapidjson::SizeType size_of(const std::string& text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

void write(RapidWriter& writer, const Tree& tree);

struct RapidVisitor {
  RapidWriter& writer;

  void operator()(std::nullptr_t) const { writer.Null(); }
  void operator()(bool value) const { writer.Bool(value); }
  void operator()(std::int64_t value) const { writer.Int64(value); }
  void operator()(std::uint64_t value) const { writer.Uint64(value); }
  void operator()(double value) const { writer.Double(value); }
  void operator()(const std::string& text) const { writer.String(text.data(), size_of(text)); }
  void operator()(const Tree::Elements& elements) const {
    writer.StartArray();
    for (const Tree& element : elements) write(writer, element);
    writer.EndArray();
  }
  void operator()(const Members<std::string>& members) const {
    writer.StartObject();
    for (const auto& [name, value] : members) {
      writer.Key(name.data(), size_of(name));
      write(writer, value);
    }
    writer.EndObject();
  }
};

void write(RapidWriter& writer, const Tree& tree) {
  std::visit(RapidVisitor{writer}, tree.data);
}

// Its buffer is as good as a string to whoever sends it, so that only a document that is kept is copied.
std::size_t rapidjson_writer(const Subject& subject, std::string* kept) {
  rapidjson::StringBuffer buffer(nullptr, subject.room);
  RapidWriter writer(buffer);
  write(writer, subject.tree);
  if (kept != nullptr) kept->assign(buffer.GetString(), buffer.GetSize());
  return buffer.GetSize();
}

template <std::string (*kEncode)(const Subject&)>
std::size_t run(const Subject& subject, std::string* kept) {
  std::string document = kEncode(subject);
  const std::size_t size = document.size();
  if (kept != nullptr) *kept = std::move(document);
  return size;
}

}  // namespace

const std::array<Way, 8> kWays = {{
    {"two passes, inputs escaped", Output::safe, run<two_passes>, 26},
    {"one pass, inputs escaped", Output::safe, run<one_pass_escaped_inputs>, 0},
    {"one pass, output escaped, scalar", Output::safe, run<scalar_output_pass>, 61},
    {"one pass, output escaped, vector", Output::safe, run<vector_output_pass>, 0},
    {"escapes fused into the writer", Output::safe, run<fused>, 0},
    {"the same, names interned", Output::safe, run<fused_interned>, 0},
    {"one pass, not escaped", Output::plain, run<plain>, 474},
    {"RapidJSON's Writer, not escaped", Output::plain, rapidjson_writer, 717},
}};

}  // namespace tessera::loadtest
