import { afterAll, expect, test } from "bun:test";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";
import { beep, cloneForm, clonesPath, type CloneList, type Created } from "../support/voices.ts";
import { jsonOf } from "../support/live-database.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const leads = "/api/v2/leads";
const ada = { email: "ada@example.com", firstName: "Ada" };
let made = 0;
const newKey = () => `key-${made++}`;
const withKey = (key: string) => ({ headers: { "idempotency-key": key } });
const replayed = ({ headers }: { headers: Headers }) => headers.get("idempotent-replayed");

async function totalOf(client: Client): Promise<number> {
  return (await client.get<{ total: number }>(leads)).data.total;
}

test("a repeated request gets the first answer, with its headers, and is carried out once", async () => {
  const user = await service.user();
  const key = newKey();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(key)));
  const second = await user.post<LeadView>(leads, ada, withKey(key));
  expect(replayed(first)).toBeNull();
  expect({ status: second.status, body: second.body, etag: second.headers.get("etag") }).toEqual({
    status: first.status,
    body: first.body,
    etag: first.headers.get("etag"),
  });
  expect(replayed(second)).toBe("true");
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(await totalOf(user)).toBe(1);
});

test("an answer with another status and a location is told again as it was", async () => {
  const user = await service.user();
  const options = { headers: { "idempotency-key": newKey(), "content-type": "text/csv" } };
  const file = "email\na@example.com\nb@example.com\n";
  const first = await user.post<{ id: string }>(`${leads}/import`, file, options);
  expect(first.status).toBe(202);
  const second = await user.post<{ id: string }>(`${leads}/import`, file, options);
  expect({ ...second, headers: second.headers.get("location") }).toEqual({
    ...first,
    headers: first.headers.get("location"),
  });
  expect(replayed(second)).toBe("true");
  await service.ended(user, first.data.id);
  expect(await totalOf(user)).toBe(2);
});

test("of 64 requests with the same key at once one is carried out", async () => {
  const user = await service.user();
  const key = newKey();
  const answers = await Promise.all(Array.from({ length: 64 }, () => user.post<LeadView>(leads, ada, withKey(key))));
  const byCode = Map.groupBy(answers, ({ status, code }) => code ?? String(status));
  expect([...byCode.keys()].filter((code) => code !== "200" && code !== "REQUEST_IN_PROGRESS")).toEqual([]);
  const ids = new Set(byCode.get("200")?.map(({ data }) => data.id));
  expect(ids.size).toBe(1);
  for (const busy of byCode.get("REQUEST_IN_PROGRESS") ?? [])
    expect({ status: busy.status, after: busy.headers.get("retry-after") }).toEqual({ status: 409, after: "1" });
  expect(await totalOf(user)).toBe(1);
  const told = await Promise.all(Array.from({ length: 16 }, () => user.post<LeadView>(leads, ada, withKey(key))));
  expect(new Set(told.map(({ data }) => data.id))).toEqual(ids);
});

