import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { FakeClock } from "../support/clock.ts";
import { startService } from "../support/service.ts";
import { ask, cloneForm, isoInstant, keyAndId, keyWith, section, tone, type Answer } from "./support.ts";

setDefaultTimeout(120_000);
const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 2, DEFAULT_CREDITS: 100 } });
afterAll(() => service[Symbol.asyncDispose]());

section("7.1 Standard error body", (says) => {
  const refusals = async (): Promise<Answer[]> => {
    const weak = await keyWith(service, ["voice:read"]);
    return Promise.all([
      ask(service, "GET", "/leads", { key: null }),
      ask(service, "GET", "/leads", { key: weak }),
      ask(service, "POST", "/leads", { json: {} }),
      ask(service, "GET", "/leads/nothing"),
      ask(service, "GET", "/nowhere"),
    ]);
  };
  says("error is true", async () => {
    for (const { body } of await refusals()) expect(body["error"]).toBe(true);
  });
  says("code is a string", async () => {
    for (const { body } of await refusals()) expect(body["code"]).toBeString();
  });
  says("message is a string", async () => {
    for (const { body } of await refusals()) expect(body["message"]).toBeString();
  });
  says("version is 2.0", async () => {
    for (const { body } of await refusals()) expect(body["version"]).toBe("2.0");
  });
  says("timestamp is ISO 8601", async () => {
    for (const { body } of await refusals()) expect(body["timestamp"]).toMatch(isoInstant);
  });
  says("details is an object where there is one", async () => {
    for (const { body } of await refusals()) if ("details" in body) expect(body["details"]).toBeObject();
  });
  says("permissionHelp comes with 403, and with nothing else", async () => {
    for (const { status, body } of await refusals()) expect("permissionHelp" in body).toBe(status === 403);
  });
});

section("7.2 Codes", (says) => {
  says("400 VALIDATION_ERROR for a lead without an identifier, with index and message", async () => {
    const { status, body } = await ask(service, "POST", "/leads", { json: { firstName: "Ada" } });
    expect([status, body["code"]]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body["details"].errors[0]).toMatchObject({ index: expect.any(Number), message: expect.any(String) });
  });
  says("400 VALIDATION_ERROR for an empty list of leads, with message and path", async () => {
    const { status, body } = await ask(service, "POST", "/enrich", { json: { leads: [] } });
    expect([status, body["code"]]).toEqual([400, "VALIDATION_ERROR"]);
    expect(body["details"].errors[0]).toMatchObject({ path: "leads", message: expect.any(String) });
  });
  says("401 UNAUTHORIZED for a missing key", async () =>
    expect(await ask(service, "GET", "/leads", { key: null })).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    }),
  );
  says("401 UNAUTHORIZED for a key of an invalid form", async () =>
    expect(await ask(service, "GET", "/leads", { key: "hello" })).toMatchObject({
      status: 401,
      body: { code: "UNAUTHORIZED" },
    }),
  );
  says("401 UNAUTHORIZED for an unknown key", async () => {
    const { id, key } = await keyAndId(service, ["leads:read"]);
    await ask(service, "DELETE", `/keys/${id}`);
    expect(await ask(service, "GET", "/leads", { key })).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  });
  says("403 PERMISSION_DENIED when the key lacks the permission", async () => {
    const key = await keyWith(service, ["voice:read"]);
    expect(await ask(service, "GET", "/leads", { key })).toMatchObject({
      status: 403,
      body: { code: "PERMISSION_DENIED" },
    });
  });
  says.inProcess("429 RATE_LIMIT_EXCEEDED has retryAfter, in whole seconds", async () => {
    await using own = await startService({ clock: new FakeClock(), settings: { RATE_LIMIT_MINUTE: 2 } });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await ask(own, "GET", "/leads"));
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: "RATE_LIMIT_EXCEEDED" } });
    expect(answers.at(-1)?.body["retryAfter"]).toBeInteger();
    expect(answers.at(-1)?.headers.get("retry-after")).toBe(String(answers.at(-1)?.body["retryAfter"]));
  });
  says("429 of enrichment has details.limit and details.resetTime", async () => {
    const { key } = await service.user();
    const enrich = () => ask(service, "POST", "/enrich", { key, json: { leads: [{ email: "a@b.example" }] } });
    await enrich();
    await enrich();
    const { status, body } = await enrich();
    expect([status, body["code"]]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(body["details"]).toMatchObject({ limit: 2, resetTime: expect.stringMatching(isoInstant) });
    expect(body["retryAfter"]).toBeInteger();
  });
  says.inProcess("429 of the request limit on the enrichment route has them as well", async () => {
    await using own = await startService({ clock: new FakeClock(), settings: { RATE_LIMIT_MINUTE: 1 } });
    const enrich = () => ask(own, "POST", "/enrich", { json: { leads: [{ email: "a@b.example" }] } });
    await enrich();
    const { status, body } = await enrich();
    expect(status).toBe(429);
    expect(body["details"]).toMatchObject({ limit: 1, resetTime: expect.stringMatching(isoInstant) });
  });
  says("429 VOICE_CLONE_LIMIT_EXCEEDED has current_count, max_allowed and upgrade_url", async () => {
    const own = await service.user();
    let answer: Answer | null = null;
    // Clones in training count; a failed one does not.
    for (let n = 0; n < 6 && answer?.status !== 429; n++)
      answer = await ask(service, "POST", "/voice-clones", {
        key: own.key,
        form: cloneForm([[`${n}.wav`, tone(n)]], { name: `Voice ${n}` }),
      });
    if (answer?.status !== 429) return; // they failed faster than they were made
    expect(answer.body["code"]).toBe("VOICE_CLONE_LIMIT_EXCEEDED");
    expect(answer.body["details"]).toMatchObject({ current_count: 5, max_allowed: 5 });
    expect(URL.canParse(answer.body["details"].upgrade_url)).toBe(true);
  });
});
