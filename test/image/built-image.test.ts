import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import {
  buildImage,
  execute,
  findEngine,
  inspectImage,
  reasonAgainstContainers,
  removeImages,
  startContainer,
} from "../support/container.ts";
import { createDirectory } from "../support/program.ts";
import { eventually } from "../support/service.ts";

/** The image as the Dockerfile builds it, in containers that are started as docs/operations.md says. */

setDefaultTimeout(120_000);

const directory = await createDirectory();
chmodSync(directory.path, 0o755);
const data = `outreachd-test-data-${process.pid}`;
const backups = `outreachd-test-backups-${process.pid}`;
let reason = reasonAgainstContainers();
let engine: readonly string[] = [];
if (reason === null) {
  buildImage(directory.path);
  const found = findEngine();
  engine = found.command ?? [];
  reason = found.reason;
}
afterAll(async () => {
  if (engine.length > 0) removeImages([data, backups]);
  await directory[Symbol.asyncDispose]();
});

if (reason !== null) test.skip(`the image is not run, because no container can run here: ${reason}`, () => {});
const inContainer = test.skipIf(reason !== null);

const volumes = ["-v", `${data}:/data`, "-v", `${backups}:/backups`];
const restricted = ["--cap-drop=all", "--security-opt", "no-new-privileges"];
const folderOf = (volume: string) =>
  execute(["podman", "volume", "inspect", "--format", "{{.Mountpoint}}", volume]).out;
const healthy = (container: { run: (...command: string[]) => { exitCode: number } }) =>
  eventually("the server to be healthy", async () =>
    container.run("/outreachd", "health").exitCode === 0 ? true : null,
  );

inContainer("the image has its user, volumes, entrypoint, and health check", () => {
  expect(inspectImage().Config).toMatchObject({
    User: "65532:65532",
    Volumes: { "/data": {}, "/backups": {} },
    Entrypoint: ["/outreachd"],
    Cmd: ["serve"],
    ExposedPorts: { "8080/tcp": {} },
  });
  expect(JSON.stringify(inspectImage())).toContain('["CMD","/outreachd","health"]');
});

inContainer("it serves this machine only, is healthy, stores data and backups as its user, and drains", async () => {
  await using container = startContainer(engine, `outreachd-test-${process.pid}`, [
    ...[...restricted, "-p", "127.0.0.1::8080", ...volumes],
    ...["-e", "OUTREACHD_BACKUP_TO=/backups"],
  ]);
  await healthy(container);
  expect(execute(["podman", "healthcheck", "run", container.name]).exitCode).toBe(0);
  const url = container.urlOf(8080);
  const [, key = ""] = /(oak_[0-9a-f]{64})/.exec(container.log()) ?? [];
  const health = await fetch(`${url}/api/v2/health`, { headers: { "x-api-key": key } });
  expect([health.status, await health.text()]).toEqual([200, expect.stringContaining('"commit":"0123456789ab"')]);

  const outside = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const others = outside.filter(({ family, internal }) => family === "IPv4" && !internal);
  for (const { address } of others) {
    const there = fetch(`http://${address}:${new URL(url).port}/healthz`, { signal: AbortSignal.timeout(2000) });
    expect(
      await there.then(
        ({ status }) => status,
        () => "refused",
      ),
    ).toBe("refused");
  }

  expect(container.run("/outreachd", "backup").exitCode).toBe(0);
  expect(readdirSync(folderOf(backups)).filter((name) => name.endsWith(".tar.zst"))).toHaveLength(1);
  const { uid, gid, mode } = statSync(join(folderOf(data), "outreachd.db"));
  expect([uid, gid, mode & 0o777]).toEqual([65_532, 65_532, 0o600]);
  const notices = execute(["podman", "cp", `${container.name}:/licenses/THIRD-PARTY-NOTICES.md`, directory.path]);
  expect([notices.exitCode, statSync(join(directory.path, "THIRD-PARTY-NOTICES.md")).size > 10_000]).toEqual([0, true]);

  // An upload that ends after the signal.
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const upload = fetch(`${url}/api/v2/leads/import`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "text/csv" },
    body: readable,
  });
  await writer.write(Buffer.from("email\nada@example.com\n"));
  await Bun.sleep(500);
  const stopping = Bun.spawn(["podman", "stop", "--time", "30", container.name], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  await Bun.sleep(1000);
  await writer.write(Buffer.from("grace@example.com\n"));
  await writer.close();
  expect((await upload).status).toBe(202);
  await stopping.exited;
  expect(container.state("{{.State.ExitCode}}")).toBe("0");
});

inContainer("a mounted file of options outranks the defaults of the image, and the data is there again", async () => {
  const file = join(directory.path, "outreachd.toml");
  writeFileSync(file, 'listen = "0.0.0.0:9090"\n');
  await using container = startContainer(engine, `outreachd-test-again-${process.pid}`, [
    ...[...restricted, "-p", "127.0.0.1::9090", ...volumes],
    ...["-v", `${file}:/config.toml:ro`, "-e", "OUTREACHD_CONFIG=/config.toml"],
  ]);
  await healthy(container);
  expect((await fetch(`${container.urlOf(9090)}/healthz`)).status).toBe(200);
  expect(container.log()).not.toContain("First start");
  const { out } = container.run("/outreachd", "export", "leads");
  expect(out).toContain("grace@example.com");
});
