#include "origin/database.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace tessera::origin {

// A folder of our own under TMPDIR; SQLite puts its -wal and -shm files beside the database.
class DatabaseFile::TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code ignored;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(ignored);
    std::string name = (parent.empty() ? "/tmp" : parent) / "tessera-origin-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("cannot make a temporary folder " + name + ": " + std::strerror(errno));
    }
    path_ = name;
  }

  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file() const { return path_ / "origin.db"; }

 private:
  std::filesystem::path path_;
};

DatabaseFile::DatabaseFile(const std::string& name, DataSetSize size) : path_(name) {
  if (name == ":memory:") {
    folder_ = std::make_unique<TemporaryFolder>();
    path_ = folder_->file();
    durability_ = Durability::temporary;
  }
  Connection connection(path_, durability_);
  found_ = prepare_database(connection, path_, size);
}

DatabaseFile::~DatabaseFile() = default;

Database::Database(DatabaseFile& file) : file_(file), connection_(file.path(), file.durability()) {
  Result<std::string> id = read_database_id(connection_);
  if (!id) throw std::runtime_error("cannot read the database " + file.path() + ": " + id.error().message());
  id_ = std::move(*id);
}

}  // namespace tessera::origin
