# The image holds one file that runs and two folders that are kept:
#   docker build --build-arg SOURCE_COMMIT=$(git rev-parse --short=12 HEAD) -t outreachd .
#   docker run -p 127.0.0.1:8080:8080 -v outreachd:/data -v outreachd-backups:/backups outreachd
# With buildah or Podman, add --format docker: the usual format of their images has no health check.
# Tags can be moved. They are not pinned here, because a digest must be read from a registry when an image is updated. To build
# from images that cannot change, pass their digests: --build-arg BUN_IMAGE=oven/bun@sha256:… --build-arg BASE_IMAGE=…
ARG BUN_IMAGE=oven/bun:1.4.5
ARG BASE_IMAGE=gcr.io/distroless/base-nossl-debian12:nonroot

FROM ${BUN_IMAGE} AS build
WORKDIR /source
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile
COPY . .
# The repository is not in the build context.
ARG SOURCE_COMMIT
RUN SOURCE_COMMIT=${SOURCE_COMMIT} bun run build && mkdir /empty

# The executable needs glibc and nothing else; this image adds certificates, time zones and the user nonroot (65532).
FROM ${BASE_IMAGE}
COPY --from=build /source/LICENSE /source/THIRD-PARTY-NOTICES.md /licenses/
COPY --from=build /source/dist/outreachd /outreachd
# A new volume takes over the owner of the folder that it is mounted on, so nonroot can write there.
COPY --from=build --chown=65532:65532 /empty /data
COPY --from=build --chown=65532:65532 /empty /backups
# Defaults, which a file of options outranks as well (OUTREACHD_CONFIG=/config.toml). The port is published on loopback, or
# wherever the command above says.
ENV OUTREACHD_IMAGE_DATA=/data OUTREACHD_IMAGE_LISTEN=0.0.0.0:8080
VOLUME ["/data", "/backups"]
# Also of the base image, and here for any other one.
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/outreachd", "health"]
ENTRYPOINT ["/outreachd"]
CMD ["serve"]
