import { expect, test } from "bun:test";
import { createDice } from "../../support/ids.ts";
import { startService, type Service } from "../../support/service.ts";
import { RequestGenerator, type FuzzRequest } from "../../support/fuzz-generator.ts";

/** Another run: OUTREACHD_FUZZ_SEED=n, and OUTREACHD_FUZZ_REQUESTS=n for a longer one. */
const seed = Number(process.env["OUTREACHD_FUZZ_SEED"] ?? 1);
const requests = Number(process.env["OUTREACHD_FUZZ_REQUESTS"] ?? 20_000);
/** A user's data grows with every request; a new one keeps lists short and replaces a key that was changed. */
const perUser = 500;

const maxShown = 30;

type Found = { request: number; sent: string; problem: string };

async function fuzz(service: Service): Promise<{ found: Found[]; statuses: Map<number, number> }> {
  const dice = createDice(seed);
  const generator = new RequestGenerator(service.document, dice);
  const found = new Map<string, Found>();
  const statuses = new Map<number, number>();
  let key = "";
  for (let request = 0; request < requests; request++) {
    if (request % perUser === 0) key = (await service.user({ role: "admin" })).key ?? "";
    const sent = generator.next();
    const { status, contentType, body } = await answerTo(service.url, sent, key);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const path = sent.target.split("?")[0] ?? "";
    generator.learn(path, body);
    // The document has no routes of other paths, and nothing but those may be asked for.
    const operation = service.document.find(sent.method, path);
    const problems = operation === null ? [] : service.document.problems(operation, status, contentType, body);
    if (status >= 500) problems.push(`${sent.method} ${operation?.path} answered ${status}`);
    for (const problem of problems)
      if (!found.has(problem)) found.set(problem, { request, sent: JSON.stringify(sent).slice(0, 600), problem });
    if (status === 401) key = (await service.user({ role: "admin" })).key ?? "";
  }
  return { found: [...found.values()], statuses };
}

async function answerTo(url: string, { method, target, headers, body }: FuzzRequest, key: string) {
  const response = await fetch(url + target, {
    method,
    headers: { "x-api-key": key, ...printable(headers) },
    ...(body !== undefined && { body }),
    redirect: "manual",
  });
  const contentType = response.headers.get("content-type") ?? "";
  if (contentType.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return { status: response.status, contentType, body: "" };
  }
  const text = await response.text();
  const isJson = contentType.startsWith("application/json") && text !== "";
  return { status: response.status, contentType, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** Other characters no client can send. */
function printable(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/[^ -~]/g, "_")]));
}

test(`whatever is sent, the response is one that the document describes (seed ${seed})`, async () => {
  await using service = await startService({ settings: { CREDITS_PER_PROSPECT: 0 } });
  const { found, statuses } = await fuzz(service);
  const report = found.slice(0, maxShown).map(({ problem, sent, request }) => `#${request} ${problem}\n  ${sent}`);
  expect({ seed, problems: report }).toEqual({ seed, problems: [] });
  // It is not refusals alone that were looked at.
  const successes = (statuses.get(200) ?? 0) + (statuses.get(202) ?? 0);
  expect(successes).toBeGreaterThan(requests / 10);
}, 600_000);
