import { expect, test } from "bun:test";
import { posix } from "node:path";

/**
 * Who may import whom. Features own meaning, technologies own mechanism: a service never sees HTTP or SQL, and storage
 * never sees a service. `import type` counts like any import, except that everybody may name the types of a model.
 */

type Source = { path: string; text: string };
type Import = { specifier: string; typeOnly: boolean };

/** What a file is to the others; the first pattern that fits decides. A `feature` may turn out to be a `rule`. */
const kindPatterns = {
  threads: /^src\/threads\.ts$/,
  worker: /^src\/worker\.ts$/,
  lib: /^src\/lib\//,
  foundation: /^src\/platform\/(base|identity)\//,
  config: /^src\/app\/config\//,
  app: /^src\/app\//,
  entry: /^src\/(main\.ts$|surfaces\/(app\.ts$|cli\/))/,
  storage: /^src\/adapters\/(storage|disk)\//,
  providers: /^src\/adapters\/providers\//,
  blobs: /^src\/adapters\/blobs\//,
  port: /^src\/(platform|features)\/(.+[-/])?(store|provider|connector|engine)\.ts$/,
  http: /^src\/platform\/(http\/|imports\/file-requests\.ts$)/,
  mcp: /^src\/surfaces\/mcp\//,
  page: /^src\/surfaces\/dashboard\/app\//,
  dashboard: /^src\/surfaces\/dashboard\//,
  docs: /^src\/surfaces\/docs\//,
  model: /^src\/(platform|features)\/(.+[-/])?model\.ts$/,
  routes: /^src\/(platform|features)\/(.+[-/])?routes\.ts$/,
  feature: /^src\/(platform|features)\//,
  rule: /^$/,
} as const;
type Kind = keyof typeof kindPatterns;
const kinds = Object.keys(kindPatterns) as Kind[];

const web = /^(elysia|@elysiajs\/.*)$/;
const database = /^(drizzle-orm(\/.*)?|bun:sqlite|postgres)$/;
const webAndDatabase = new RegExp(`${web.source}|${database.source}`);
const allButTypeBox = /^(?!@sinclair\/typebox)/;
/** Functions over tables that come with the package: they reach nothing outside. */
const allButPure = /^(?!@sinclair\/typebox|libphonenumber-js|tldts)/;
const allButBrowser = /^(?!preact(\/|$)|@preact\/signals$|fuzzysort$)/;
const everything = /^/;
const nothing = /^\b$/;

/** `own`: of these kinds only files of the same folder under src. `typesOnly`: nothing that is there at run time. */
type Row = { modules: Kind[]; own?: Kind[]; typesOnly?: true; neverPackages: RegExp };

const pure: Kind[] = ["lib", "foundation", "model", "rule"];
const table: Record<Kind, Row> = {
  threads: { modules: [], neverPackages: webAndDatabase },
  lib: { modules: ["lib", "threads"], neverPackages: web },
  foundation: { modules: ["foundation", "lib"], neverPackages: webAndDatabase },
  model: { modules: pure, neverPackages: allButTypeBox },
  rule: { modules: pure, neverPackages: allButPure },
  port: { modules: [...pure, "port"], typesOnly: true, neverPackages: everything },
  feature: { modules: [...pure, "threads", "port", "feature"], neverPackages: webAndDatabase },
  routes: { modules: [...pure, "http", "feature"], own: ["routes"], neverPackages: database },
  http: { modules: [...pure, "http", "port", "feature"], neverPackages: database },
  storage: { modules: [...pure, "threads", "port", "storage"], neverPackages: web },
  blobs: { modules: [...pure, "threads", "port", "blobs", "storage"], neverPackages: webAndDatabase },
  providers: { modules: [...pure, "threads", "port", "providers"], neverPackages: webAndDatabase },
  config: { modules: [...pure, "config"], neverPackages: webAndDatabase },
  app: {
    modules: kinds.filter((k) => !["entry", "mcp", "dashboard", "docs", "page"].includes(k)),
    neverPackages: nothing,
  },
  mcp: { modules: [...pure, "http", "feature", "app"], own: ["mcp"], neverPackages: database },
  dashboard: { modules: [...pure, "http", "feature", "app"], own: ["dashboard"], neverPackages: database },
  docs: { modules: [...pure, "http"], own: ["docs"], neverPackages: webAndDatabase },
  // Runs in a browser: of the server it knows the types of models, and nothing that is there at run time except packages.
  page: { modules: ["lib"], own: ["page"], neverPackages: allButBrowser },
  worker: { modules: kinds.filter((k) => !["app", "entry", "http", "routes"].includes(k)), neverPackages: web },
  entry: { modules: kinds, neverPackages: nothing },
};

