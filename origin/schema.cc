#include "origin/schema.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>

namespace tessera::origin {
namespace {

constexpr std::int64_t kApplicationId = 0x54657373;  // "Tess"; how a database of ours is known
constexpr std::int64_t kVersion = 2;

// Times are microseconds since 1970 (UTC). published is 1, 0 or NULL. A slide goes when its course goes.
constexpr const char* kTables = R"(
  CREATE TABLE meta (
    database_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    last_write INTEGER NOT NULL
  );
  CREATE TABLE courses (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    minutes INTEGER,
    published INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE TABLE slides (
    id INTEGER PRIMARY KEY,
    course_id INTEGER NOT NULL REFERENCES courses (id) ON DELETE CASCADE,
    content TEXT NOT NULL,
    "order" INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX slides_by_course ON slides (course_id);
)";

// Since version 2. body is TEXT for a codec that stores text, else a BLOB; without a declared type SQLite
// keeps what it is given.
constexpr const char* kArticleTable = R"(
  CREATE TABLE articles (
    id INTEGER PRIMARY KEY,
    codec TEXT NOT NULL,
    body NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX articles_latest ON articles (codec, created_at DESC, id DESC);
)";

std::int64_t microseconds(Timestamp time) {
  return time.time_since_epoch().count();
}

std::int64_t read_integer(Connection& connection, std::string_view sql) {
  Statement row = connection.prepare(sql);
  return row.next() ? row.integer(0) : 0;
}

std::string random_id() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device device;
  std::string id;
  while (id.size() < 32) {
    for (unsigned bits = device(), i = 0; i < 8; ++i, bits >>= 4U) id += kDigits[bits & 0xFU];
  }
  return id;
}

void insert_slide(Connection& connection, const GeneratedSlide& slide) {
  connection
      .prepare(
          "INSERT INTO slides (id, course_id, content, \"order\", created_at, updated_at)"
          " VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
      .bind(1, slide.id)
      .bind(2, slide.course_id)
      .bind(3, slide.content)
      .bind(4, slide.order)
      .bind(5, microseconds(slide.created_at))
      .bind(6, microseconds(slide.updated_at))
      .run();
}

void insert_course(Connection& connection, const GeneratedCourse& course) {
  Statement insert = connection.prepare(
      "INSERT INTO courses (id, title, minutes, published, created_at, updated_at)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  insert.bind(1, course.id).bind(2, course.title);
  if (course.minutes) insert.bind(3, *course.minutes);
  if (course.published) insert.bind(4, static_cast<std::int64_t>(*course.published));
  insert.bind(5, microseconds(course.created_at)).bind(6, microseconds(course.updated_at)).run();
}

void insert_data_set(Connection& connection, DataSetSize size) {
  const Generator generator(size);
  Timestamp last_write{};
  for (std::int64_t id = 1; id <= size.courses; ++id) {
    const GeneratedCourse course = generator.course(id);
    last_write = std::max(last_write, course.updated_at);
    insert_course(connection, course);
    for (std::int64_t order = 0; order < size.slides; ++order) {
      insert_slide(connection, generator.slide(course, order));
    }
  }
  connection.prepare("INSERT INTO meta (database_id, revision, last_write) VALUES (?1, 1, ?2)")
      .bind(1, random_id())
      .bind(2, microseconds(last_write))
      .run();
}

void add_articles(Connection& connection) {
  connection.execute(kArticleTable);
  connection.execute(("PRAGMA user_version=" + std::to_string(kVersion)).c_str());
}

void create(Connection& connection, DataSetSize size) {
  connection.execute(kTables);
  connection.execute(("PRAGMA application_id=" + std::to_string(kApplicationId)).c_str());
  add_articles(connection);
  insert_data_set(connection, size);
}

Found prepare_in_transaction(Connection& connection, const std::string& path, DataSetSize size) {
  if (read_integer(connection, "PRAGMA application_id") == kApplicationId) {
    const std::int64_t version = read_integer(connection, "PRAGMA user_version");
    if (version == 1) add_articles(connection);
    if (version == 1 || version == kVersion) return Found::data_set;
    throw std::runtime_error(path + " was made by another version of tessera-origin; name another file");
  }
  if (read_integer(connection, "SELECT count(*) FROM sqlite_schema") != 0) {
    throw std::runtime_error(path + " is the database of another program; name another file");
  }
  create(connection, size);
  return Found::nothing;
}

}  // namespace

Found prepare_database(Connection& connection, const std::string& path, DataSetSize size) {
  connection.clear_error();
  connection.prepare("BEGIN IMMEDIATE").run();
  const Found found = prepare_in_transaction(connection, path, size);
  connection.prepare("COMMIT").run();
  if (connection.error()) {
    throw std::runtime_error("cannot set up the database " + path + ": " + connection.error().message());
  }
  return found;
}

}  // namespace tessera::origin
