import { expect, test } from "bun:test";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const env = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
  OUTREACHD_ACKNOWLEDGE_NETWORK_RISK: "true",
  OUTREACHD_NETWORK_WEBHOOK_SECRET: secret,
  OUTREACHD_NETWORK_PRIVATE_HOSTS: "127.0.0.1",
};
const actionsARound = 15;
/** The kill falls when the receiver got so many of a round. */
const killAfter = [1, 3, 8, 14];

test("a server that is killed while it carries actions out sends none twice and loses none", async () => {
  await using directory = await createDirectory();
  const got = new Map<string, number>();
  let onGot = (): void => {};
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const id = request.headers.get("webhook-id") ?? "";
      got.set(id, (got.get(id) ?? 0) + 1);
      onGot();
      return Response.json({ outcome: "completed" });
    },
  });
  try {
    let key = "";
    for (const [round, enough] of killAfter.entries()) {
      await using server = await startServer(directory.path, { env });
      key ||= server.firstRun?.key ?? "";
      const wanted = got.size + enough;
      const isEnough = new Promise<void>((resolve) => (onGot = () => (got.size >= wanted ? resolve() : undefined)));
      await scheduleRound(server.api, key, round, `http://127.0.0.1:${receiver.port}/`);
      await isEnough;
      await server.stop("SIGKILL");
    }
    await using server = await startServer(directory.path, { env });
    const ended = await eventually(
      "the end of all actions",
      async () => {
        const all = await actionsOf(server.api, key);
        return all.every(({ state }) => state === "completed" || state === "unknown") ? all : null;
      },
      { patienceMs: 20_000 },
    );
    expect(ended).toHaveLength(actionsARound * killAfter.length);
    for (const { jobId, state } of ended) {
      const times = got.get(jobId) ?? 0;
      expect(state === "completed" ? times === 1 : times <= 1, `${jobId} is ${state} and was sent ${times} times`).toBe(
        true,
      );
    }
  } finally {
    await receiver.stop(true);
  }
}, 60_000);

async function ask<T>(url: string, key: string, body?: unknown, method = body === undefined ? "GET" : "POST") {
  const headers = { "content-type": "application/json", "x-api-key": key };
  const answer = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const { data, message } = (await answer.json()) as { data: T; message?: string };
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${message}`);
  return data;
}

/** Without a pace of its own and all at once, so that many are under way when the kill comes. */
async function scheduleRound(api: string, key: string, round: number, url: string): Promise<void> {
  const { accounts } = await ask<{ accounts: AccountView[] }>(`${api}/network/accounts`, key);
  const allDay = [{ from: "00:00", to: "24:00" }];
  const account = accounts[0] as AccountView;
  const workingHours = Object.fromEntries(Object.keys(account.workingHours).map((day) => [day, allDay]));
  const pace = { workingHours, sessions: null, warmUp: null, spacing: { medianSeconds: 0, minSeconds: 0 } };
  const caps = { visits: { day: 100 }, all: { day: null } };
  const settings = { connector: "webhook", connectorSettings: { url }, caps, state: "paused", ...pace };
  await ask(`${api}/network/accounts/${account.id}`, key, settings, "PATCH");
  for (let n = 0; n < actionsARound; n++) {
    const action = { actionType: "visitProfile", profileUrl: `https://network.example/in/p${round}-${n}` };
    await ask(`${api}/network/scheduleNetworkAction`, key, action);
  }
  await ask(`${api}/network/accounts/${account.id}`, key, { state: "active" }, "PATCH");
}

async function actionsOf(api: string, key: string): Promise<ActionView[]> {
  return (await ask<{ actions: ActionView[] }>(`${api}/network/actions?limit=100`, key)).actions;
}
