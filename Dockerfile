# The command in a container: docker build -t rncryptor . && docker run --rm -i rncryptor --help
# Files of the host: docker run --rm -v "$PWD:/data" -u "$(id -u):$(id -g)" rncryptor decrypt -o notes.txt notes.rnc

FROM swift:6.3-bookworm AS build
WORKDIR /source
COPY . .
RUN scripts/package-deb /package

FROM debian:bookworm-slim
# The package depends on libssl3, which the system keeps up to date.
RUN --mount=type=bind,from=build,source=/package,target=/package \
    apt-get update -q && apt-get install -q -y --no-install-recommends /package/*.deb && rm -rf /var/lib/apt/lists/*
USER nobody
WORKDIR /data
ENTRYPOINT ["rncryptor"]