/**
 * The rooms, lowest first: a room imports only from those below it. The order inside platform and features stands here
 * too, because a folder can hide a knot.
 */
const rooms = [
  "threads.ts",
  "lib",
  ...["base", "identity", "blobs", "auth", "http", "metrics", "events", "jobs", "imports"].map(
    (name) => `platform/${name}`,
  ),
  ...["operations", "cluster"].map((name) => `platform/${name}`),
  ...["suppression", "credits", "leads", "enrichment", "prospecting", "network", "workspaces", "campaigns"].map(
    (name) => `features/${name}`,
  ),
  ...["notifications", "mail", "voice", "inbox", "webhooks", "statistics", "privacy", "backup", "simulation"].map(
    (name) => `features/${name}`,
  ),
  ...["disk", "blobs", "storage", "providers"].map((name) => `adapters/${name}`),
  "app",
  "surfaces",
  "main.ts",
  "worker.ts",
];

function roomOf(path: string): number {
  return rooms.findIndex((room) => path === `src/${room}` || path.startsWith(`src/${room}/`));
}

/** Imports that go up, and files in no room. */
function climbs(sources: Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    if (roomOf(path) === -1) return [`${path} is in no room`];
    const targets = importsOf(text).map(({ specifier }) =>
      specifier.startsWith(".") ? targetOf(path, specifier) : null,
    );
    return targets
      .filter((target) => target !== null && roomOf(target) > roomOf(path))
      .map((target) => `${path} -> ${target}`);
  });
}

/** Files of lib that know another of its packages, but for those that all threads share. */
function libTies(sources: Source[]): string[] {
  const packageOf = (path: string) => /^src\/lib\/([^/]+)/.exec(path)?.[1];
  return sources.flatMap(({ path, text }) =>
    importsOf(text).flatMap(({ specifier }) => {
      const target = specifier.startsWith(".") ? targetOf(path, specifier) : null;
      const [own, other] = [packageOf(path), target === null ? undefined : packageOf(target)];
      return own === undefined || other === undefined || own === other || other === "concurrency"
        ? []
        : [`${path} -> ${target}`];
    }),
  );
}

