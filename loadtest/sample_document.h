// The documents that codecs are measured and checked with. The same on every machine.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::loadtest {

inline constexpr std::size_t kSampleBytes = 87'505;  // of the original comparison's document

// People with tags, nested friends and long texts: kSampleBytes of compact JSON, all of it ASCII.
std::string sample_document();

// What a micro-blog's API answers: texts in many scripts, emoji, escapes, 64-bit ids, nested users, nulls.
std::string posts_document();

}  // namespace tessera::loadtest
