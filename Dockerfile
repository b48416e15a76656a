# Two programs in one image: tessera-proxy, which it runs, and tessera-origin, for trying it out.
FROM debian:bookworm-slim AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      g++ cmake ninja-build pkg-config libboost1.81-dev libboost-url1.81-dev libssl-dev zlib1g-dev libhiredis-dev \
      libsqlite3-dev libxxhash-dev libspdlog-dev libcli11-dev libtomlplusplus-dev rapidjson-dev nlohmann-json3-dev \
      libyaml-cpp-dev \
 && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN cmake -S /source -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DTESSERA_TESTS=OFF \
 && cmake --build /build --target tessera-origin tessera-proxy \
 && strip /build/origin/tessera-origin /build/proxy/tessera-proxy

FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      ca-certificates libboost-url1.81.0 libssl3 zlib1g libhiredis0.14 libsqlite3-0 libxxhash0 libspdlog1.10 libfmt9 libtomlplusplus3 \
      libyaml-cpp0.7 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --no-create-home --shell /usr/sbin/nologin tessera
COPY --from=build /build/origin/tessera-origin /build/proxy/tessera-proxy /usr/local/bin/
USER tessera
# The admin listener stays on the container's own loopback, so it needs no token.
ENV TESSERA_LISTEN_ADDRESS=0.0.0.0:8080
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/9080 && printf 'GET /healthz HTTP/1.1\\r\\nHost: 127.0.0.1:9080\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["tessera-proxy"]
