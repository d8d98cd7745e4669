import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type DecodedSummary, summarise } from "../support/audio-worker.ts";
import { createDirectory } from "../support/program.ts";

const fixtures = join(import.meta.dir, "../fixtures/audio");
const support = join(import.meta.dir, "../support");

test("all formats decode in a worker thread of a compiled program as they do from source", async () => {
  await using directory = await createDirectory();
  const program = join(directory.path, "audio-program");
  // As .ci/build.ts compiles the real program.
  const built = await Bun.build({
    entrypoints: [join(support, "audio-program.ts"), join(support, "audio-worker.ts")],
    format: "esm",
    bytecode: true,
    compile: { outfile: program, autoloadDotenv: false, autoloadBunfig: false },
  });
  const files = readdirSync(fixtures)
    .filter((name) => /\.(mp3|m4a|flac)$/.test(name))
    .map((name) => join(fixtures, name));
  expect(files.length).toBeGreaterThan(10);
  const child = Bun.spawn([built.outputs[0]?.path ?? program, ...files], { cwd: directory.path, stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
  const summaries = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as DecodedSummary);
  expect(summaries).toEqual(files.map(summarise));
}, 60_000);
