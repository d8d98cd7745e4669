import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeClient } from "../../.ci/client.ts";
import { startService } from "../support/service.ts";

// Package managers and a compiler run.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const service = await startService();
const folder = await mkdtemp(join(tmpdir(), "outreachd-client-"));
let tarball: string;

beforeAll(async () => {
  const source = join(folder, "package");
  await writeClient(service.document.json, "1.2.3", source);
  const packed = Bun.spawnSync([process.execPath, "pm", "pack", "--destination", folder], { cwd: source });
  expect(packed.exitCode).toBe(0);
  tarball = join(
    folder,
    (await readdir(folder)).find((name) => name.endsWith(".tgz"))!,
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service[Symbol.asyncDispose]();
});

const program = `
import { createClient, pages, OutreachdError, type components } from "outreachd-client";
import { verifyWebhook } from "outreachd-client/webhooks";

export async function useClient(baseUrl: string, apiKey: string) {
  const outreachd = createClient({ baseUrl, apiKey });
  const { data: lead } = await outreachd.createLead({ body: { email: "ada@example.com", company: "Engines" } });
  const id: string = lead.id;
  const changed = await outreachd.updateLead({ path: { leadId: id }, body: { title: "Countess" } });
  const companies: (string | null)[] = [];
  for await (const { data } of pages(outreachd.listLeads, { query: { email: "ada@example.com", limit: 1 } }))
    companies.push(...data.leads.map(({ company }) => company));
  const job: components["schemas"]["Job"] = (await outreachd.importLeads({ body: "email\\nx@example.com\\n", headers: { "content-type": "text/csv" } })).data;
  const code = await outreachd.getLead({ path: { leadId: "nothing" } }).then(() => null, (error: unknown) => error instanceof OutreachdError ? [error.status, error.code] : null);
  const me = await outreachd.getMe();
  const file: Response = await outreachd.exportLeads({ query: { format: "csv" } });
  return { title: changed.data.title, companies, code, me: me.data.email, isJob: job.id.length > 0, file: file.status };
}

export async function wrongUses() {
  const outreachd = createClient({ baseUrl: "http://x", apiKey: "y" });
  // @ts-expect-error: a number is no email address
  await outreachd.createLead({ body: { email: 5 } });
  // @ts-expect-error: the limit is a number
  await outreachd.listLeads({ query: { limit: "all" } });
  // @ts-expect-error: the ID is missing
  await outreachd.getLead();
  // @ts-expect-error: the body is missing
  await outreachd.createLead({});
  // @ts-expect-error: no such operation
  await outreachd.everything();
  const event = await verifyWebhook("{}", new Headers(), "whsec_x");
  // @ts-expect-error: no such event
  if (event.type === "lead.exploded") return null;
  return event.data;
}
`;

const tsconfig = {
  compilerOptions: {
    ...{ strict: true, noEmit: true, module: "NodeNext", target: "ESNext", types: [], skipLibCheck: false },
    ...{ lib: ["ESNext", "DOM", "DOM.Iterable", "DOM.AsyncIterable"] },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  },
  files: ["program.ts"],
};

const installs = {
  npm: ["npm", "install", "--offline", "--no-audit", "--no-fund"],
  bun: [process.execPath, "add"],
  // Caches of their own: those of the user could hold the package of an earlier run, which has the same version.
  pnpm: ["npx", "-y", "pnpm@10.20.0", "add", "--offline", "--store-dir", join(folder, "pnpm-store")],
  yarn: ["npx", "-y", "yarn@1.22.22", "add", "--offline", "--cache-folder", join(folder, "yarn-cache")],
};

/** Why a package manager cannot be used, for the title of a skipped test; null if it can. A broken one fails its test. */
function reasonToSkip([command = "", ...args]: string[]): string | null {
  if (Bun.which(command) === null) return `${command} is not installed`;
  if (command !== "npx") return null;
  // Loads the package manager into npm's cache, from which the test takes it.
  const { stderr } = Bun.spawnSync([command, ...args.slice(0, 2), "--version"], {
    cwd: tmpdir(),
    env: { ...process.env, npm_config_fetch_retries: "1" },
    timeout: 60_000,
  });
  const [, failure] =
    /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.exec(stderr.toString()) ?? [];
  return failure === undefined ? null : `the npm registry cannot be reached to load ${args[1]} (E${failure})`;
}

const managers = Object.entries(installs).map(([name, install]) => ({ name, install, reason: reasonToSkip(install) }));

test.skip.each(managers.filter(({ reason }) => reason !== null))("not tried with $name: $reason", () => {});

test.each(managers.filter(({ reason }) => reason === null))(
  "a program of others type-checks and runs with the package that $name installed",
  async ({ name, install }) => {
    const project = join(folder, name);
    await mkdir(project);
    await Bun.write(join(project, "package.json"), JSON.stringify({ name: "consumer", type: "module", private: true }));
    await Bun.write(join(project, "program.ts"), program);
    await Bun.write(join(project, "tsconfig.json"), JSON.stringify(tsconfig));
    const installed = Bun.spawnSync([...install, tarball], { cwd: project, stdout: "ignore" });
    expect(`${installed.exitCode} ${installed.exitCode === 0 ? "" : installed.stderr.toString()}`).toBe("0 ");
    expect((await readdir(join(project, "node_modules"))).filter((each) => !each.startsWith("."))).toEqual([
      "outreachd-client",
    ]);
    const tsc = [process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", project];
    const { stdout, stderr } = Bun.spawnSync(tsc);
    expect(`${stdout.toString()}${stderr.toString()}`).toBe("");
    const { useClient } = (await import(join(project, "program.ts"))) as {
      useClient(baseUrl: string, key: string): Promise<unknown>;
    };
    const email = `${name}@example.com`;
    const { key } = await service.user({ email });
    expect(await useClient(service.url, key ?? "")).toEqual({
      ...{ title: "Countess", companies: ["Engines"], code: [404, "NOT_FOUND"], me: email, isJob: true, file: 200 },
    });
  },
);

test("every operation of the API has a method, and no other", async () => {
  const ids = service.document.operations.map(({ operationId }) => operationId).toSorted();
  const { operations } = (await import(join(folder, "package/operations.js"))) as {
    operations: Record<string, unknown>;
  };
  expect(Object.keys(operations).toSorted()).toEqual(ids);
});

type Sent = { url: string; init: { method: string; headers: Record<string, string>; body?: string } };
type Call = (request?: object) => Promise<unknown>;
/** The package as it is written, whose types need those of the API. */
type Packed = { createClient(options: object): Record<string, Call> };

const refusal = (status: number, body: object, headers = {}) =>
  Response.json({ error: true, ...body }, { status, headers });

/** A client of the package whose server answers one after the other. */
async function clientAnswered(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const { createClient } = (await import(join(folder, "package/index.js"))) as Packed;
  const client = createClient({
    baseUrl: "http://outreach.example/",
    apiKey: "oak_x",
    async fetch(url: string, init: Sent["init"]) {
      sent.push({ url, init });
      const answer = answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    wait: async (milliseconds: number) => void waits.push(milliseconds),
  });
  return { client, sent, waits };
}

test("paths and queries are encoded, and lists repeat their name", async () => {
  const { client, sent } = await clientAnswered(Response.json({ data: 1 }), Response.json({ data: 2 }));
  await client["getLead"]!({ path: { leadId: "a/b c" } });
  await client["listEvents"]!({ query: { types: ["a", "b"], limit: 5, cursor: undefined } });
  expect(sent.map(({ url }) => url)).toEqual([
    "http://outreach.example/api/v2/leads/a%2Fb%20c",
    "http://outreach.example/api/v2/events?types=a&types=b&limit=5",
  ]);
  expect(() => client["getLead"]!({ path: {} })).toThrow("leadId");
});

test("a request is repeated with the same key after a lost connection, and after the time the server asks for", async () => {
  const busy = refusal(429, { code: "RATE_LIMIT_EXCEEDED", message: "Too many requests.", retryAfter: 7 });
  const { client, sent, waits } = await clientAnswered(new TypeError("reset"), busy, Response.json({ data: "made" }));
  expect(await client["createLead"]!({ body: { email: "ada@example.com" } })).toEqual({ data: "made" });
  expect(waits).toEqual([1000, 7000]);
  const keys = sent.map(({ init }) => init.headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});

test("a refusal is not repeated, and neither is what would take long", async () => {
  const refused = await clientAnswered(
    refusal(409, { code: "CONFLICT", message: "It exists.", details: { id: "x" } }, { "x-request-id": "r1" }),
  );
  const error = await refused.client["createLead"]!({ body: {} }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    ...{
      name: "OutreachdError",
      message: "It exists.",
      status: 409,
      code: "CONFLICT",
      details: { id: "x" },
      requestId: "r1",
    },
  });
  expect(refused.sent).toHaveLength(1);
  const spent = await clientAnswered(
    refusal(429, { code: "RATE_LIMIT_EXCEEDED", message: "Later.", retryAfter: 3000 }),
  );
  expect(await spent.client["getMe"]!().catch((thrown: unknown) => thrown)).toMatchObject({ retryAfterSeconds: 3000 });
  expect(spent.waits).toEqual([]);
});
