# The image holds one file that runs and one folder that is kept: `docker run -p 8080:8080 -v outreachd:/data outreachd`
FROM oven/bun:1.4.5 AS build
WORKDIR /source
COPY package.json bun.lock bunfig.toml ./
COPY patches ./patches
RUN bun install --frozen-lockfile
COPY . .
RUN bun run build && mkdir /empty

# The executable needs glibc and nothing else; this image adds certificates, time zones and the user nonroot (65532).
FROM gcr.io/distroless/base-nossl-debian12:nonroot
COPY --from=build /source/dist/outreachd /outreachd
# A new volume takes over the owner of the folder that it is mounted on, so nonroot can write there.
COPY --from=build --chown=65532:65532 /empty /data
COPY --from=build --chown=65532:65532 /empty /backups
ENV OUTREACHD_DATA=/data OUTREACHD_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/outreachd", "health"]
ENTRYPOINT ["/outreachd"]
CMD ["serve"]
