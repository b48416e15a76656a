// The one translation unit that holds the bodies of Asio and Beast (see Dependencies.cmake).
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