/** Groups of files that import each other, types included. */
function knots(sources: Source[]): string[][] {
  const edges = new Map(
    sources.map(({ path, text }) => [
      path,
      importsOf(text).flatMap(({ specifier }) => (specifier.startsWith(".") ? (targetOf(path, specifier) ?? []) : [])),
    ]),
  );
  const reach = (from: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = [...(edges.get(from) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(...(edges.get(next) ?? []));
      }
    return seen;
  };
  const inKnot = [...edges.keys()].filter((path) => reach(path).has(path));
  const found = new Map(
    inKnot.map((path) => [
      [...reach(path)]
        .filter((other) => inKnot.includes(other) && reach(other).has(path))
        .toSorted()
        .join(),
      path,
    ]),
  );
  return [...found.keys()].map((paths) => paths.split(","));
}

function violations(sources: Source[]): string[] {
  const kindOf = kindsOf(sources);
  return sources.flatMap((source) => [...badImports(source, kindOf), ...badText(source)]);
}

function badImports({ path, text }: Source, kindOf: (path: string) => Kind | undefined): string[] {
  const kind = kindOf(path);
  if (kind === undefined) return [`${path} has no place in the table of this test`];
  const { modules, own = [], typesOnly = false, neverPackages } = table[kind];
  return importsOf(text).flatMap(({ specifier, typeOnly }) => {
    const refused = (why: string) => [`${path} (${kind}) imports ${specifier}: ${why}`];
    if (!specifier.startsWith(".")) return neverPackages.test(specifier) ? refused("that package is not for it") : [];
    const target = targetOf(path, specifier);
    if (target === null) return [];
    const targetKind = kindOf(target);
    if (targetKind === undefined) return refused("it has no place in the table of this test");
    if (typeOnly && targetKind === "model") return [];
    if (typesOnly && !typeOnly) return refused(`a ${kind} imports types only`);
    const isOwn = target.split("/")[2] === path.split("/")[2];
    return modules.includes(targetKind) || (isOwn && own.includes(targetKind)) ? [] : refused(`a ${targetKind}`);
  });
}

function badText({ path, text }: Source): string[] {
  const found = (what: string, is: boolean) => (is ? [`${path} ${what}`] : []);
  return [
    ...found("has a default export", /^export default\b|\bas default\b/m.test(text)),
    ...found("casts with `as any`", /\bas any\b/.test(text)),
    ...found("says TODO: do it or leave it out", /\bTODO\b/.test(text)),
    ...found("has more than 400 lines", text.split("\n").length > 401),
  ];
}

/** A pure rule is a file of a feature that imports only foundations, models and other pure rules. */
function kindsOf(sources: Source[]): (path: string) => Kind | undefined {
  const byPattern = (path: string) => kinds.find((kind) => kindPatterns[kind].test(path));
  const rules = new Set(sources.filter((source) => byPattern(source.path) === "feature").map((source) => source.path));
  const kindOf = (path: string): Kind | undefined => (rules.has(path) ? "rule" : byPattern(path));
  // Every file of a feature is taken for a rule until an import tells otherwise; each round may unmask its importers.
  for (let before = -1; before !== rules.size;) {
    before = rules.size;
    for (const source of sources)
      if (rules.has(source.path) && badImports(source, kindOf).length > 0) rules.delete(source.path);
  }
  return kindOf;
}

/** The module that a relative specifier means; null for what is not code (SQL, HTML, JSON). */
function targetOf(path: string, specifier: string): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  return target.startsWith("src/") && /\.tsx?$/.test(target) ? target : null;
}

function importsOf(text: string): Import[] {
  const withNames = /^[ \t]*(?:import|export)\s+(type\s)?([^"'=(;]*?)\bfrom\s*["']([^"']+)["']/gm;
  const bare = /^[ \t]*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;
  return [
    ...[...text.matchAll(withNames)].map(([, type, names = "", specifier = ""]) => ({
      specifier,
      typeOnly: type !== undefined || /^\{(\s*type\s[^,}]+,?)+\s*\}\s*$/.test(names),
    })),
    ...[...text.matchAll(bare)].map(([, one, two]) => ({ specifier: one ?? two ?? "", typeOnly: false })),
  ];
}

async function readSources(): Promise<Source[]> {
  const root = `${import.meta.dir}/..`;
  const paths = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(root)].map((path) => path.replaceAll("\\", "/"));
  return await Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await Bun.file(`${root}/${path}`).text() })),
  );
}

test("every module imports only what the architecture allows it", async () => {
  const sources = await readSources();
  expect(sources.length).toBeGreaterThan(20);
  expect(violations(sources)).toEqual([]);
});

test("every room imports only from rooms below it", async () => {
  expect(climbs(await readSources())).toEqual([]);
});

