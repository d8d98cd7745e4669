import { afterAll, expect, mock, spyOn, test } from "bun:test";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startService } from "../support/service.ts";

/**
 * Types are generated from the OpenAPI document, a program is type-checked against them and run, as a client's author
 * would do it. The generator needs the programming interface of TypeScript 5, which 7 does not have.
 */
const root = join(import.meta.dir, "../..");
const service = await startService();
const project = await mkdtemp(join(tmpdir(), "outreachd-client-"));
afterAll(async () => {
  await rm(project, { recursive: true });
  await service[Symbol.asyncDispose]();
});

const program = `
import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";

export async function useClient(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { "x-api-key": key } });
  const made = await client.POST("/api/v2/leads", {
    params: { query: { onDuplicate: "error" } },
    body: { email: "ada@example.com", company: "Engines" },
  });
  if (made.data === undefined) throw new Error(made.error.message);
  const leadId: string = made.data.data.id;
  const changed = await client.PUT("/api/v2/leads/{leadId}", { params: { path: { leadId } }, body: { title: "Countess" } });
  const page = await client.GET("/api/v2/leads", { params: { query: { email: "ada@example.com", limit: 5 } } });
  const companies: (string | null)[] | undefined = page.data?.data.leads.map(({ company }) => company);
  const refused = await client.GET("/api/v2/leads/{leadId}", { params: { path: { leadId: "nothing" } } });
  const code: string | undefined = refused.error?.code;
  return { title: changed.data?.data.title, companies, code };
}

export async function wrongUses() {
  const client = createClient<paths>();
  // @ts-expect-error: a number is no email address
  await client.POST("/api/v2/leads", { body: { email: 5 } });
  // @ts-expect-error: the limit is a number
  await client.GET("/api/v2/leads", { params: { query: { limit: "all" } } });
  // @ts-expect-error: the id is missing
  await client.GET("/api/v2/leads/{leadId}");
  // @ts-expect-error: there is no such route
  await client.GET("/api/v2/everything");
}
`;

const tsconfig = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "Preserve",
    target: "ESNext",
    lib: ["ESNext", "DOM"],
    types: [],
    allowImportingTsExtensions: true,
    noUncheckedIndexedAccess: true,
  },
  files: ["program.ts"],
};

type Program = { useClient(baseUrl: string, key: string): Promise<unknown> };

test("the document generates a client without a warning, which type-checks and works", async () => {
  const said = (["log", "info", "warn", "error"] as const).map((level) => spyOn(console, level));
  const typescript = await import("typescript-5");
  await mock.module("typescript", () => typescript);
  const { astToString, default: openapiTypescript } = await import("openapi-typescript");
  const schema = await openapiTypescript(JSON.stringify(service.document.json));
  await Bun.write(join(project, "schema.ts"), astToString(schema));
  expect(said.flatMap(({ mock: { calls } }) => calls)).toEqual([]);

  await Bun.write(join(project, "program.ts"), program);
  await Bun.write(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
  await symlink(join(root, "node_modules"), join(project, "node_modules"));
  const tsc = [process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", project];
  const { stdout, stderr } = Bun.spawnSync(tsc);
  expect(`${stdout.toString()}${stderr.toString()}`).toBe("");

  const { useClient } = (await import(join(project, "program.ts"))) as Program;
  const { key } = await service.user();
  expect(await useClient(service.url, key ?? "")).toEqual({
    title: "Countess",
    companies: ["Engines"],
    code: "NOT_FOUND",
  });
}, 120_000); // a compiler runs
