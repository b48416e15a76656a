#include "proxy/verifier.h"

#include <algorithm>

#include <spdlog/spdlog.h>

#include "cache/digest.h"

namespace tessera::proxy {

http::Task<Verdict> Verifier::verify(CollectionRequestPtr request, ManifestAnswerPtr answer,
                                     cache::SnapshotPtr snapshot, Worker& worker, ManifestAnswerPtr* newer) {
  count(statistics_.origin_verify);
  const CollectionClient::OnStream nobody;
  const WholeCollection whole = co_await collections_.fetch(request, worker, nobody);
  if (whole.failure != Reason::none) co_return Verdict::failed;
  const bool one_state = !answer->revision.empty() && answer->revision == whole.representation.revision;
  if (!one_state) {
    const auto got =
        co_await manifests_.get(request, worker, ManifestClient::Purpose::check, http::kNoDeadline);
    if (!got.answer || got.answer->kind != ManifestAnswer::Kind::manifest) co_return Verdict::failed;
    *newer = got.answer;
    if (got.answer->manifest->digest() != answer->manifest->digest()) co_return Verdict::moved;
  }
  if (whole.document == snapshot->body()) {
    count(statistics_.verified);
    co_return Verdict::equal;
  }
  count(statistics_.mismatches);
  log_difference(*snapshot, whole.document);
  co_return Verdict::different;
}

void Verifier::log_difference(const cache::Snapshot& snapshot, std::string_view document) const {
  const std::string_view body = snapshot.body();
  const auto at = std::mismatch(body.begin(), body.end(), document.begin(), document.end());
  const auto offset = static_cast<std::size_t>(at.first - body.begin());
  std::string where = "the envelope";
  std::string ours;
  const auto& entries = snapshot.manifest()->entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string_view bytes = snapshot.record(i).bytes;
    const auto begin = static_cast<std::size_t>(bytes.data() - body.data());
    if (offset < begin || offset >= begin + bytes.size()) continue;
    where = "record " + std::to_string(i);
    ours = snapshot.record(i).content.hex();
    break;
  }
  spdlog::error(
      "route {}: verification found an answer that differs from the origin's at byte {} of {}, in {} "
      "(assembled {}, origin {}, "
      "record {}); the route passes every request on until POST /routes/{}?mode=serve",
      route_, offset, document.size(), where, cache::digest_of(body).hex(), cache::digest_of(document).hex(),
      ours, route_);
}

}  // namespace tessera::proxy
