/**
 * Builds the executable: `bun run build` for this machine into dist/outreachd, `bun run build --all` for every target
 * into dist/outreachd-<target>. For a foreign target Bun fetches its own runtime once from the package registry.
 */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compile, root, sourceCommit, targets, type Target } from "./compile.ts";

const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
const commit = sourceCommit();

await mkdir(join(root, "dist"), { recursive: true });
let failures = 0;
if (values.all) for (const target of targets) await attempt(`outreachd-${target}`, target);
else await attempt("outreachd");
if (failures > 0) console.error(`${failures} of ${values.all ? targets.length : 1} builds failed.`);
process.exit(failures > 0 ? 1 : 0);

/** A target that cannot be built does not prevent the others. */
async function attempt(name: string, target?: Target): Promise<void> {
  const startedAt = performance.now();
  try {
    const file = await compile(join(root, "dist", name), commit, target);
    const megabytes = Math.round((await stat(file)).size / 1e6);
    console.log(`built   ${name} (${megabytes} MB, ${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures += 1;
    const reasons = error instanceof AggregateError ? error.errors : [error];
    console.error(`FAILED  ${name}: ${reasons.map((reason) => Bun.inspect(reason)).join("\n")}`);
  }
}
