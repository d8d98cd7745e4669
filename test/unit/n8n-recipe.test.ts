import { expect, test } from "bun:test";
import { createRequire } from "node:module";
import { signedHeaders } from "../../src/features/webhooks/signature.ts";
import { documents } from "../support/documents.ts";

/** The code that docs/integrations.md gives for n8n, with what a Code node of n8n has. */

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const [, code = ""] = /^```js\n([^]*?)^```/m.exec(documents.get("docs/integrations.md")!) ?? [];
const body = JSON.stringify({ type: "lead.created", data: { name: "Zoë" } });

function run(headers: Record<string, string>, received = body): Promise<unknown> {
  expect(code).toContain('"whsec_…"');
  const node = `return async function () { ${code.replace("whsec_…", secret)} }`;
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- the documented code is under test
  const main = new Function("require", "$input", node)(createRequire(import.meta.url), {
    first: () => ({ json: { headers } }),
  }) as (this: object) => Promise<unknown>;
  return main.call({ helpers: { getBinaryDataBuffer: async () => Buffer.from(received) } });
}

test("the code for n8n returns an event that was signed with the secret", async () => {
  expect(await run(signedHeaders("e1", Date.now(), body, [secret]))).toEqual([{ json: JSON.parse(body) }]);
  const both = signedHeaders("e1", Date.now(), body, ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", secret]);
  expect(await run(both)).toEqual([{ json: JSON.parse(body) }]);
});

test("the code for n8n refuses forged, changed, unsigned, and old events", async () => {
  const headers = signedHeaders("e1", Date.now(), body, [secret]);
  const { "webhook-signature": _signature, ...unsigned } = headers;
  const forged = signedHeaders("e1", Date.now(), body, ["whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]);
  const changed = { ...headers, "webhook-id": "e2" };
  for (const each of [forged, unsigned, changed]) await expect(run(each)).rejects.toThrow("signature");
  await expect(run(headers, `${body} `)).rejects.toThrow("signature");
  await expect(run(signedHeaders("e1", Date.now() - 600_000, body, [secret]))).rejects.toThrow("too long ago");
  await expect(run({})).rejects.toThrow("too long ago");
});
