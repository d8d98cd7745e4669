import { expect, test } from "bun:test";
import { createDirectory, startServer } from "../support/program.ts";

const noLimits = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
};
const clients = 32;
/** The kill falls when so many requests of the round were answered, with the others under way. */
const killAfter = [40, 150, 400];

test("a client that repeats every request after a kill has each of them executed exactly once", async () => {
  await using directory = await createDirectory();
  let secret = "";
  const sent = new Map<string, string | null>();
  const post = async (api: string, key: string) => {
    const answer = await fetch(`${api}/leads`, {
      method: "POST",
      headers: { "x-api-key": secret, "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify({ email: `${key}@example.com` }),
    });
    const body = (await answer.json()) as { data?: { id: string }; code?: string };
    const isReplay = answer.headers.get("idempotent-replayed") === "true";
    return { status: answer.status, id: body.data?.id, code: body.code, isReplay };
  };
  let replays = 0;
  for (const [round, enough] of killAfter.entries()) {
    await using server = await startServer(directory.path, { env: noLimits });
    secret ||= server.firstRun?.key ?? "";
    let answered = 0;
    let serial = 0;
    const client = async (): Promise<void> => {
      for (;;) {
        const key = `r${round}-${serial++}`;
        sent.set(key, null);
        const answer = await post(server.api, key).catch(() => null);
        if (answer === null) return;
        expect(answer).toMatchObject({ status: 200, isReplay: false });
        sent.set(key, answer.id ?? null);
        if (++answered === enough) void server.stop("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    expect(answered).toBeGreaterThanOrEqual(enough);
  }
  await using server = await startServer(directory.path, { env: noLimits });
  const unsure = [...sent];
  const repeat = async (): Promise<void> => {
    for (let next = unsure.pop(); next !== undefined; next = unsure.pop()) {
      const [key, id] = next;
      const again = await post(server.api, key);
      if (again.isReplay) replays++;
      // Whatever was acknowledged is replayed. The rest was not executed, or its response was not stored yet.
      if (id !== null) expect(again).toMatchObject({ status: 200, id, isReplay: true });
      else expect(again.code ?? "OK").toBe(again.status === 200 ? "OK" : "REQUEST_INTERRUPTED");
    }
  };
  await Promise.all(Array.from({ length: clients }, repeat));
  expect(replays).toBeGreaterThan(killAfter.reduce((sum, enough) => sum + enough, 0) - 1);
  const listed = await fetch(`${server.api}/leads?limit=1`, { headers: { "x-api-key": secret } });
  const { data } = (await listed.json()) as { data: { total: number } };
  expect(data.total).toBe(sent.size);
}, 60_000);
