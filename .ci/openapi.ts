/**
 * Lints the OpenAPI document that the server serves: `bun .ci/openapi.ts`. Both linters run with more than their recommended
 * rules; exceptions are in .ci/openapi/. Spectral is fetched by npx, because with all that it depends on, it is as large as
 * the compiler; without a network it is skipped.
 */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { servedDocument } from "./client.ts";

const root = join(import.meta.dir, "..");
const spectral = "@stoplight/spectral-cli@6.16.3";

/** What a linter found, as lines; empty if it found nothing. */
type Findings = string[];

/** Lints a document with Redocly's linter. Neither asks for its newest version nor sends statistics. */
export async function lintWithRedocly(document: object): Promise<Findings> {
  await using folder = await folderWith(document);
  const linter = join(root, "node_modules/@redocly/cli/bin/cli.js");
  const settings = { CI: "true", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { out, err } = await run([process.execPath, linter, "lint", "openapi.json", "--format=json"], folder.path, {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    ...settings,
  });
  const problems = parsed<{ problems: RedoclyProblem[] }>(out, err).problems;
  return problems.map(({ severity, ruleId, message }) => `${severity} ${ruleId}: ${message}`);
}
type RedoclyProblem = { severity: string; ruleId: string; message: string };

/** Lints a document with Spectral; null if it cannot be fetched. */
export async function lintWithSpectral(document: object): Promise<Findings | null> {
  await using folder = await folderWith(document);
  if ((await run(npx("--version"), folder.path)).exitCode !== 0) return null;
  const { out, err } = await run(
    npx("lint", "openapi.json", "--ruleset", "spectral.yaml", "--format", "json", "--quiet"),
    folder.path,
  );
  return parsed<SpectralProblem[]>(out, err).map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
}
type SpectralProblem = { code: string; message: string; path: (string | number)[] };

function npx(...args: string[]): string[] {
  return ["npx", "--yes", "--prefer-offline", "--package", spectral, "spectral", ...args];
}

async function folderWith(document: object) {
  const path = await mkdtemp(join(tmpdir(), "outreachd-openapi-"));
  await cp(join(import.meta.dir, "openapi"), path, { recursive: true });
  await Bun.write(join(path, "openapi.json"), JSON.stringify(document));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

async function run(command: string[], cwd: string, env: Record<string, string | undefined> = process.env) {
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { out, err, exitCode: await child.exited };
}

function parsed<T>(out: string, err: string): T {
  try {
    return JSON.parse(out) as T;
  } catch {
    throw new Error(`Expected the report of a linter as JSON, got ${out}${err}`);
  }
}

async function lint(): Promise<void> {
  const document = await servedDocument();
  const findings = { redocly: await lintWithRedocly(document), spectral: await lintWithSpectral(document) };
  for (const [linter, found] of Object.entries(findings)) {
    console.log(
      `${linter}: ${found === null ? "skipped, because it could not be fetched" : `${found.length} findings`}`,
    );
    for (const line of found ?? []) console.log(`  ${line}`);
  }
  if (Object.values(findings).some((found) => found !== null && found.length > 0)) process.exit(1);
}

if (import.meta.main) await lint();
