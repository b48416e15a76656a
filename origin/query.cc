#include "origin/query.h"

#include <boost/url/encoding_opts.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace tessera::origin {

Checked<Parameters> parse_parameters(std::optional<std::string_view> query) {
  Parameters parameters;
  if (!query || query->empty()) return parameters;
  // Not boost::urls::parse_query: that of 1.81 reads on behind the end of a view, up to the next zero.
  const std::string target = "/?" + std::string(*query);
  const auto parsed = boost::urls::parse_origin_form(target);
  if (!parsed)
    return Problem{400, "the query holds a character, or a percent escape, that has no place in it"};

  boost::urls::encoding_opts options;
  options.space_as_plus = true;
  for (const auto& encoded : parsed->encoded_params()) {
    if (encoded.key.empty() && !encoded.has_value) continue;  // "a=1&&b=2"
    Parameter parameter{encoded.key.decode(options), encoded.value.decode(options), {}};
    parameter.text.assign(encoded.key.data(), encoded.key.size());
    if (encoded.has_value) parameter.text.append(1, '=').append(encoded.value.data(), encoded.value.size());
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

}  // namespace tessera::origin