test("another body with the same key is refused and changes nothing", async () => {
  const user = await service.user();
  const key = newKey();
  succeeded(await user.post(leads, ada, withKey(key)));
  const other = await user.post(leads, { email: "grace@example.com" }, withKey(key));
  expect({ status: other.status, code: other.code }).toEqual({ status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  expect(await totalOf(user)).toBe(1);
});

test("the same key means another request for another user, route, id or query", async () => {
  const key = newKey();
  const person = { email: "ada@example.com" };
  const one = await service.user();
  const two = await service.user();
  const answers = [
    await one.post<LeadView>(leads, person, withKey(key)),
    await two.post<LeadView>(leads, person, withKey(key)),
    await one.post(`${leads}?onDuplicate=update`, person, withKey(key)),
    await one.post("/api/v2/suppressions/check", person, withKey(key)),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(answers.map(replayed)).toEqual([null, null, null, null]);
});

test("another key of the same user is told the answer as well, one without the permission is not", async () => {
  const user = await service.user();
  const key = newKey();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(key)));
  const writer = await service.keyOf(user, ["leads:write"]);
  const reader = await service.keyOf(user, ["leads:read"]);
  expect((await writer.post<LeadView>(leads, ada, withKey(key))).data.id).toBe(first.data.id);
  expect((await reader.post(leads, ada, withKey(key))).code).toBe("PERMISSION_DENIED");
  expect((await service.client("oak_nothing").post(leads, ada, withKey(key))).code).toBe("UNAUTHORIZED");
});

test("a refusal that changed nothing keeps nothing: put right, the request may have the same key", async () => {
  const user = await service.user();
  const key = newKey();
  const suppressed = { values: ["ada@example.com"] };
  expect((await user.post(leads, { email: 5 }, withKey(key))).code).toBe("VALIDATION_ERROR");
  expect((await user.post(leads, {}, withKey(key))).code).toBe("VALIDATION_ERROR");
  expect(
    (await user.post(leads, "no", { headers: { "idempotency-key": key, "content-type": "image/png" } })).status,
  ).toBe(415);
  succeeded(await user.post("/api/v2/suppressions", suppressed));
  expect((await user.post(leads, ada, withKey(key))).code).toBe("DO_NOT_CONTACT");
  const put = await user.post(leads, { email: "grace@example.com" }, withKey(key));
  expect({ status: put.status, replayed: replayed(put) }).toEqual({ status: 200, replayed: null });
});

test.each([
  ["quoted and unquoted", '"a b"', "a b"],
  ["with an escaped quote", '"a\\"b"', 'a"b'],
  ["with blanks around it", ' "a,b" ', '"a,b"'],
])("a key means the same %s", async (_how, quoted, plain) => {
  const user = await service.user();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(quoted)));
  expect((await user.post<LeadView>(leads, ada, withKey(plain))).data.id).toBe(first.data.id);
});

test("a key may have 255 characters", async () => {
  const user = await service.user();
  expect((await user.post(leads, ada, withKey("k".repeat(255)))).status).toBe(200);
});

test.each([
  ["too long", "k".repeat(256)],
  ["empty", ""],
  ["an empty string", '""'],
  ["a string that does not end", '"abc'],
  ["not ASCII", "schl\u00fcssel"],
  ["a tab inside", "a\tb"],
])("a key that is %s is refused, and the refusal says what is expected", async (_what, key) => {
  const user = await service.user();
  const answer = await user.post(leads, ada, withKey(key));
  expect(answer).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(answer.message).toContain("Idempotency-Key: Expected 1 to 255 printable ASCII characters");
  expect(await totalOf(user)).toBe(0);
});

test.each([
  ["two keys", "a, b"],
  ["twice the same key", "a, a"],
  ["a key and a string", 'a, "b"'],
  ["two strings", '"a", "b"'],
  ["a key with a comma", "a,b"],
])("%s: refused, because nobody knows which is meant", async (_what, key) => {
  const user = await service.user();
  const answer = await user.post(leads, ada, withKey(key));
  expect(answer).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(answer.message).toContain("Idempotency-Key: Expected one key, got several. Send the header once. Put a key");
  expect(await totalOf(user)).toBe(0);
});

test("every POST of the document takes part: it names the header, its refusals, and checks the key", async () => {
  const posts = service.document.operations.filter(({ method }) => method === "POST");
  expect(posts.length).toBeGreaterThan(40);
  for (const operation of posts) {
    const { path, parameters, responses, summary } = operation;
    const documented = parameters.includes("idempotency-key") && "409" in responses && "422" in responses;
    const answer = await service.admin.post(path.replaceAll(/\{[^}]+\}/g, "nothing"), undefined, {
      headers: { "idempotency-key": "k".repeat(256) },
      query: { userId: service.admin.userId },
    });
    expect({ path, summary, documented, status: answer.status, message: answer.message }).toEqual({
      path,
      summary,
      documented: true,
      status: 400,
      message: expect.stringContaining("Idempotency-Key"),
    });
  }
});

test("other methods pass the header over", async () => {
  const user = await service.user();
  const { data } = succeeded(await user.post<LeadView>(leads, ada));
  const key = newKey();
  expect((await user.put(`${leads}/${data.id}`, { title: "a" }, withKey(key))).status).toBe(200);
  expect((await user.put(`${leads}/${data.id}`, { title: "b" }, withKey(key))).status).toBe(200);
  expect((await user.get(leads, withKey("k".repeat(256)))).status).toBe(200);
});

