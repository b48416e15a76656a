// meta has one row (see schema.cc). Its revision is raised in the transaction that it counts, so whoever
// reads it in a transaction knows which state the rest of that transaction shows.
#include "origin/transaction.h"

#include <algorithm>
#include <chrono>

namespace tessera::origin {

ReadTransaction::ReadTransaction(Connection& connection) : connection_(connection) {
  connection_.clear_error();
  connection_.prepare("BEGIN").run();
  is_open_ = !connection_.error();
  // BEGIN alone takes nothing: this first read is what fixes the state that all later ones see.
  Statement meta = connection_.prepare("SELECT revision FROM meta");
  if (meta.next()) revision_ = meta.integer(0);
}

ReadTransaction::~ReadTransaction() {
  connection_.prepare("COMMIT").run();
}

WriteTransaction::WriteTransaction(Connection& connection, std::mutex& writers)
    : connection_(connection), lock_(writers) {
  connection_.clear_error();
  connection_.prepare("BEGIN IMMEDIATE").run();
  is_open_ = !connection_.error();
  Statement meta = connection_.prepare("SELECT revision, last_write FROM meta");
  if (!meta.next()) return;
  revision_ = meta.integer(0);
  const Timestamp last{std::chrono::microseconds{meta.integer(1)}};
  const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  time_ = std::max<Timestamp>(now, last + std::chrono::microseconds{1});
}

WriteTransaction::~WriteTransaction() {
  if (is_open_) connection_.prepare("ROLLBACK").run();
}

Result<Revision> WriteTransaction::commit() {
  connection_.prepare("UPDATE meta SET revision = ?1, last_write = ?2")
      .bind(1, revision_ + 1)
      .bind(2, time_.time_since_epoch().count())
      .run();
  if (connection_.error()) return connection_.error();
  connection_.prepare("COMMIT").run();
  if (connection_.error()) return connection_.error();
  is_open_ = false;
  return revision_ + 1;
}

Result<std::string> read_database_id(Connection& connection) {
  connection.clear_error();
  Statement meta = connection.prepare("SELECT database_id FROM meta");
  if (!meta.next()) return connection.error() ? connection.error() : make_error_code(Error::database_failed);
  return std::string(meta.text(0));
}

}  // namespace tessera::origin
