// What the codecs store, read by libraries of others: Python's yaml (YAML 1.1) and msgpack.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/codec.h"
#include "loadtest/sample_document.h"
#include "tests/json/random_document.h"
#include "tests/support/process.h"
#include "tests/support/temporary.h"

namespace tessera::json {
namespace {

// Stores each document with each codec, and has all of it read.
void expect_read_by_others(const std::vector<std::string>& documents) {
  const tessera::test::TemporaryDirectory directory;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string name = std::to_string(i) + '.';
    directory.write(name + "document", documents[i]);
    for (const Codec* codec : all_codecs()) {
      const Result<std::string> stored = codec->encode(documents[i]);
      ASSERT_TRUE(stored.has_value()) << codec->name() << ": document " << i;
      directory.write(name + std::string(codec->name()), *stored);
    }
  }
  tessera::test::Process python("/usr/bin/python3",  // the one that Debian's packages are for
                                {TESSERA_DECODE_STORED, directory.path().string()});
  const std::optional<int> status = python.wait(std::chrono::minutes(4));
  if (status == 77) GTEST_SKIP() << "python3-yaml or python3-msgpack is missing: " << python.output();
  EXPECT_EQ(status, 0) << python.output() << python.errors();
  EXPECT_NE(python.output().find("equal: " + std::to_string(3 * documents.size())), std::string::npos)
      << python.output();
}

TEST(CodecPeers, ReadTheSampleAndThePostsAlike) {
  const std::string sample = loadtest::sample_document();
  EXPECT_EQ(sample.size(), loadtest::kSampleBytes);
  expect_read_by_others({sample, loadtest::posts_document()});
}

TEST(CodecPeers, ReadAThousandRandomDocumentsAlike) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  std::vector<std::string> documents;
  for (int i = 0; i < 1'000; ++i) documents.push_back(test::random_document(random));
  expect_read_by_others(documents);
}

}  // namespace
}  // namespace tessera::json
