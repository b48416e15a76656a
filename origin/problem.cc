#include "origin/problem.h"

#include "origin/error.h"

namespace tessera::origin {

Problem problem_of(boost::system::error_code error, std::string_view what) {
  if (error == Error::not_found) return {404, "there is no " + std::string(what)};
  if (error == Error::id_taken) return {409, "the id is taken"};
  if (error == Error::database_busy) return {503, "the database is busy; try again"};
  return {500, error.message()};
}

}  // namespace tessera::origin
