# The program `feedback` as a private server (docs/server.md).

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --locked --release --package feedback \
    && cp target/release/feedback /usr/local/bin/ \
    && mkdir /data

# It has a C library and root certificates, and neither a shell nor a package manager.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /usr/local/bin/feedback /usr/local/bin/feedback
COPY --from=build --chown=65532:65532 --chmod=700 /data /data
USER 65532:65532
# Imports sort here, and SQLite keeps its temporary files here. Nothing outside /data is written.
ENV SQLITE_TMPDIR=/data TMPDIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s CMD ["feedback", "health"]
ENTRYPOINT ["feedback"]
CMD ["serve", "--data", "/data", "--listen", "0.0.0.0:3000"]
