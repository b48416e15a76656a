#include "origin/database.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "origin/course_changes.h"
#include "origin/course_queries.h"
#include "tests/support/temporary.h"

namespace tessera::origin {
namespace {

using tessera::test::TemporaryDirectory;

std::string refusal(const std::string& path) {
  try {
    const DatabaseFile file(path, {1, 1});
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

Revision write_title(Database& database, std::int64_t id, const std::string& title) {
  WriteTransaction transaction(database.connection(), database.writers());
  CourseInput change;
  change.title = title;
  EXPECT_TRUE(CourseChanges(transaction).change_course(id, change));
  const Result<Revision> revision = transaction.commit();
  EXPECT_TRUE(revision);
  return *revision;
}

Timestamp version_of(Database& database, std::int64_t id) {
  ReadTransaction transaction(database.connection());
  Selection selection;
  selection.ids = {id};
  return read_versions(database.connection(), selection)->at(0).updated_at;
}

std::string title_of(Connection& connection, std::int64_t id) {
  Selection selection;
  selection.ids = {id};
  return std::string(read_courses(connection, selection, SlideScope::all)->courses.at(0).title);
}

TEST(OriginDatabase, InMemoryIsATemporaryFileThatGoesWithIt) {
  std::string path;
  {
    DatabaseFile file(":memory:", {2, 1});
    Database database(file);
    write_title(database, 1, "written");
    path = file.path();
    EXPECT_TRUE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + "-wal"));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

TEST(OriginDatabase, HasARandomIdThatStaysWithTheFile) {
  const TemporaryDirectory directory;
  std::string id;
  {
    DatabaseFile file(directory.file("a.db"), {2, 1});
    EXPECT_EQ(file.found(), Found::nothing);
    Database database(file);
    id = database.id();
    write_title(database, 1, "kept");
  }
  DatabaseFile file(directory.file("a.db"), {50, 50});
  EXPECT_EQ(file.found(), Found::data_set);
  Database database(file);
  EXPECT_EQ(database.id(), id);
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  ReadTransaction transaction(database.connection());
  EXPECT_EQ(transaction.revision(), 2);
  EXPECT_EQ(title_of(database.connection(), 1), "kept");
  EXPECT_EQ(*count_courses(database.connection(), {}), 2);

  DatabaseFile other(directory.file("b.db"), {2, 1});
  EXPECT_NE(Database(other).id(), id);
}

TEST(OriginDatabase, RefusesFilesThatAreNotItsOwn) {
  const TemporaryDirectory directory;
  { Connection(directory.file("other.db"), Durability::file).execute("CREATE TABLE t (x)"); }
  EXPECT_NE(refusal(directory.file("other.db")).find("another program"), std::string::npos);

  { const DatabaseFile file(directory.file("newer.db"), {1, 1}); }
  { Connection(directory.file("newer.db"), Durability::file).execute("PRAGMA user_version=99"); }
  EXPECT_NE(refusal(directory.file("newer.db")).find("another version"), std::string::npos);

  EXPECT_NE(refusal(directory.write("text.db", "this is no database, but long enough to be looked at"))
                .find("not a database"),
            std::string::npos);
  EXPECT_NE(refusal(directory.file("missing/a.db")).find("unable to open"), std::string::npos);
}

TEST(OriginDatabase, CountsWriteTransactionsInItsRevision) {
  DatabaseFile file(":memory:", {2, 1});
  Database database(file);
  EXPECT_EQ(ReadTransaction(database.connection()).revision(), 1);
  EXPECT_EQ(write_title(database, 1, "a"), 2);
  EXPECT_EQ(write_title(database, 2, "b"), 3);
  EXPECT_EQ(ReadTransaction(database.connection()).revision(), 3);
}

TEST(OriginDatabase, ForgetsATransactionThatIsNotCommitted) {
  DatabaseFile file(":memory:", {2, 1});
  Database database(file);
  const std::string before = title_of(database.connection(), 1);
  {
    WriteTransaction transaction(database.connection(), database.writers());
    CourseInput change;
    change.title = "never";
    EXPECT_TRUE(CourseChanges(transaction).change_course(1, change));
  }
  ReadTransaction transaction(database.connection());
  EXPECT_EQ(transaction.revision(), 1);
  EXPECT_EQ(title_of(database.connection(), 1), before);
}

TEST(OriginDatabase, ShowsOneStateToATransactionWhateverOthersWrite) {
  DatabaseFile file(":memory:", {2, 1});
  Database reader(file);
  Database writer(file);
  write_title(writer, 1, "before");
  {
    ReadTransaction transaction(reader.connection());
    EXPECT_EQ(transaction.revision(), 2);
    EXPECT_EQ(write_title(writer, 1, "after"), 3);
    EXPECT_EQ(title_of(reader.connection(), 1), "before");
  }
  EXPECT_EQ(ReadTransaction(reader.connection()).revision(), 3);
  EXPECT_EQ(title_of(reader.connection(), 1), "after");
}

TEST(OriginDatabase, MovesUpdatedAtForwardWithEveryWriteHoweverFast) {
  DatabaseFile file(":memory:", {2, 1});
  Database database(file);
  Timestamp last = version_of(database, 1);
  for (int i = 0; i < 200; ++i) {
    write_title(database, 1, "same");
    const Timestamp now = version_of(database, 1);
    ASSERT_LT(last, now);
    last = now;
  }
}

TEST(OriginDatabase, MovesUpdatedAtForwardEvenWhenTheClockIsBehind) {
  DatabaseFile file(":memory:", {2, 1});
  Database database(file);
  const Timestamp future{std::chrono::microseconds{4'000'000'000'000'000}};
  database.connection().execute("UPDATE courses SET updated_at = 4000000000000000 WHERE id = 1");
  write_title(database, 1, "a");
  EXPECT_EQ(version_of(database, 1), future + std::chrono::microseconds{1});

  database.connection().execute("UPDATE meta SET last_write = 4000000000000000");
  write_title(database, 2, "b");
  EXPECT_EQ(version_of(database, 2), future + std::chrono::microseconds{1});
  write_title(database, 2, "b");
  EXPECT_EQ(version_of(database, 2), future + std::chrono::microseconds{2});
}

TEST(OriginDatabase, GivesARecordThatTakesADeletedIdALaterVersion) {
  DatabaseFile file(":memory:", {2, 1});
  Database database(file);
  database.connection().execute("UPDATE meta SET last_write = 4000000000000000");
  write_title(database, 2, "a");
  const Timestamp before = version_of(database, 2);
  {
    WriteTransaction transaction(database.connection(), database.writers());
    ASSERT_TRUE(CourseChanges(transaction).delete_course(2));
    ASSERT_TRUE(transaction.commit());
  }
  {
    WriteTransaction transaction(database.connection(), database.writers());
    CourseInput course;
    course.id = 2;
    course.title = "a";
    ASSERT_TRUE(CourseChanges(transaction).create_course(course));
    ASSERT_TRUE(transaction.commit());
  }
  EXPECT_LT(before, version_of(database, 2));
}

TEST(OriginDatabase, TakesWritesOfManyThreadsOneAfterAnother) {
  DatabaseFile file(":memory:", {4, 1});
  constexpr int kThreads = 4;
  constexpr int kWrites = 50;
  std::vector<std::vector<Revision>> revisions(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Database database(file);
      for (int i = 0; i < kWrites; ++i) revisions[t].push_back(write_title(database, 1 + t, "x"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Revision> all;
  for (const auto& some : revisions) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kThreads * kWrites));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<Revision>(i) + 2);
}

TEST(OriginDatabase, ReportsAFailureAndWorksAgainAfterwards) {
  DatabaseFile file(":memory:", {1, 1});
  Database database(file);
  database.connection().execute("ALTER TABLE courses RENAME TO away");
  {
    ReadTransaction transaction(database.connection());
    const Result<CourseList> list = read_courses(database.connection(), {}, SlideScope::shown);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error(), Error::database_failed);
  }
  database.connection().clear_error();
  database.connection().execute("ALTER TABLE away RENAME TO courses");
  ReadTransaction transaction(database.connection());
  EXPECT_EQ(read_courses(database.connection(), {}, SlideScope::shown)->courses.size(), 1U);
}

}  // namespace
}  // namespace tessera::origin