test("a repeated request counts against the rate limits", async () => {
  await using limited = await startService({ settings: { RATE_LIMIT_MINUTE: 3 } });
  const user = await limited.user();
  const key = newKey();
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await user.post(leads, ada, withKey(key))).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("a new key is shown again to who asked for it, to nobody else, and the database does not have it", async () => {
  const user = await service.user();
  const other = await service.keyOf(user, ["keys:manage", "leads:read"]);
  const key = newKey();
  const input = { name: "robot", permissions: ["leads:read"] };
  const first = succeeded(await user.post<NewKeyView>("/api/v2/keys", input, withKey(key)));
  const again = await user.post<NewKeyView>("/api/v2/keys", input, withKey(key));
  expect(again.data.key).toBe(first.data.key);
  expect(replayed(again)).toBe("true");
  expect(await other.post("/api/v2/keys", input, withKey(key))).toMatchObject({ status: 409, code: "CONFLICT" });
  const turned = (await user.post(`/api/v2/keys/${first.data.id}/regenerate`, undefined, withKey(key)))
    .body as NewKeyView;
  const same = (await user.post(`/api/v2/keys/${first.data.id}/regenerate`, undefined, withKey(key)))
    .body as NewKeyView;
  expect(same.key).toBe(turned.key);
  await using database = await service.openDatabase();
  for (const secret of [first.data.key, turned.key, user.key ?? "", turned.key.slice(8)])
    expect(await database.has(secret)).toBe(false);
  expect(await database.has("robot")).toBe(true);
});

test("a form is compared by its fields and files, whatever its boundary is", async () => {
  const user = await service.user();
  const options = withKey(newKey());
  const send = (form: FormData) => user.post<Created>(clonesPath, form, options);
  const first = succeeded(await send(cloneForm([["a.wav", beep()]])));
  // A new form draws a new boundary.
  const second = await send(cloneForm([["a.wav", beep()]]));
  expect({ data: second.data, replayed: replayed(second) }).toEqual({ data: first.data, replayed: "true" });
  for (const other of [
    cloneForm([["b.wav", beep()]]),
    cloneForm([["a.wav", beep(2)]]),
    cloneForm([["a.wav", beep(1, 9)]]),
    cloneForm([["a.wav", beep()]], { name: "Grace" }),
    cloneForm([["a.wav", beep()]], { description: "" }),
  ])
    expect((await send(other)).code).toBe("IDEMPOTENCY_KEY_REUSED");
  expect((await user.get<CloneList>(clonesPath)).data.total).toBe(1);
});

test("a form that is refused keeps nothing", async () => {
  const user = await service.user();
  const options = withKey(newKey());
  for (let n = 0; n < 2; n++) {
    const answer = await user.post(clonesPath, cloneForm([["a.wav", "no sound"]]), options);
    expect({ status: answer.status, replayed: replayed(answer) }).toEqual({ status: 400, replayed: null });
  }
  expect((await user.post(clonesPath, cloneForm([["a.wav", beep()]]), options)).status).toBe(200);
});

test("a file is compared by its bytes; one that goes on longer is refused before its end", async () => {
  const user = await service.user();
  const options = { headers: { "idempotency-key": newKey(), "content-type": "text/csv" } };
  const file = `email\n${Array.from({ length: 5_000 }, (_, n) => `p${n}@example.com`).join("\n")}\n`;
  const first = succeeded(await user.post<{ id: string }>(`${leads}/import`, file, options));
  const pieces = new Blob([file.slice(0, 40_000), file.slice(40_000)]).stream();
  expect((await user.post<{ id: string }>(`${leads}/import`, pieces, options)).data.id).toBe(first.data.id);
  expect((await user.post(`${leads}/import`, `${file}x@example.com\n`, options)).code).toBe("IDEMPOTENCY_KEY_REUSED");
  expect((await user.post(`${leads}/import`, file.replace("p9@", "q9@"), options)).code).toBe("IDEMPOTENCY_KEY_REUSED");
  await service.ended(user, first.data.id);
  expect(await totalOf(user)).toBe(5_000);
});

test.each([`${leads}/import?dryRun=true`, `${leads}/import/preview`])(
  "the same bytes to %s as another kind of file are another body",
  async (path) => {
    const user = await service.user();
    const key = newKey();
    const send = (type: string, file = "email\n") =>
      user.post(path, file, { headers: { "idempotency-key": key, "content-type": type } });
    const first = succeeded(await send("text/csv"));
    const again = succeeded(await send("Text/CSV; charset=utf-8"));
    expect({ body: again.body, replayed: replayed(again) }).toEqual({ body: first.body, replayed: "true" });
    for (const other of [
      await send("application/x-ndjson"),
      await send("text/csv; charset=windows-1252"),
      await send("text/csv", "emails\n"),
    ])
      expect({ status: other.status, code: other.code }).toEqual({ status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  },
);

test("JSON is compared by its bytes, and not by how its type is written", async () => {
  const user = await service.user();
  const send = (company: string, type: string) =>
    user.post<LeadView>(leads, `{"email":"ada@example.com","company":"${company}"}`, {
      headers: { "idempotency-key": "bytes", "content-type": type },
    });
  const first = succeeded(await send("Café", "application/json"));
  expect((await send("Café", "application/json; charset=utf-8")).data.id).toBe(first.data.id);
  // The same text in other bytes.
  expect((await send("Caf\\u00e9", "application/json")).code).toBe("IDEMPOTENCY_KEY_REUSED");
  expect(await totalOf(user)).toBe(1);
});

testInProcess("an answer is kept for a day; afterwards the key means a new request", async () => {
  const clock = new FakeClock();
  await using own = await startService({ clock });
  const user = await own.user();
  const key = newKey();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(key)));
  clock.advance(24 * 3_600_000 - 1);
  expect((await user.post<LeadView>(leads, ada, withKey(key))).data.id).toBe(first.data.id);
  clock.advance(1);
  const next = await user.post<LeadView>(leads, ada, withKey(key));
  expect(next.data.id).not.toBe(first.data.id);
  expect((await user.post<LeadView>(leads, ada, withKey(key))).data.id).toBe(next.data.id);
});

test("an answer is told again after a restart", async () => {
  await using own = await startService();
  const user = await own.user();
  const key = newKey();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(key)));
  await own.restart();
  const second = await user.post<LeadView>(leads, ada, withKey(key));
  expect({ body: second.body, replayed: replayed(second) }).toEqual({ body: first.body, replayed: "true" });
});

