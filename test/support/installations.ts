import { loadConfig } from "../../src/app/config/config.ts";
import { createApp } from "../../src/surfaces/app.ts";
import { people } from "./prospecting-api.ts";
import { eventually } from "./service.ts";
import { cloneForm, pretendEngine, spokenWav } from "./voices.ts";

type Json = Record<string, unknown>;

/** A service in this process on the place that the environment names. Hold it with `await using`, which stops it. */
export async function startInstallation(data: string, env: Record<string, string> = {}, key: string | null = null) {
  const quiet = {
    OUTREACHD_LOG_LEVEL: "silent",
    OUTREACHD_LISTEN: "127.0.0.1:0",
    OUTREACHD_TIME_ZONE: "UTC",
    OUTREACHD_WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
  };
  const limits = Object.fromEntries(["MINUTE", "HOUR", "DAY"].map((name) => [`OUTREACHD_RATE_LIMIT_${name}`, "0"]));
  const app = await createApp(loadConfig({ flags: { data }, env: { ...quiet, ...limits, ...env } }), {
    voiceEngines: { local: pretendEngine().engine },
  });
  await app.start();
  const secret = key ?? app.firstRun!.key;

  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isRaw = typeof body === "string" || body instanceof FormData;
    const type: Record<string, string> = isRaw || body === undefined ? {} : { "content-type": "application/json" };
    return await fetch(`${app.url}/api/v2${path}`, {
      method,
      headers: { "x-api-key": secret, ...type, ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    });
  }

  /** The data of a successful answer. */
  async function ask<T = Json>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await send(method, path, body, headers);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  }

  return {
    ...{ app, key: secret, send, ask },
    [Symbol.asyncDispose]: () => app.stop(),
  };
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>;

/** Uses every feature a little, so that most tables have rows, and there are files. */
export async function useFeatures({ app, ask }: Installation): Promise<{ voiceId: string }> {
  const csv = { "content-type": "text/csv" };
  await ask("POST", "/webhooks", { url: "https://127.0.0.1:9/hook", events: ["lead.created"] });
  const file = `First name,Last name,Email,Company,Phone,Tags\n${[
    "Ada,Lovelace,ada@example.com,Analytical Engines,+44 20 7946 0001,pioneer;\\N tab",
    'Björn,O\'Neill,bjorn@example.com,"Back\\slash, Inc.",+44 20 7946 0002,',
    ",,not an address,,,",
  ].join("\n")}\n`;
  await ask("POST", "/leads/import", file, csv);
  await ask("POST", "/prospecting/import", people, csv);
  await app.idle();
  const lead = {
    firstName: "Grace",
    email: "grace@example.com",
    customFields: { z: 1, a: ["x\ty", null], é: "\u0001" },
  };
  const { id: leadId } = await ask<{ id: string }>("POST", "/leads", lead, { "idempotency-key": "once" });
  await ask("PATCH", `/leads/${leadId}`, { notes: "two\nlines \\ and\ttabs" });
  await ask("POST", "/suppressions", { values: ["no@example.com"], reason: "asked" });
  const { prospects } = await ask<{ prospects: { id: string }[] }>("POST", "/prospecting/search", { filters: {} });
  await ask("POST", `/prospecting/prospects/${prospects[0]!.id}/lead`, {});
  await ask("POST", "/prospecting/searches", { name: "Everyone", filters: {} });
  await ask("POST", "/network/scheduleNetworkAction", {
    ...{ actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada", message: "Hello" },
  });
  const made = await ask<{ voiceId: string }>("POST", "/voice-clones", cloneForm([["a.wav", await spokenWav(12)]]));
  await app.idle();
  await eventually("the voice", async () => {
    await app.idle();
    const { status } = await ask<{ status: string }>("GET", `/voice-clones/${made.voiceId}`);
    return status === "ready" ? true : null;
  });
  return made;
}

/** What a client sees of an installation, in a form that can be compared. */
export async function viewOf({ ask, send }: Installation, voiceId: string): Promise<Json> {
  const paths = [
    "/leads?limit=100",
    "/users/jobs",
    "/suppressions",
    "/webhooks",
    "/credits/ledger",
    "/prospecting/searches",
  ];
  const more = [
    "/keys",
    "/users",
    "/events?limit=100",
    "/network/accounts",
    "/network/actions",
    "/voice-clones",
    "/audit",
  ];
  const view: Json = {};
  for (const path of [...paths, ...more]) {
    const answer = await send("GET", path);
    view[path] = answer.ok ? withoutUse(((await answer.json()) as { data: unknown }).data) : answer.status;
  }
  for (const query of ["ada", "back\\slash"])
    view[`q ${query}`] = await ask("GET", `/leads?q=${encodeURIComponent(query)}`);
  view["prospects"] = await ask("POST", "/prospecting/search", { filters: { person: { title: ["CTO"] } } });
  view["all prospects"] = await ask("POST", "/prospecting/search", { filters: {} });
  view["facets"] = await ask("GET", "/prospecting/facets");
  const speak = () => send("POST", `/voice-clones/${voiceId}/preview`, { text: "Hello there" });
  // The first is streamed, so its header has no length; then it is in the cache.
  await (await speak()).bytes();
  const speech = await speak();
  view["speech"] = Bun.hash(await speech.bytes()).toString();
  return view;
}

/** Keys count how often they are used, and webhooks what is delivered. */
function withoutUse(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data, (name, value: unknown) =>
      [
        "usageCount",
        "lastUsedAt",
        "last_used_at",
        "failures",
        "failingSince",
        "lastFailureAt",
        "restsUntil",
        "nextAt",
      ].includes(name)
        ? undefined
        : value,
    ),
  );
}
