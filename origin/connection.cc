#include "origin/connection.h"

#include <stdexcept>

#include <spdlog/spdlog.h>
#include <sqlite3.h>

namespace tessera::origin {
namespace {

constexpr int kBusyTimeout = 5'000;  // milliseconds

bool is_failure(int code) {
  return code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE;
}

Error error_of(int code) {
  switch (code & 0xFF) {  // the low byte is the primary code
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error::database_busy;
    case SQLITE_CONSTRAINT:
      return Error::id_taken;  // ids are the only constraint that checked input can break
    default:
      return Error::database_failed;
  }
}

}  // namespace

void Connection::CloseConnection::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

void Connection::FinalizeStatement::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Connection::Connection(const std::string& path, Durability durability) {
  sqlite3* database = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(database, kBusyTimeout);
    const std::string settings = std::string("PRAGMA journal_mode=WAL; PRAGMA foreign_keys=ON;") +
                                 "PRAGMA mmap_size=268435456; PRAGMA cache_size=-16384; PRAGMA synchronous=" +
                                 (durability == Durability::file ? "NORMAL;" : "OFF;");
    code = sqlite3_exec(database, settings.c_str(), nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK) {
    const std::string cause = database != nullptr ? sqlite3_errmsg(database) : "out of memory";
    throw std::runtime_error("cannot open the database " + path + ": " + cause);
  }
}

Connection::~Connection() = default;

Statement Connection::prepare(std::string_view sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) {
      check(code, std::string(sql).c_str());
      return Statement(*this, nullptr);
    }
    found = statements_.emplace(std::string(sql), statement).first;
  }
  return Statement(*this, found->second.get());
}

void Connection::execute(const char* sql) {
  check(sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr), sql);
}

std::int64_t Connection::last_insert_id() const {
  return sqlite3_last_insert_rowid(database_.get());
}

std::int64_t Connection::changes() const {
  return sqlite3_changes(database_.get());
}

void Connection::check(int code, const char* sql) {
  if (!is_failure(code)) return;
  const Error error = error_of(code);
  if (error == Error::database_failed) {
    spdlog::error("database: {} ({}) in: {}", sqlite3_errmsg(database_.get()), code, sql);
  }
  if (!error_) error_ = error;
}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::check(int code) {
  connection_.check(code, sqlite3_sql(statement_));
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (statement_ != nullptr) check(sqlite3_bind_int64(statement_, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";  // a null pointer would bind NULL
  if (statement_ != nullptr) {
    check(sqlite3_bind_text(statement_, parameter, data, static_cast<int>(text.size()), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  if (statement_ != nullptr) {
    check(sqlite3_bind_blob(statement_, parameter, data, static_cast<int>(bytes.size()), SQLITE_STATIC));
  }
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  if (statement_ != nullptr) check(sqlite3_bind_null(statement_, parameter));
  return *this;
}

bool Statement::next() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  check(code);
  return code == SQLITE_ROW;
}

void Statement::run() {
  while (next()) {
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

}  // namespace tessera::origin
