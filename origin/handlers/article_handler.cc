#include "origin/handlers/article_handler.h"

#include "origin/article_changes.h"
#include "origin/article_queries.h"
#include "origin/handlers/manifest_body.h"
#include "origin/handlers/read_answer.h"
#include "origin/handlers/refusal.h"
#include "origin/handlers/write_answer.h"
#include "origin/negotiation.h"
#include "origin/renderings/record_writer.h"
#include "origin/validators.h"

namespace tessera::origin {
namespace {

constexpr json::Key kArticles{"articles"};
constexpr json::Key kBody{"body"};

// Raised with any change of the bytes below, or of what a codec's decode writes.
constexpr int kVersion = 1;

// What the client sent cannot be kept: 400 when it is no JSON at all, else 422.
Problem refusal_of(boost::system::error_code error) {
  if (error == json::Error::malformed) return {400, "the body is not JSON in UTF-8"};
  if (error == json::Error::too_deep) {
    return {422, "the body is nested deeper than " + std::to_string(json::kMaxDepth)};
  }
  return {422, "the body cannot be kept: " + error.message()};
}

std::optional<Problem> refuse_accept(const http::RequestHead& head) {
  if (accepts_json(head.fields)) return std::nullopt;
  return Problem{406, "articles are shown as application/json"};
}

Checked<ArticleSelection> selection_of(const http::RequestHead& head) {
  const Checked<Parameters> parameters = parse_parameters(head.query());
  if (!parameters) return parameters.error();
  return parse_article_selection(*parameters);
}

// Writes articles one after the other.
class ArticleWriter {
 public:
  ArticleWriter(const json::Codec& codec, json::Writer& json, Statistics& statistics)
      : codec_(codec), json_(json), statistics_(statistics), records_(json, Precision::microseconds) {}

  Checked<void> write(const Article& article) {
    json_.begin_object();
    records_.id(article.id);
    json_.key(kBody);
    if (const json::Result<void> decoded = codec_.decode(article.body, json_); !decoded) {
      return Problem{500, article_name(article.id) + " cannot be read: " + decoded.error().message()};
    }
    records_.created_at(article.created_at);
    records_.updated_at(article.updated_at);
    json_.end_object();
    statistics_.add(Counter::articles_decoded);
    return {};
  }

 private:
  const json::Codec& codec_;
  json::Writer& json_;
  Statistics& statistics_;
  RecordWriter records_;
};

}  // namespace

std::string ArticleHandler::schema(const json::Codec& codec) const {
  std::string code = "article-";
  code.append(codec.name()).append(1, '.').append(std::to_string(kVersion));
  return schema_of(context_.database.id(), code, context_.escape);
}

http::Response ArticleHandler::get_collection(const http::RequestHead& head, const json::Codec& codec) const {
  if (prefers_manifest(head.fields)) return get_manifest(head, codec);
  if (const auto problem = refuse_accept(head)) return to_response(*problem);
  const Checked<ArticleSelection> selection = selection_of(head);
  if (!selection) return to_response(selection.error());
  context_.statistics.add(selection->ids ? Counter::records_requests : Counter::collection_requests);

  const auto write_body = [&](ReadTransaction& transaction, http::Fields&,
                              json::Writer& json) -> Checked<void> {
    ArticleWriter articles(codec, json, context_.statistics);
    json.begin_object();
    json.key(kArticles);
    json.begin_array();
    const Checked<void> written =
        read_articles(transaction.connection(), codec, *selection,
                      [&](const Article& article) { return articles.write(article); });
    if (!written) return written.error();
    json.end_array();
    json.end_object();
    return {};
  };
  http::Response response = read_answer(context_, head, ReadContent{kJson, schema(codec)}, write_body);
  if (response.head.status == 304) context_.statistics.add(Counter::collection_not_modified);
  return response;
}

http::Response ArticleHandler::get_manifest(const http::RequestHead& head, const json::Codec& codec) const {
  context_.statistics.add(Counter::manifest_requests);
  const Checked<ArticleSelection> selection = selection_of(head);
  if (!selection) return to_response(selection.error());
  const std::string schema = this->schema(codec);
  const auto write_body = [&](ReadTransaction& transaction, http::Fields&,
                              json::Writer& json) -> Checked<void> {
    const Result<std::vector<RecordVersion>> versions =
        read_article_versions(transaction.connection(), codec, *selection);
    if (!versions) return problem_of(versions.error());
    write_manifest(schema, *versions, json);
    return {};
  };
  http::Response response = read_answer(context_, head, ReadContent{kManifest, schema}, write_body);
  if (response.head.status == 304) context_.statistics.add(Counter::manifest_not_modified);
  return response;
}

http::Response ArticleHandler::get(const http::RequestHead& head, const json::Codec& codec,
                                   std::int64_t id) const {
  if (const auto problem = refuse_accept(head)) return to_response(*problem);
  const auto write_body = [&](ReadTransaction& transaction, http::Fields&, json::Writer& json) {
    ArticleWriter articles(codec, json, context_.statistics);
    return read_article(transaction.connection(), codec, id,
                        [&](const Article& article) { return articles.write(article); });
  };
  return read_answer(context_, head, ReadContent{kJson, schema(codec)}, write_body);
}

http::Response ArticleHandler::create(const http::RequestHead& head, std::string_view body,
                                      const json::Codec& codec) const {
  if (const auto problem = refuse_media_type(head)) return to_response(*problem);
  if (const auto problem = refuse_accept(head)) return to_response(*problem);
  const json::Result<std::string> stored = codec.encode(body);
  if (!stored) return to_response(refusal_of(stored.error()));
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer& json) -> Checked<Written> {
    const Result<std::int64_t> id = ArticleChanges(transaction).create(codec, *stored);
    if (!id) return problem_of(id.error());
    ArticleWriter articles(codec, json, context_.statistics);
    const Checked<void> written =
        read_article(transaction.connection(), codec, *id,
                     [&](const Article& article) { return articles.write(article); });
    if (!written) return written.error();
    return Written{201, "/articles/" + std::string(codec.name()) + '/' + std::to_string(*id)};
  });
}

http::Response ArticleHandler::remove(const json::Codec& codec, std::int64_t id) const {
  return write_answer(context_, [&](WriteTransaction& transaction, json::Writer&) -> Checked<Written> {
    const Result<void> removed = ArticleChanges(transaction).remove(codec, id);
    if (!removed) return problem_of(removed.error(), article_name(id));
    return Written{204, {}};
  });
}

}  // namespace tessera::origin
