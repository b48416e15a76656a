// The settings of a route, each declared once; see describe.h.
#pragma once

#include "config/field.h"

namespace tessera::config {

template <class Visitor, MaybeConst<RouteSettings> Section>
void describe_matching(Visitor& visit, Section& s) {
  visit(Field{.name = "name",
              .meaning = "What statistics, purges and the log call the route.",
              .form = "letters, digits, '-', '_' and '.'",
              .check = check_route_name,
              .required = true},
        s.name);
  visit(Field{.name = "path",
              .meaning = "The paths that it takes: {name} is one segment, {*} at the end is the rest; "
                         "the first route that matches is used.",
              .form = "path template",
              .check = check_path,
              .required = true},
        s.path);
  visit(Field{.name = "cache",
              .meaning =
                  "How it answers: \"collection\" from the records' fragments, \"pass\" from the origin."},
        s.cache);
  visit(
      Field{
          .name = "mode",
          .meaning =
              "\"pass\" switches the route off, as POST /routes/NAME?mode=pass does on the admin listener."},
      s.mode);
  visit(Field{.name = "body",
              .meaning = "Largest body of a request; a larger one is answered 413; "
                         "0: what [limits] body allows.",
              .range = or_zero(between(Bytes{1}, kTiB))},
        s.body);
}

template <class Visitor, MaybeConst<RouteSettings> Section>
void describe_documents(Visitor& visit, Section& s) {
  visit(Field{.name = "manifest",
              .meaning =
                  "\"accept\": the request's own target, asked for as application/vnd.tessera.manifest+json; "
                  "or a target with {path}, {query} and the names in `path`.",
              .form = "\"accept\" or target template",
              .required = true},
        s.manifest);
  visit(Field{.name = "manifest_array",
              .meaning = "Where the manifest has its records.",
              .form = "JSON Pointer",
              .check = check_pointer},
        s.manifest_array);
  visit(Field{.name = "manifest_id",
              .meaning = "Where a record of the manifest has its id.",
              .form = "JSON Pointer",
              .check = check_pointer,
              .required = true},
        s.manifest_id);
  visit(Field{.name = "manifest_version",
              .meaning = "Where a record of the manifest has its version.",
              .form = "JSON Pointer",
              .check = check_pointer,
              .required = true},
        s.manifest_version);
  visit(Field{.name = "records",
              .meaning =
                  "The collection restricted to {ids}; may hold {path}, {query} and the names in `path`.",
              .form = "target template",
              .required = true},
        s.records);
  visit(Field{.name = "array",
              .meaning =
                  "Where the collection has its records: \"\" for a bare array; found by itself when unset.",
              .form = "JSON Pointer",
              .check = check_pointer},
        s.array);
  visit(Field{.name = "id",
              .meaning = "Where a record of the collection has its id.",
              .form = "JSON Pointer",
              .check = check_pointer,
              .required = true},
        s.id);
  visit(Field{.name = "version",
              .meaning = "Where a record of the collection shows its version in full; empty: it does not.",
              .form = "JSON Pointer",
              .check = check_pointer},
        s.version);
  visit(Field{.name = "included",
              .meaning = "Where a JSON:API collection has its included resources; empty: it is none.",
              .form = "JSON Pointer",
              .check = check_pointer},
        s.included);
  visit(
      Field{.name = "types",
            .meaning =
                "JSON:API: the type of the included resource for each type in a linkage, where they differ."},
      s.types);
  visit(Field{.name = "constant_members",
              .meaning =
                  "Members beside the array that never change, so that the manifest need not supply them."},
        s.constant_members);
}

template <class Visitor, MaybeConst<RouteSettings> Section>
void describe_caching(Visitor& visit, Section& s) {
  visit(
      Field{
          .name = "list_params",
          .meaning =
              "Query parameters that choose or order records but do not change them: the manifest gets them, "
              "the records do not.",
          .check = check_list_param},
      s.list_params);
  visit(Field{.name = "records_audience",
              .meaning = "Who may share a cached record where the manifest does not say: "
                         "\"private\" the same credentials only, \"shared\" everybody.",
              .words = "private|shared"},
        s.records_audience);
  visit(Field{.name = "credentials",
              .meaning =
                  "What tells callers apart: \"authorization\", \"cookie\" (all of them) or \"cookie:NAME\".",
              .check = check_credential},
        s.credentials);
  visit(Field{.name = "vary",
              .meaning = "Further request fields that responses vary on; they go along and join the key.",
              .check = check_field_name},
        s.vary);
  visit(Field{.name = "epoch",
              .meaning = "Part of every key: another one makes all that is stored unreachable.",
              .required = true},
        s.epoch);
  visit(Field{.name = "settle",
              .meaning =
                  "How long a version with fewer than six fraction digits may still hide a second write.",
              .range = between(Millis{0}, kHour)},
        s.settle);
  visit(Field{.name = "fragment_max_age",
              .meaning = "An older fragment is fetched again, whatever its version.",
              .range = between(kSecond, kYear)},
        s.fragment_max_age);
  visit(Field{.name = "stale_if_error",
              .meaning = "How old a snapshot may be that is served while the origin fails; 0s: none is.",
              .range = between(Millis{0}, kYear)},
        s.stale_if_error);
  visit(Field{.name = "verify",
              .meaning = "Share of live answers that are compared with the origin's own in the background.",
              .range = between(0, 1)},
        s.verify);
}

template <class Visitor, MaybeConst<RouteSettings> Section>
void describe(Visitor& visit, Section& s) {
  describe_matching(visit, s);
  describe_documents(visit, s);
  describe_caching(visit, s);
}

}  // namespace tessera::config