test("the packages of lib know nothing of each other", async () => {
  expect(libTies(await readSources())).toEqual([]);
});

test("no files import each other, directly or through others", async () => {
  expect(knots(await readSources())).toEqual([]);
});

/** A small house in good order. Each case below adds one file to it. */
const goodHouse = {
  "src/platform/base/errors.ts": "",
  "src/features/leads/model.ts": `import { Type } from "@sinclair/typebox";`,
  "src/features/leads/store.ts": `import type { Lead } from "./model.ts";\nimport { type Slot } from "../network/pacing.ts";`,
  "src/features/network/pacing.ts": `import { invalid } from "../../platform/base/errors.ts";\nimport { leadStatuses } from "../leads/model.ts";`,
  "src/features/leads/service.ts": `import type { LeadStore } from "./store.ts";\nimport { pace } from "../network/pacing.ts";`,
  "src/features/leads/routes.ts": `import { Elysia } from "elysia";\nimport type { LeadService } from "./service.ts";`,
  "src/adapters/storage/sqlite/leads.ts": `import { eq } from "drizzle-orm";\nimport { pace } from "../../../features/network/pacing.ts";`,
  "src/app/http-app.ts": `import {\n  open,\n} from "../adapters/storage/sqlite/leads.ts";\nimport { routes } from "../features/leads/routes.ts";`,
  "src/main.ts": `import { createApp } from "./app/app.ts";`,
};

function house(extra: Record<string, string>): Source[] {
  return Object.entries({ ...goodHouse, ...extra }).map(([path, text]) => ({ path, text }));
}

test("the check finds nothing in a house in good order", () => {
  expect(violations(house({}))).toEqual([]);
});

test.each([
  ["src/platform/jobs/service.ts", `import { Elysia } from "elysia";`],
  ["src/platform/jobs/service.ts", `import { sql } from "drizzle-orm/sql";`],
  ["src/platform/jobs/service.ts", `import type { Tables } from "../../adapters/storage/sqlite/leads.ts";`],
  ["src/platform/jobs/service.ts", `import {\n  a,\n  b,\n} from "../../app/app.ts";`],
  ["src/platform/jobs/service.ts", `const routes = await import("../../features/leads/routes.ts");`],
  ["src/platform/jobs/model.ts", `import { readFileSync } from "node:fs";`],
  ["src/platform/jobs/model.ts", `import { create } from "../../features/leads/service.ts";`],
  ["src/platform/jobs/store.ts", `import { leadStatuses } from "../../features/leads/model.ts";`],
  ["src/platform/jobs/routes.ts", `import type { LeadStore } from "../../features/leads/store.ts";`],
  ["src/platform/jobs/routes.ts", `import { open } from "../../adapters/storage/sqlite/leads.ts";`],
  ["src/platform/base/errors.ts", `import { pace } from "../../features/network/pacing.ts";`],
  ["src/adapters/storage/sqlite/jobs.ts", `import { create } from "../../../features/leads/service.ts";`],
  ["src/adapters/storage/sqlite/jobs.ts", `export * from "../../../platform/http/route.ts";`],
  ["src/adapters/providers/voice/flite.ts", `import { open } from "../../storage/sqlite/leads.ts";`],
  ["src/surfaces/dashboard/app/pages/leads.tsx", `import { leadStatuses } from "../../../../features/leads/model.ts";`],
  ["src/surfaces/dashboard/app/pages/leads.tsx", `import { Type } from "@sinclair/typebox";`],
  ["src/helpers.ts", ""],
  ["src/platform/jobs/service.ts", "export default 1;"],
  ["src/platform/jobs/service.ts", "const x = y as any;"],
  ["src/platform/jobs/service.ts", "// TODO: later"],
  ["src/platform/jobs/service.ts", "\n".repeat(401)],
])("the check catches a violation in %s: %j", (path, text) => {
  expect(violations(house({ [path]: text }))).toHaveLength(1);
});
