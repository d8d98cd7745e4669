/** Compiles the executable. The same commit gives the same bytes, wherever and whenever it is built. */
import type { BunPlugin } from "bun";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { buildAssets } from "../src/surfaces/dashboard/build.ts";

export const root = join(import.meta.dir, "..");

export const targets = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
] as const;
export type Target = (typeof targets)[number];

/** The dashboard is built once, minified, and replaces its placeholder file in the program. */
const pages = JSON.stringify(await buildAssets());
const embedPages: BunPlugin = {
  name: "embed the dashboard",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]surfaces[\\/]dashboard[\\/]embedded\.ts$/ }, () => ({
      contents: `export const embedded = ${pages};`,
      loader: "js",
    }));
  },
};

/**
 * pino's worker threads, which this program does not use, are found by the folder of the package. Bun would store its
 * absolute path, and the executable would depend on where it was built.
 */
const omitBuildPaths: BunPlugin = {
  name: "omit the path of the build",
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/](pino|thread-stream)[\\/].*\.js$/ }, async ({ path }) => ({
      contents: (await Bun.file(path).text()).replaceAll("__dirname", JSON.stringify("/")),
      loader: "js",
    }));
  },
};

/**
 * Compiles the program for `target` (default: this machine) to `outfile`. Returns the path that was written: Windows adds
 * .exe. `commit`: see `sourceCommit`.
 */
export async function compile(outfile: string, commit: string | null, target?: Target): Promise<string> {
  const built = await Bun.build({
    // The worker's entry point must be next to the first one; otherwise, `new Worker(…)` does not find it in the
    // executable.
    entrypoints: [join(root, "src/main.ts"), join(root, "src/worker.ts")],
    plugins: [embedPages, omitBuildPaths],
    // The day of the commit, not of the build, so that a repetition gives the same bytes.
    define: {
      buildCommit: JSON.stringify(commit),
      buildDate: JSON.stringify(sourceTime()?.toISOString().slice(0, 10) ?? null),
    },
    format: "esm",
    bytecode: true,
    // Modules loaded with `import()` are separate chunks and cost nothing until then. In a single chunk, every command
    // would load what any of them needs, above all Node's modules.
    splitting: true,
    sourcemap: "inline",
    // Not minified: Elysia reads the source of handlers to find out what they use, and compares
    // `error.constructor.name`. Minifying syntax breaks the former and minifying names the latter, both silently.
    compile: {
      outfile,
      ...(target && { target: `bun-${target}` as const }),
      // Otherwise a .env or a bunfig.toml, which can preload code, in the working directory would change the program.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  // The executable contains its source maps; Bun leaves a second copy next to it.
  for (const output of built.outputs) if (output.kind === "sourcemap") await rm(output.path, { force: true });
  return built.outputs[0]?.path ?? outfile;
}

/**
 * The commit of the source, followed by `+changes` if files differ from it. SOURCE_COMMIT overrides it where the
 * repository is missing, as in the build of the image; null if both are.
 */
export function sourceCommit(): string | null {
  const given = process.env["SOURCE_COMMIT"];
  if (given) return given;
  const commit = git("rev-parse", "--short=12", "HEAD");
  if (commit === null) return null;
  return git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit}+changes`;
}

/** The time of that commit; null if the repository is missing. */
export function sourceTime(): Date | null {
  const seconds = git("log", "-1", "--format=%ct");
  return seconds === null ? null : new Date(Number(seconds) * 1000);
}

/** Returns what git prints; null if it fails or is not installed. */
export function git(...args: readonly string[]): string | null {
  try {
    const { exitCode, stdout } = Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
    return exitCode === 0 ? stdout.toString().trim() : null;
  } catch {
    return null;
  }
}
