import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { postRoutes, type Keeping, type PostRequest } from "../../support/post-routes.ts";
import { eventually, startService } from "../../support/service.ts";

setDefaultTimeout(60_000);

/** With a simulation every route has something to do, and nothing outside is needed. */
const settings = {
  SIMULATE: "true",
  SIMULATED_START: "2026-01-05T09:00:00Z",
  ENRICHMENT_PROVIDERS: "simulated",
  ENRICHMENTS_PER_HOUR: 0,
  WEBHOOK_PRIVATE_HOSTS: "127.0.0.1",
  DEFAULT_CREDITS: 1000,
};
const service = await startService({ settings });
afterAll(() => service[Symbol.asyncDispose]());

type Told = { outcome: string; isReplay: boolean };

async function sent({ client, path, body, headers = {} }: PostRequest, key: string): Promise<Told> {
  const answer = await client.post(path, body, { headers: { ...headers, "idempotency-key": key } });
  const outcome = answer.status < 300 ? "completed" : `${answer.status} ${answer.code}`;
  return { outcome, isReplay: answer.headers.get("idempotent-replayed") === "true" };
}

/** Runs `work` while the database has no room for rows of requests with a key, or only for those with a response. */
async function withoutRoomFor<T>(rows: "keys" | "responses", work: () => Promise<T>): Promise<T> {
  await using database = await service.openDatabase();
  await using _ = await database.refuse("idempotent_requests", rows === "keys" ? "true" : "new.status IS NOT NULL");
  return await work();
}

const done = { outcome: "completed", isReplay: false };
const replayed = { outcome: "completed", isReplay: true };
const tryAgain = { outcome: "503 SERVICE_UNAVAILABLE", isReplay: false };

/** The outcomes without room for the key, then with it, and of another repetition. */
const withoutKey: Record<Keeping, [Told, Told, Told]> = {
  stored: [tryAgain, done, replayed],
  nothing: [done, done, replayed],
  sound: [done, done, done],
  erased: [tryAgain, done, { outcome: "409 CONFLICT", isReplay: false }],
};

/** The outcomes without room for the response, then with it: what was changed is not changed again. */
const withoutResponse: Record<Exclude<Keeping, "erased">, [Told, Told]> = {
  stored: [done, replayed],
  nothing: [done, done],
  sound: [done, done],
};

/** What a route says of its answer, which is not true of a refusal. */
const ofTheAnswer = ["etag", "location", "preference-applied"];

test.each(["/leads", "/leads/import"])(
  "a POST %s that does not hold says nothing of what it would have made",
  async (path) => {
    const request = await postRoutes[path]!.arrange({ service, user: await service.user() });
    await service.idle();
    const options = { headers: { ...request.headers, "idempotency-key": crypto.randomUUID() } };
    const send = () => request.client.post(request.path, request.body, options);
    const refused = await withoutRoomFor("keys", send);
    const done = await send();
    expect([refused.status, done.status < 300]).toEqual([503, true]);
    expect(refused.headers.get("content-type")).toContain("application/json");
    expect(ofTheAnswer.filter((name) => refused.headers.has(name))).toEqual([]);
    expect(ofTheAnswer.filter((name) => done.headers.has(name))).toHaveLength(1);
  },
);

const documented = service.document.operations
  .filter(({ method, path }) => method === "POST" && path !== "/api/v2/mail/test")
  .map(({ path }) => path);

test("every POST of the document is among those below", () => {
  expect(Object.keys(postRoutes).map((path) => `/api/v2${path}`)).toEqual(documented);
});

test.each(Object.entries(postRoutes).map(([path, { keeping }]) => [path, keeping] as const))(
  "POST %s stores its key with its changes, and its response: %s",
  async (path, keeping) => {
    const request = await postRoutes[path]!.arrange({ service, user: await service.user() });
    await service.idle();
    const key = crypto.randomUUID();
    const first = await withoutRoomFor("keys", () => sent(request, key));
    await request.over?.();
    const second = await sent(request, key);
    const untilItIsGone = async () => {
      const told = await sent(request, key);
      return told.isReplay ? null : told;
    };
    const third = keeping === "erased" ? await eventually("the end of it", untilItIsGone) : await sent(request, key);
    expect([first, second, third]).toEqual(withoutKey[keeping]);
  },
);

test.each(Object.entries(postRoutes).map(([path, { keeping }]) => [path, keeping] as const))(
  "POST %s whose response could not be stored is not executed twice: %s",
  async (path, keeping) => {
    const request = await postRoutes[path]!.arrange({ service, user: await service.user() });
    await service.idle();
    const key = crypto.randomUUID();
    const first = await withoutRoomFor("responses", () => sent(request, key));
    await request.over?.();
    if (keeping !== "erased") expect([first, await sent(request, key)]).toEqual(withoutResponse[keeping]);
    else {
      // Its job may have failed to start in the same commit: another job wakes the runner, whose clock stands still.
      await sent(request, crypto.randomUUID());
      const erased = await eventually("the response to be erased", async () => {
        const repeated = await sent(request, key);
        return repeated.isReplay ? null : repeated;
      });
      // Discarded, or stored and then erased.
      expect([first, erased.outcome.slice(0, 3)]).toEqual([done, "409"]);
      // An erasure discards what is in memory, also of the requests of the next tests.
      await eventually("the end of both erasures", async () => {
        const { data } = await request.client.get<{ jobs: { status: string }[] }>(
          "/api/v2/users/jobs?type=person_erasure",
        );
        return data.jobs.every(({ status }) => status === "completed") ? true : null;
      });
    }
  },
);

test.each(["/leads/import", "/prospecting/import", "/voice-clones", "/voice-clones/{voiceId}/samples"])(
  "no file stays of a POST %s whose job could not be stored with its key",
  async (path) => {
    const request = await postRoutes[path]!.arrange({ service, user: await service.user() });
    await service.idle();
    const files = () => Array.fromAsync(new Bun.Glob("blobs/**").scan(service.dataDir));
    const before = await files();
    const told = await withoutRoomFor("keys", () => sent(request, crypto.randomUUID()));
    expect(told).toEqual(tryAgain);
    await eventually("the file to be gone", async () => ((await files()).length === before.length ? true : null));
    expect((await files()).toSorted()).toEqual(before.toSorted());
  },
);

test("a list that takes several transactions is carried out once, and its answer told again", async () => {
  const user = await service.user();
  const prospects = Array.from({ length: 2_000 }, (_, n) => ({
    name: "Ada Lovelace",
    network_url: `https://network.example/in/listed${n}`,
  }));
  const request = { client: user, path: "/api/v2/network/upload-prospects", body: { prospects } };
  const key = crypto.randomUUID();
  expect([await sent(request, key), await sent(request, key)]).toEqual([done, replayed]);
  expect((await user.get<{ total: number }>("/api/v2/leads")).data.total).toBe(prospects.length);
});
