// Clients that people use, through the proxy: Python's http.client, pipelining by hand, Node's fetch
// (undici), curl.
#include <gtest/gtest.h>

#include "tests/end_to_end/stack.h"

namespace tessera::test {
namespace {

// What the program printed; the test fails when it does not end well.
std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
  Process process(program, arguments);
  const int status = process.wait().value_or(-1);
  EXPECT_EQ(status, 0) << program << ": " << process.errors();
  return process.output();
}

TEST(Clients, PythonKeepsItsConnection) {
  Stack stack;
  const auto url = parse_url(stack.proxy.url());
  constexpr const char* kScript = R"(
import http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], int(sys.argv[2]))
sizes, sockets = set(), set()
for _ in range(20):
    connection.request('GET', '/courses/jbuilder')
    response = connection.getresponse()
    assert response.status == 200, response.status
    sizes.add(len(response.read()))
    sockets.add(id(connection.sock))
assert len(sockets) == 1, 'the connection was not kept'
print(*sizes)
)";
  EXPECT_EQ(output_of("/usr/bin/python3", {"-c", kScript, url.host, std::to_string(url.port)}),
            std::to_string(stack.origin.get("/courses/jbuilder").body.size()) + "\n");
}

TEST(Clients, FiftyPipelinedRequestsAreAnsweredInOrder) {
  Stack stack;
  const auto url = parse_url(stack.proxy.url());
  constexpr const char* kScript = R"(
import http.client, socket, sys
class Kept:  # http.client reads one response from a socket that holds fifty
    def __init__(self, file): self.file = file
    def makefile(self, *_): return self.file
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
targets = ['/courses/%d' % (i + 1) if i % 2 else '/courses/jbuilder?ids=%d' % (i + 1) for i in range(50)]
connection.sendall(b''.join(b'GET %s HTTP/1.1\r\nHost: a\r\n\r\n' % target.encode() for target in targets))
file = connection.makefile('rb')
file.close = lambda: None
for i in range(50):
    response = http.client.HTTPResponse(Kept(file), method='GET')
    response.begin()
    body = response.read(int(response.headers['Content-Length']))
    assert response.status in (200, 404), response.status
    named = b'"id":%d,' % (i + 1) in body or b'"id":"%d"' % (i + 1) in body
    assert named or response.status == 404 or body == b'{"courses":[]}', (i, body[:80])
print('in order')
)";
  EXPECT_EQ(output_of("/usr/bin/python3", {"-c", kScript, url.host, std::to_string(url.port)}), "in order\n");
}

TEST(Clients, NodesFetchReadsManyAtOnce) {
  Stack stack;
  constexpr const char* kScript = R"(
(async () => {
  const bodies = await Promise.all(Array.from({ length: 20 }, async () => {
    const response = await fetch(process.argv[1]);
    if (response.status !== 200) throw new Error(response.status);
    return response.text();
  }));
  console.log(new Set(bodies).size, bodies[0].length);
})().catch((error) => { console.error(error); process.exit(1); });
)";
  EXPECT_EQ(output_of("node", {"-e", kScript, stack.proxy.url("/courses/jbuilder")}),
            "1 " + std::to_string(stack.origin.get("/courses/jbuilder").body.size()) + "\n");
}

TEST(Clients, CurlSpeaksBothVersions) {
  Stack stack;
  const std::string expected = stack.origin.get("/courses/blueprinter").body;
  for (const char* version : {"--http1.0", "--http1.1"}) {
    EXPECT_EQ(output_of("curl", {"-fsS", version, stack.proxy.url("/courses/blueprinter")}), expected)
        << version;
  }
}

}  // namespace
}  // namespace tessera::test
