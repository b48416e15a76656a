// JSON documents that try what codecs may get wrong.
#pragma once

#include <random>
#include <string>

namespace tessera::json::test {

// One document: objects and arrays, texts that look like something else, names that need quotes, integers and
// doubles of every size that a codec keeps exactly. No name comes twice in an object.
std::string random_document(std::mt19937_64& random);

}  // namespace tessera::json::test
