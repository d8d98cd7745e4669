import { copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Builds the image from the Dockerfile by buildah, and runs it by Podman, as Debian packages both. */

const root = join(import.meta.dir, "../..");
const image = "localhost/outreachd-test";
const certificates = "/etc/ssl/certs/ca-certificates.crt";

type Outcome = { exitCode: number; out: string; err: string };

export function execute(command: readonly string[], cwd = root): Outcome {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, stdin: "ignore" });
  return { exitCode, out: stdout.toString().trim(), err: stderr.toString().trim() };
}

function mustExecute(command: readonly string[], cwd?: string): string {
  const { exitCode, out, err } = execute(command, cwd);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${err}`);
  return out;
}

/** The second one is for machines whose root may not raise limits, and whose control groups are of version 1. */
const engines = [
  ["podman", "run"],
  ["podman", "--runtime", "runc", "run", "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1024:1024"],
];

/** Copies programs and files of this machine, with the libraries that the programs need, to where an image has them. */
function copyToImage(folder: string, programs: Record<string, string>, files: readonly string[]): void {
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
  };
  for (const [to, from] of Object.entries(programs)) {
    put(from, to);
    for (const library of execute(["ldd", from]).out.match(/\/\S+/g) ?? []) put(library, library);
  }
  for (const file of files)
    if (existsSync(file)) cpSync(file, join(folder, file), { recursive: true, dereference: true });
}

function buildBase(directory: string, name: string, fill: (folder: string) => void, lines = ""): string {
  const folder = join(directory, name);
  mkdirSync(join(folder, "tmp"), { recursive: true });
  fill(folder);
  writeFileSync(join(directory, `${name}.Dockerfile`), `FROM scratch\nCOPY . /\n${lines}`);
  const tag = `${image}-${name}`;
  const file = join(directory, `${name}.Dockerfile`);
  mustExecute(["buildah", "build", "--isolation", "chroot", "--format", "docker", "-t", tag, "-f", file, folder]);
  return tag;
}

/** Why the image cannot be built and run on this machine; null if it can. */
export function reasonAgainstContainers(): string | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux can run it";
  for (const program of ["buildah", "podman", "node", "npm"])
    if (Bun.which(program) === null) return `${program} is not installed`;
  return null;
}

/**
 * Builds the image. Its base images come from a registry; here they are made of files of this machine: Node, npm, and a shell
 * to build with, and glibc, certificates, and time zones to run on.
 */
export function buildImage(directory: string): void {
  const npm = join(dirname(realpathSync(Bun.which("npm")!)), "..");
  const build = buildBase(
    directory,
    "build",
    (folder) => {
      const programs = Object.fromEntries(["sh", "env", "mkdir"].map((name) => [`/usr/bin/${name}`, Bun.which(name)!]));
      copyToImage(folder, { ...programs, "/usr/local/bin/node": Bun.which("node")! }, [certificates]);
      cpSync(npm, join(folder, "usr/local/lib/node_modules/npm"), { recursive: true, dereference: true });
      symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(folder, "usr/local/bin/npm"));
      symlinkSync("usr/bin", join(folder, "bin"));
    },
    `ENV HOME=/root PATH=/usr/local/bin:/usr/bin NODE_EXTRA_CA_CERTS=${certificates}\n`,
  );
  const base = buildBase(directory, "base", (folder) =>
    copyToImage(folder, { "/glibc-test": process.execPath }, [
      "/etc/ssl/certs/ca-certificates.crt",
      "/usr/share/zoneinfo/UTC",
    ]),
  );
  // Packages that this machine has already loaded, and how it reaches the registry.
  const volumes = [".bun/install/cache", ".npm/_cacache", ".npmrc"].flatMap((name) =>
    existsSync(join(homedir(), name)) ? ["--volume", `${join(homedir(), name)}:/root/${name}`] : [],
  );
  const args = { BUN_IMAGE: build, BASE_IMAGE: base, SOURCE_COMMIT: "0123456789ab" };
  const options = Object.entries(args).flatMap(([name, value]) => ["--build-arg", `${name}=${value}`]);
  mustExecute([
    ...["buildah", "build", "--isolation", "chroot", "--format", "docker", "--pull-never"],
    ...[...volumes, ...options, "-t", image, "."],
  ]);
}

/** The first command that runs containers here; null if none does. */
export function findEngine(): { command: readonly string[]; reason: null } | { command: null; reason: string } {
  const reasons: string[] = [];
  for (const command of engines) {
    const { exitCode, err } = execute([...command, "--rm", "-p", "127.0.0.1::8080", image, "version"]);
    if (exitCode === 0) return { command, reason: null };
    reasons.push(err);
  }
  return { command: null, reason: reasons.join("; ") };
}

export type Container = ReturnType<typeof startContainer>;

/** Starts the image in the background. `args` are options of `podman run`. `await using` removes it. */
export function startContainer(engine: readonly string[], name: string, args: readonly string[]) {
  mustExecute([...engine, "--detach", "--name", name, ...args, image]);
  const state = (format: string) => mustExecute(["podman", "inspect", "--format", format, name]);
  return {
    name,
    /** URL on this machine of a port of the container. */
    urlOf: (port: number) => `http://${mustExecute(["podman", "port", name, `${port}/tcp`])}`,
    /** Runs the program in the container. */
    run: (...command: string[]) => execute(["podman", "exec", name, ...command]),
    state,
    log: () => {
      const { out, err } = execute(["podman", "logs", name]);
      return `${out}\n${err}`;
    },
    [Symbol.asyncDispose]: async () => void execute(["podman", "rm", "--force", "--time", "0", name]),
  };
}

/** The configuration of the image. */
export function inspectImage(): { Config: Record<string, unknown> } {
  return (
    JSON.parse(mustExecute(["podman", "inspect", "--type", "image", image])) as [{ Config: Record<string, unknown> }]
  )[0];
}

/** Removes what a test run has left. */
export function removeImages(volumes: readonly string[]): void {
  execute(["podman", "volume", "rm", "--force", ...volumes]);
  for (const name of [image, `${image}-build`, `${image}-base`]) execute(["buildah", "rmi", "--force", name]);
}
