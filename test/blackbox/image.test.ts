import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDirectory, textOf } from "../support/program.ts";
import { eventually } from "../support/service.ts";

/** The last stage of the Dockerfile, replayed in a directory with the libraries of this machine: root can change into it. */

setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const binary = process.env["OUTREACHD_TEST_BINARY"];
const mayReplay = binary !== undefined && process.platform === "linux" && process.getuid?.() === 0;
const onRoot = test.skipIf(!mayReplay || !Bun.spawnSync(["/usr/bin/unshare", "--mount", "true"]).success);

const stage = readFileSync(join(root, "Dockerfile"), "utf8")
  .split(/^FROM .*$/m)
  .at(-1)!;
const lines = (instruction: string) =>
  [...stage.matchAll(new RegExp(`^${instruction} (.+)$`, "gm"))].map(([, rest = ""]) => rest);
const environment = Object.fromEntries(
  lines("ENV").flatMap((rest) => rest.split(" ").map((pair) => pair.split("=") as [string, string])),
);
const [entrypoint = []] = lines("ENTRYPOINT").map((rest) => JSON.parse(rest) as string[]);
const [command = []] = lines("CMD").map((rest) => JSON.parse(rest) as string[]);

let directory: Awaited<ReturnType<typeof createDirectory>>;

beforeAll(async () => {
  directory = await createDirectory();
  chmodSync(directory.path, 0o755);
  if (!mayReplay) return;
  const put = (from: string, to: string) => {
    const path = join(directory.path, to);
    mkdirSync(dirname(path), { recursive: true });
    copyFileSync(from, path);
  };
  for (const rest of lines("COPY")) {
    const [to = "", ...sources] = rest
      .split(" ")
      .filter((word) => !word.startsWith("--"))
      .toReversed();
    const owner = /--chown=(\d+):(\d+)/.exec(rest);
    for (const source of sources) {
      const path = join(directory.path, to);
      if (source === "/empty") mkdirSync(path);
      else if (source === "/source/dist/outreachd") put(binary, to);
      else put(source.replace("/source", root), to.endsWith("/") ? join(to, source.split("/").at(-1)!) : to);
      if (owner !== null) chownSync(path, Number(owner[1]), Number(owner[2]));
    }
  }
  // What the base image has.
  const libraries = Bun.spawnSync(["ldd", binary]).stdout.toString().match(/\/\S+/g) ?? [];
  for (const library of libraries) put(library, library);
  for (const name of ["tmp", "proc", "dev"]) mkdirSync(join(directory.path, name));
  chmodSync(join(directory.path, "tmp"), 0o1777);
});
afterAll(() => directory[Symbol.asyncDispose]());

// A container has both as well. The mounts end with the process.
const enter = `mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot --userspec=${lines("USER")[0]} "$0" "$@"`;

/** Runs a command in the image as its user. */
function run(args: readonly string[], env: Record<string, string> = {}) {
  return Bun.spawn(["/usr/bin/unshare", "--mount", "sh", "-c", enter, directory.path, ...entrypoint, ...args], {
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", ...environment, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

const config = 'listen = "127.0.0.1:0"\nlog-level = "error"\n';

onRoot("a mounted file of options outranks the defaults of the image, which set the rest", async () => {
  writeFileSync(join(directory.path, "config.toml"), config);
  const child = run(["config", "--json"], { OUTREACHD_CONFIG: "/config.toml" });
  const { options } = JSON.parse(await textOf(child.stdout)) as { options: { name: string; value: string }[] };
  const valueOf = (name: string) => options.find((option) => option.name === name)?.value;
  expect([valueOf("listen"), valueOf("data")]).toEqual(["127.0.0.1:0", "/data"]);
  const plain = JSON.parse(await textOf(run(["config", "--json"]).stdout)) as {
    options: { name: string; value: string }[];
  };
  expect(plain.options.find(({ name }) => name === "listen")?.value).toBe("0.0.0.0:8080");
});

onRoot("the image serves as its own user, is healthy, writes backups to its volume, and stops", async () => {
  writeFileSync(join(directory.path, "config.toml"), config);
  const env = { OUTREACHD_CONFIG: "/config.toml", OUTREACHD_BACKUP_TO: "/backups" };
  const server = run(command, env);
  try {
    const health = JSON.parse(/^HEALTHCHECK .*CMD (\[.*\])$/m.exec(stage)![1]!) as string[];
    expect(health[0]).toBe(entrypoint[0]);
    await eventually("the server to be healthy", async () =>
      (await run(health.slice(1), env).exited) === 0 ? true : null,
    );
    expect(await run(["backup"], env).exited).toBe(0);
    const archives = [...new Bun.Glob("outreachd-*.tar.zst").scanSync(join(directory.path, "backups"))];
    expect(archives).toHaveLength(1);
  } finally {
    server.kill("SIGTERM");
  }
  expect(await server.exited).toBe(0);
  expect(await run(["health"], env).exited).toBe(1);
});

onRoot("the license and the notices are in the image", () => {
  for (const name of ["LICENSE", "THIRD-PARTY-NOTICES.md"])
    expect(readFileSync(join(directory.path, "licenses", name), "utf8")).toBe(readFileSync(join(root, name), "utf8"));
});

test("the image runs as an unprivileged user, whatever its base image says", () => {
  expect(lines("USER")).toEqual(["65532:65532"]);
});

test("data and backups are volumes, and nothing outranks a file of options", () => {
  expect(lines("VOLUME").map((rest) => JSON.parse(rest))).toEqual([["/data", "/backups"]]);
  expect(Object.keys(environment).filter((name) => !name.startsWith("OUTREACHD_IMAGE_"))).toEqual([]);
});
