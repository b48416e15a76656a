// Transactions: one state of the database to read from, or one step to the next state.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "origin/connection.h"
#include "origin/error.h"
#include "origin/timestamp.h"

namespace tessera::origin {

// Counts the write transactions of a database since it was made.
using Revision = std::int64_t;

// Everything read while it lives comes from one state of the database, that of the revision it tells. Ends in
// its destructor. Same thread as the connection.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection);
  ~ReadTransaction();
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;

  Connection& connection() const { return connection_; }
  Revision revision() const { return revision_; }

 private:
  Connection& connection_;
  Revision revision_ = 0;
  bool is_open_ = false;
};

// Writes become visible with commit(), all at once, or not at all. Writers of one process queue on `writers`,
// as SQLite's own way of waiting is to try again and again.
class WriteTransaction {
 public:
  WriteTransaction(Connection& connection, std::mutex& writers);
  ~WriteTransaction();  // rolls back what was not committed
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  Connection& connection() const { return connection_; }
  // What this transaction writes as updated_at: later than every time that was ever written to this database,
  // even when the clock went back or a record of the same id was deleted in between.
  Timestamp time() const { return time_; }

  // The new revision, or the first error since the transaction began.
  Result<Revision> commit();

 private:
  Connection& connection_;
  std::unique_lock<std::mutex> lock_;
  Revision revision_ = 0;
  Timestamp time_;
  bool is_open_ = false;
};

// The random id that the database was given when it was made: 32 hexadecimal digits.
Result<std::string> read_database_id(Connection& connection);

}  // namespace tessera::origin
