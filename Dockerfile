# The image holds one file that runs and two folders that are kept:
#   docker build --build-arg SOURCE_COMMIT=$(git rev-parse --short=12 HEAD) -t outreachd .
#   docker run -p 127.0.0.1:8080:8080 -v outreachd:/data -v outreachd-backups:/backups outreachd
# With buildah or Podman, add --format docker: the usual format of their images has no health check.
# Tags can be moved, so the base images are named by digest as well (docs/releasing.md says how to update them). Others can be
# passed: --build-arg BUN_IMAGE=… is any image that has Bun or npm, and --build-arg BASE_IMAGE=… any that has glibc.
ARG BUN_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG BASE_IMAGE=gcr.io/distroless/base-nossl-debian12:nonroot@sha256:be40c00dfabd86576d92666e87e406714d5618342de1a0c213ad232de255172e

FROM ${BUN_IMAGE} AS build
# A published version of a package never changes.
RUN command -v bun || npm install --global bun@1.4.5
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
