// The documents that encoders are compared on, the same on every machine.
#pragma once

#include "loadtest/encoding/value.h"

namespace tessera::loadtest {

// A page of a public time line: short Japanese and English texts with emoji, links and ampersands, users with
// many small members. About 630 KB.
Tree tweets();

// 1,000 courses of 5 slides, much as the reference origin renders them: ASCII, nothing to escape. About 1.1
// MB.
Tree courses();

// The same courses with a pair of tags and an ampersand in each text.
Tree marked_up_courses();

}  // namespace tessera::loadtest
