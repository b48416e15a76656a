// The settings of TLS and of the PROXY protocol; part of describe.h.
#pragma once

#include "config/field.h"

namespace tessera::config {

template <class Visitor, MaybeConst<std::string> Text>
void describe_proxy_protocol(Visitor& visit, Text& value) {
  visit(Field{.name = "proxy_protocol",
              .meaning =
                  "Whether each connection begins with a PROXY header (version 1 or 2) of the load balancer "
                  "in front, which names the client; a connection without one is closed.",
              .words = "off|required"},
        value);
}

template <class Visitor, MaybeConst<TlsSettings> Section>
void describe(Visitor& visit, Section& s) {
  visit(Field{.name = "address",
              .meaning = "Where clients connect with TLS, beside listen.address; empty: nowhere.",
              .form = "host:port",
              .check = check_address},
        s.address);
  visit(Field{.name = "certificates",
              .meaning =
                  "Certificate chains, the server's own first in each; chosen by the name that a client asks "
                  "for, the first one for all other names. Read again when a file changes.",
              .form = "names of PEM files"},
        s.certificates);
  visit(Field{.name = "keys",
              .meaning =
                  "The private keys, one for each of the chains; empty: each chain's file holds its key.",
              .form = "names of PEM files"},
        s.keys);
  visit(Field{.name = "minimum_version",
              .meaning = "The oldest version of TLS that is spoken with clients.",
              .words = "1.2|1.3"},
        s.minimum_version);
  visit(Field{.name = "client_auth",
              .meaning = "Whether clients must (require) or may (request) show a certificate.",
              .words = "none|request|require"},
        s.client_auth);
  visit(Field{.name = "client_ca",
              .meaning = "The authorities that vouch for clients' certificates.",
              .form = "name of a PEM file"},
        s.client_ca);
  visit(Field{.name = "handshake_timeout",
              .meaning = "Longest time from a connection to the end of its TLS handshake.",
              .range = between(Millis{1}, kHour)},
        s.handshake_timeout);
  describe_proxy_protocol(visit, s.proxy_protocol);
}

template <class Visitor, MaybeConst<OriginSettings> Section>
void describe_origin_tls(Visitor& visit, Section& s) {
  visit(Field{.name = "tls_ca",
              .meaning = "Certificates that an https:// origin is checked against; empty: the system's.",
              .form = "name of a PEM file"},
        s.tls_ca);
  visit(Field{.name = "tls_certificate",
              .meaning = "Certificate chain that is shown to an https:// origin; empty: none.",
              .form = "name of a PEM file"},
        s.tls_certificate);
  visit(Field{.name = "tls_key",
              .meaning = "The private key of tls_certificate; empty: it is in the same file.",
              .form = "name of a PEM file"},
        s.tls_key);
  visit(Field{.name = "tls_server_name",
              .meaning =
                  "The name that an https:// origin is asked for and must prove; empty: the host of its URL.",
              .form = "host",
              .check = check_host_name},
        s.tls_server_name);
  visit(
      Field{.name = "tls_verify",
            .meaning =
                "Whether an https:// origin must prove who it is; false leaves the way to it open to anybody "
                "in between."},
      s.tls_verify);
}

}  // namespace tessera::config
