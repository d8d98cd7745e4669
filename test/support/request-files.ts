/**
 * Prints the files of src/ in which a function runs while the server answers one POST /leads. Its own process, because only
 * code that is compiled after the measurement has started is counted.
 */
import { Session } from "node:inspector/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

type Coverage = { result: { url: string; functions: { ranges: { count: number }[] }[] }[] };

const rounds = 5;
const source = join(import.meta.dir, "../../src/");

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** The files in which a function has run since the last call. */
async function filesRun(): Promise<string[]> {
  const { result } = (await session.post("Profiler.takePreciseCoverage")) as unknown as Coverage;
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => (url.startsWith("file:") ? fileURLToPath(url) : url))
    .filter((path) => path.startsWith(source))
    .map((path) => path.slice(source.length));
}

const { loadConfig } = await import("../../src/app/config/config.ts");
const { createApp } = await import("../../src/surfaces/app.ts");

const dataDir = await mkdtemp(join(tmpdir(), "outreachd-files-"));
const app = await createApp(
  loadConfig({ flags: { data: dataDir }, env: { OUTREACHD_LISTEN: "127.0.0.1:0", OUTREACHD_LOG_LEVEL: "silent" } }),
);
await app.start();
const { url } = app;
const headers = { "x-api-key": app.firstRun!.key, "content-type": "application/json" };

let inEachRound: Set<string> | null = null;
for (let round = 0; round < rounds; round++) {
  await (await fetch(`${url}/api/v2/leads`, { headers })).text();
  await filesRun();
  const response = await fetch(`${url}/api/v2/leads`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      firstName: "Ada",
      lastName: "Lovelace",
      email: `ada.${round}@example.com`,
      company: "Analytical Engines",
      title: "Programmer",
    }),
  });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
  const files = new Set(await filesRun());
  // What a timer happened to run in one round is not part of the request.
  inEachRound = inEachRound === null ? files : inEachRound.intersection(files);
}
await app.stop();
await rm(dataDir, { recursive: true, force: true });
console.log(JSON.stringify([...inEachRound!].toSorted()));
process.exit(0);
