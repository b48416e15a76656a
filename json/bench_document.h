// The document that benchmarks work on: 1,000 courses of 5 slides, about 890 KB, as the reference origin
// renders it.
#pragma once

#include <cstddef>
#include <string>

namespace tessera::json {

struct BenchDocument {
  std::string collection;
  std::string json_api;  // the same as data and included
  std::string manifest;
};

inline BenchDocument bench_document(std::size_t courses = 1000, std::size_t slides_per_course = 5) {
  constexpr const char* kDates = R"("created_at":"2024-03-05T07:08:09Z","updated_at":"2024-03-05T07:08:09Z")";
  constexpr const char* kContent =
      "Use the neural SAS bus, then you can compress the auxiliary bandwidth again!";
  BenchDocument document;
  document.collection = R"({"courses":[)";
  document.json_api = R"({"data":[)";
  document.manifest = R"({"schema":"7f3a","records":[)";
  std::string included;
  std::size_t slide_id = 0;
  for (std::size_t i = 1; i <= courses; ++i) {
    const std::string comma = i == 1 ? "" : ",";
    const std::string id = R"({"id":")" + std::to_string(i) + R"(",)";
    const std::string attributes =
        R"("title":"Versatile bifurcated capability","minutes":42,"published":true,)";
    std::string slides;
    std::string linkage;
    for (std::size_t s = 0; s < slides_per_course; ++s) {
      const std::string slide = R"({"id":")" + std::to_string(++slide_id) + R"(",)";
      const std::string rest =
          R"("content":")" + std::string(kContent) + R"(","order":)" + std::to_string(s) + ',';
      const std::string slide_comma = s == 0 ? "" : ",";
      slides += slide_comma + slide + rest + kDates + '}';
      linkage += slide_comma + slide + R"("type":"slide"})";
      included += (included.empty() ? "" : ",") + slide + R"("type":"fast_slide","attributes":)" + slide +
                  rest + kDates + "}}";
    }
    document.collection += comma + id + attributes + kDates + R"(,"slides":[)" + slides + "]}";
    document.json_api += comma + id + R"("type":"fast_course","attributes":)" + id + attributes + kDates +
                         R"(},"relationships":{"slides":{"data":[)" + linkage + "]}}}";
    document.manifest += comma + R"([")" + std::to_string(i) + R"(","2024-03-05T07:08:09.123456Z"])";
  }
  document.collection += "]}";
  document.json_api += R"(],"included":[)" + included + "]}";
  document.manifest += "]}";
  return document;
}

}  // namespace tessera::json
