// The form of a manifest's body.
#pragma once

#include <span>
#include <string>

#include "json/writer.h"
#include "origin/record_version.h"

namespace tessera::origin {

// {"schema":"...","records":[["1","2019-07-09T18:30:13.123456Z"],...]}
void write_manifest(const std::string& schema, std::span<const RecordVersion> versions, json::Writer& json);

}  // namespace tessera::origin
