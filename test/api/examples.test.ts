import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeClient } from "../../.ci/client.ts";
import type { NewEndpointView } from "../../src/features/webhooks/model.ts";
import { signedHeaders } from "../../src/features/webhooks/signature.ts";
import { startService, succeeded } from "../support/service.ts";

// Programs of other languages start, and a compiler runs.
setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const service = await startService({ settings: { WEBHOOK_PRIVATE_HOSTS: "127.0.0.1", CONNECTOR: "simulated" } });
const folder = await mkdtemp(join(tmpdir(), "outreachd-examples-"));
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await service[Symbol.asyncDispose]();
});

/** The examples as they are, with the package beside them as `npm install` would place it. */
beforeAll(async () => {
  await cp(join(root, "examples"), folder, { recursive: true });
  await writeClient(service.document.json, "1.2.3", join(folder, "node_modules/outreachd-client"));
});

const env = (more: Record<string, string>) => ({ PATH: process.env["PATH"] ?? "", HOME: folder, ...more });

async function run(
  command: string[],
  more: Record<string, string>,
  stdin = "",
): Promise<{ out: string; exitCode: number }> {
  const child = Bun.spawn(command, { cwd: folder, env: env(more), stdin: Buffer.from(stdin), stderr: "pipe" });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { out: out + err, exitCode };
}

function freePort(): number {
  using taken = {
    server: Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() }),
    [Symbol.dispose]() {
      void this.server.stop(true);
    },
  };
  return taken.server.port!;
}

const receivers = { node: ["node", "node/webhook-receiver.mjs"], python: ["python3", "python/webhook_receiver.py"] };
const workflows = {
  node: ["node", "node/workflow.mjs", "people.csv"],
  python: ["python3", "python/workflow.py", "people.csv"],
  curl: ["curl/workflow.sh", "people.csv"],
};
const isInstalled = (program: string) => Bun.which(program) !== null;

test.each(
  Object.entries(workflows).filter(([, [program = ""]]) =>
    program.includes("/") ? isInstalled("jq") : isInstalled(program),
  ),
)("the workflow in %s imports, enriches, and starts a campaign", async (_language, command) => {
  const owner = await service.user();
  const { out, exitCode } = await run(command, { OUTREACHD_URL: service.url, OUTREACHD_API_KEY: owner.key ?? "" });
  expect(out).toMatch(/Import: completed\n.*Enriched.*\nCampaign \S+ is running, with 2 leads\.\n$/s);
  expect(exitCode).toBe(0);
  const campaigns = await owner.get<{ campaigns: { state: string }[] }>("/api/v2/campaigns");
  expect(succeeded(campaigns).data.campaigns).toMatchObject([{ state: "running" }]);
});

test.each(Object.entries(workflows))("the workflow in %s says why it failed", async (_language, command) => {
  const { out, exitCode } = await run(command, { OUTREACHD_URL: service.url, OUTREACHD_API_KEY: "oak_wrong" });
  expect(exitCode).not.toBe(0);
  expect(out).toContain("Malformed API key");
});

test.each(Object.entries(receivers).filter(([, [program = ""]]) => isInstalled(program)))(
  "the receiver in %s shows signed events once, and refuses others",
  async (_language, command) => {
    const owner = await service.user();
    const port = freePort();
    const url = `http://127.0.0.1:${port}/`;
    const made = await owner.post<NewEndpointView>("/api/v2/webhooks", { url, events: ["lead.created"] });
    const { secret } = succeeded(made).data;
    const child = Bun.spawn(command, {
      cwd: folder,
      env: env({ WEBHOOK_SECRET: secret, PORT: String(port) }),
      stderr: "inherit",
    });
    try {
      const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      expect((await lines.read()).value).toContain("listening");
      const forged = { headers: signedHeaders("e1", Date.now(), "{}", ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]) };
      expect((await fetch(url, { method: "POST", body: "{}", ...forged })).status).toBe(401);
      const notAscii = { ...forged.headers, "webhook-signature": "v1,\u00e9" };
      expect((await fetch(url, { method: "POST", body: "{}", headers: notAscii })).status).toBe(401);
      const old = { headers: signedHeaders("e2", Date.now() - 600_000, "{}", [secret]) };
      expect((await fetch(url, { method: "POST", body: "{}", ...old })).status).toBe(401);
      succeeded(await owner.post("/api/v2/leads", { email: "ada@example.com" }));
      expect((await lines.read()).value).toStartWith("lead.created {");
    } finally {
      child.kill();
      await child.exited;
    }
  },
);

test.each(
  Object.entries(receivers)
    .filter(([, [program = ""]]) => isInstalled(program))
    .flatMap(([language, command]) => [undefined, "", "whsec_"].map((secret) => [language, secret, command] as const)),
)("the receiver in %s does not start with the secret %p", async (_language, secret, command) => {
  const { out, exitCode } = await run(command, {
    PORT: String(freePort()),
    ...(secret !== undefined && { WEBHOOK_SECRET: secret }),
  });
  expect(out).toContain("Set WEBHOOK_SECRET");
  expect(exitCode).toBe(1);
});

test("the signature check in the shell accepts what is signed, and nothing else", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const body = '{"type":"lead.created"}';
  const check = async (at: number, signed: string, sent: string) => {
    const headers = signedHeaders("e1", at, signed, [secret]);
    const [id = "", timestamp = "", signature = ""] = Object.values(headers);
    return (await run(["curl/verify-webhook.sh", secret, id, timestamp, `v1,old ${signature}`], {}, sent)).exitCode;
  };
  expect(await check(Date.now(), body, body)).toBe(0);
  expect(await check(Date.now(), body, `${body} `)).toBe(1);
  expect(await check(Date.now() - 600_000, body, body)).toBe(1);
});
