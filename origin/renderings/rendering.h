// One way to show courses as JSON. NAME.cc holds the rendering of that name and defines
// `std::unique_ptr<const Rendering> make_NAME()`; the list in origin/CMakeLists.txt makes it known.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "json/writer.h"
#include "origin/course.h"

namespace tessera::origin {

// Stateless; used from every thread at once.
class Rendering {
 public:
  virtual ~Rendering() = default;

  virtual std::string_view name() const = 0;  // the last segment of its URL
  // Raised with every change of the code that changes a byte of output. It is part of the schema that caches
  // key on, so old fragments are not mixed with new ones during a deployment.
  virtual int version() const = 0;

  // The whole document: envelope and records.
  virtual void write_collection(std::span<const Course> courses, json::Writer& writer) const = 0;
  // One course on its own: the bytes it has in the collection, or the rendering's form for a single record.
  virtual void write_record(const Course& course, json::Writer& writer) const = 0;
};

}  // namespace tessera::origin
