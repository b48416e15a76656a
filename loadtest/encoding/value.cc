#include "loadtest/encoding/value.h"

#include <charconv>
#include <stdexcept>

#include "json/sax.h"

namespace tessera::loadtest {
namespace {

template <class Number>
bool read_whole(std::string_view token, Tree& value) {
  Number number{};
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc{} || end != token.data() + token.size()) return false;
  value.data = number;
  return true;
}

// The handler that json::read_document calls.
class TreeBuilder {
 public:
  bool begin_object(std::size_t) { return begin(Members<std::string>{}); }
  bool begin_array(std::size_t) { return begin(Tree::Elements{}); }
  bool end_object(std::size_t) { return end(); }
  bool end_array(std::size_t) { return end(); }

  bool key(json::RawString name) {
    name_ = json::decoded(name);
    return true;
  }
  bool string(json::RawString text) {
    add({json::decoded(text)});
    return true;
  }
  bool number(std::string_view token) {
    Tree value;
    if (!read_whole<std::int64_t>(token, value) && !read_whole<std::uint64_t>(token, value) &&
        !read_whole<double>(token, value)) {
      return false;
    }
    add(std::move(value));
    return true;
  }
  bool literal(std::string_view token) {
    if (token == "null") {
      add({nullptr});
    } else {
      add({token == "true"});
    }
    return true;
  }
  boost::system::error_code error() const { return json::Error::malformed; }

  Tree take() { return std::move(root_); }

 private:
  template <class Container>
  bool begin(Container container) {
    open_.push_back(&add({std::move(container)}));
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }
  // Containers do not move while they are open: only the innermost one grows.
  Tree& add(Tree value) {
    if (open_.empty()) return root_ = std::move(value);
    if (auto* elements = std::get_if<Tree::Elements>(&open_.back()->data)) {
      return elements->emplace_back(std::move(value));
    }
    auto& members = std::get<Members<std::string>>(open_.back()->data);
    return members.emplace_back(std::move(name_), std::move(value)).second;
  }

  Tree root_;
  std::vector<Tree*> open_;
  std::string name_;
};

}  // namespace

Tree parse(std::string_view document) {
  TreeBuilder builder;
  const json::Result<void> read = json::read_document(document, builder);
  if (!read) throw std::runtime_error("not a JSON document: " + read.error().message());
  return builder.take();
}

InternedTree intern(const Tree& tree, json::KeyTable& table) {
  return std::visit(
      [&](const auto& held) -> InternedTree {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::same_as<Held, Tree::Elements>) {
          InternedTree::Elements elements;
          for (const Tree& element : held) elements.push_back(intern(element, table));
          return {std::move(elements)};
        } else if constexpr (std::same_as<Held, Members<std::string>>) {
          Members<std::reference_wrapper<const json::InternedKey>> members;
          for (const auto& [name, value] : held) {
            members.emplace_back(std::cref(table.intern(name)), intern(value, table));
          }
          return {std::move(members)};
        } else {
          return {held};
        }
      },
      tree.data);
}

}  // namespace tessera::loadtest