test("JSON is kept without its type and told with it, also as the version before kept it", async () => {
  await using own = await startService();
  const user = await own.user();
  const key = newKey();
  const first = succeeded(await user.post<LeadView>(leads, ada, withKey(key)));
  await using database = await own.openDatabase();
  const etag = first.headers.get("etag") ?? "";
  const [stored] = await database.all<{ headers: unknown }>("SELECT headers FROM idempotent_requests");
  expect(jsonOf(stored?.headers)).toEqual({ etag });
  const type = "application/json;charset=utf-8";
  for (const headers of [
    { etag },
    { "content-type": type, etag },
    { "content-type": "application/problem+json", etag },
  ]) {
    await database.run(`UPDATE idempotent_requests SET headers = '${JSON.stringify(headers)}'`);
    const again = await fetch(`${own.url}${leads}`, {
      method: "POST",
      headers: { "x-api-key": user.key ?? "", "idempotency-key": key, "content-type": "application/json" },
      body: JSON.stringify(ada),
    });
    expect({ type: again.headers.get("content-type"), etag: again.headers.get("etag") }).toEqual({
      type: type,
      etag,
      ...("content-type" in headers && { type: headers["content-type"] }),
    });
    expect(await again.json()).toEqual(first.body);
  }
});

test("what was begun and has no answer is not done again, and that is said", async () => {
  await using own = await startService();
  const user = await own.user();
  const key = newKey();
  succeeded(await user.post(leads, ada, withKey(key)));
  // As a crash leaves it between two writes of a request that makes several.
  await using database = await own.openDatabase();
  await database.run("UPDATE idempotent_requests SET status = NULL, headers = NULL, body = NULL");
  const again = await user.post(leads, ada, withKey(key));
  expect(again).toMatchObject({ status: 409, code: "REQUEST_INTERRUPTED" });
  expect(again.message).toContain("new key");
  expect(await totalOf(user)).toBe(1);
});
