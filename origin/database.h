// The database of a running origin: the file, and a connection for each thread.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "origin/connection.h"
#include "origin/generator.h"
#include "origin/schema.h"
#include "origin/transaction.h"

namespace tessera::origin {

// Where the data lives. Outlives every Database; shared by all threads.
class DatabaseFile {
 public:
  // `name` is a path, or ":memory:" for a private temporary file that the destructor removes. A new database
  // is filled with the generated data set. Throws std::runtime_error with a sentence.
  DatabaseFile(const std::string& name, DataSetSize size);
  ~DatabaseFile();
  DatabaseFile(const DatabaseFile&) = delete;
  DatabaseFile& operator=(const DatabaseFile&) = delete;

  const std::string& path() const { return path_; }
  Durability durability() const { return durability_; }
  Found found() const { return found_; }
  std::mutex& writers() { return writers_; }

 private:
  class TemporaryFolder;

  std::unique_ptr<TemporaryFolder> folder_;
  std::string path_;
  Durability durability_ = Durability::file;
  Found found_ = Found::nothing;
  std::mutex writers_;  // held by the one WriteTransaction that is open
};

// One thread's way to the data.
class Database {
 public:
  explicit Database(DatabaseFile& file);

  const std::string& id() const { return id_; }
  Connection& connection() { return connection_; }
  std::mutex& writers() { return file_.writers(); }

 private:
  DatabaseFile& file_;
  Connection connection_;
  std::string id_;
};

}  // namespace tessera::origin
