// One SQLite connection and its prepared statements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "origin/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tessera::origin {

class Connection;

// A prepared statement on loan from its connection's cache: reset when it goes out of scope. A failure ends
// the rows (next() is false) and is kept in Connection::error(). Texts that are bound must live as long as
// it.
class Statement {
 public:
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters count from 1.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_bytes(int parameter, std::string_view bytes);  // a BLOB
  Statement& bind_null(int parameter);

  bool next();  // true: there is a row, and its columns can be read until the next call
  void run();   // executes a statement whose rows, if any, do not matter

  // Columns count from 0. A text is valid until next().
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view bytes(int column) const;  // of a text or a BLOB; the same
  bool is_null(int column) const;

 private:
  friend class Connection;
  Statement(Connection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  void check(int code);

  Connection& connection_;
  sqlite3_stmt* statement_;  // null when it could not be prepared
};

enum class Durability : std::uint8_t {
  file,  // a crash of the machine may lose the last commits, never the database (WAL, synchronous=NORMAL)
  temporary,  // nothing needs to outlive the process
};

// Used by one thread at a time.
class Connection {
 public:
  // Opens the file, creating it when it is not there. Throws std::runtime_error with a sentence.
  Connection(const std::string& path, Durability durability);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `sql` is compiled once. One statement per text can be on loan at a time.
  Statement prepare(std::string_view sql);
  void execute(const char* sql);  // one or more statements, not kept

  std::int64_t last_insert_id() const;
  std::int64_t changes() const;  // rows that the last statement changed

  // The first failure since clear_error().
  boost::system::error_code error() const { return error_; }
  void clear_error() { error_.clear(); }

 private:
  friend class Statement;
  struct CloseConnection {
    void operator()(sqlite3* database) const;
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const;
  };

  void check(int code, const char* sql);

  std::unique_ptr<sqlite3, CloseConnection> database_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, FinalizeStatement>, std::less<>> statements_;
  boost::system::error_code error_;
};

}  // namespace tessera::origin
