// The texts of the generated data set: company catch phrases for titles, advice from a hacker for slides.
// ASCII, and without a character that any escape mode would change.
#pragma once

#include <string>

#include "origin/random.h"

namespace tessera::origin {

std::string catch_phrase(Random& random);     // "Durable regional timetable"; 29 bytes on average
std::string hacker_sentence(Random& random);  // 77 bytes on average

}  // namespace tessera::origin
