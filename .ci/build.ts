/**
 * Builds the executable: `bun run build` for this machine into dist/outreachd, `bun run build --all` for every target
 * into dist/outreachd-<target>. For a foreign target Bun fetches its own runtime once from the package registry.
 */
import type { BunPlugin } from "bun";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildAssets } from "../src/surfaces/dashboard/build.ts";

const targets = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
] as const;

const root = join(import.meta.dir, "..");
const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });

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

await mkdir(join(root, "dist"), { recursive: true });
let failures = 0;
if (values.all) for (const target of targets) await attempt(`outreachd-${target}`, target);
else await attempt("outreachd");
if (failures > 0) console.error(`${failures} of ${values.all ? targets.length : 1} builds failed.`);
process.exit(failures > 0 ? 1 : 0);

/** A target that cannot be built does not prevent the others. */
async function attempt(name: string, target?: (typeof targets)[number]): Promise<void> {
  const startedAt = performance.now();
  try {
    const file = await compile(join(root, "dist", name), target);
    const megabytes = Math.round((await stat(file)).size / 1e6);
    console.log(`built   ${name} (${megabytes} MB, ${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures += 1;
    const reasons = error instanceof AggregateError ? error.errors : [error];
    console.error(`FAILED  ${name}: ${reasons.map((reason) => Bun.inspect(reason)).join("\n")}`);
  }
}

/** Returns the path that was written: Windows adds .exe. */
async function compile(outfile: string, target: (typeof targets)[number] | undefined): Promise<string> {
  const built = await Bun.build({
    // The worker's entry point must be next to the first one; otherwise, `new Worker(…)` does not find it in the
    // executable.
    entrypoints: [join(root, "src/main.ts"), join(root, "src/worker.ts")],
    plugins: [embedPages],
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
