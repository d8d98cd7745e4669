import { afterAll, expect, test } from "bun:test";
import { leadStatuses, type LeadView } from "../../src/features/leads/model.ts";
import type { Answer, Client } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const ada = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  company: "Analytical Engines",
  title: "Programmer",
  phone: "+44 20 7946 0000",
  networkUrl: "https://network.example/in/ada",
  industry: "Computing",
  location: "London",
  source: "referral",
  notes: "Met at a dinner.\nLikes numbers.",
  tags: ["math", "first"],
  customFields: { score: 7, nested: { list: [1, null, "x"] } },
};

async function create(client: Client, input: object = {}): Promise<LeadView> {
  return succeeded(await client.post<LeadView>("/api/v2/leads", { email: "grace@example.com", ...input })).data;
}

function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

test("a new lead is stored with all that was sent", async () => {
  const user = await service.user();
  const created = await user.post<LeadView>("/api/v2/leads", ada);
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ success: true, data: { ...ada, status: "new" } });
  expect(created.data.createdAt).toBe(created.data.updatedAt);
  const read = await user.get<LeadView>(`/api/v2/leads/${created.data.id}`);
  expect(read.data).toEqual(created.data);
  expect(read.headers.get("etag")).toBe(created.headers.get("etag"));
});

test("what a new lead lacks is null, and its tags and custom fields are empty", async () => {
  const lead = await create(await service.user());
  expect(lead).toMatchObject({ firstName: null, phone: null, notes: null, tags: [], customFields: {}, status: "new" });
});

test.each([
  ["an email address", { email: "ada@example.com" }],
  ["a profile", { networkUrl: "https://network.example/in/ada" }],
  ["first name, last name and company", { firstName: "Ada", lastName: "Lovelace", company: "Engines" }],
])("%s is enough to store a lead", async (_what, input) => {
  const { status, data } = await (await service.user()).post<LeadView>("/api/v2/leads", input);
  expect(status).toBe(200);
  expect(data).toMatchObject(input);
});

test.each([
  ["nothing", {}],
  ["a title alone", { title: "Programmer" }],
  ["a name without a company", { firstName: "Ada", lastName: "Lovelace" }],
  ["identifiers that are null", { email: null, networkUrl: null }],
  ["identifiers that are blank", { email: "  ", firstName: "\t", lastName: "L", company: "C" }],
])("%s does not identify a lead", async (_what, input) => {
  const refused = await (await service.user()).post("/api/v2/leads", input);
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(refused.message).toContain("A lead needs an identifier");
});

test.each([
  ["an email address without an @", { email: "not an address" }, "email"],
  ["an email address without a dot", { email: "ada@localhost" }, "email"],
  ["a space in the email address", { email: "ada@exam ple.com" }, "email"],
  ["an email address that is too long", { email: `${"a".repeat(250)}@example.com` }, "email"],
  ["a number for an email address", { email: 5 }, "email"],
  ["a profile that is no URL", { networkUrl: "not a url" }, "networkUrl"],
  ["a profile that is not on the web", { networkUrl: "ftp://network.example/in/ada" }, "networkUrl"],
  ["a profile that is a script", { networkUrl: "javascript:alert(1)" }, "networkUrl"],
  ["a name that is too long", { firstName: "x".repeat(201) }, "firstName"],
  ["notes that are too long", { notes: "x".repeat(10_001) }, "notes"],
  ["notes that are an object", { notes: { text: "x" } }, "notes"],
  ["tags that are a text", { tags: "math" }, "tags"],
  ["too many tags", { tags: Array.from({ length: 101 }, (_, index) => `tag ${index}`) }, "tags"],
  ["a tag that is a number", { tags: [5] }, "tags.0"],
  ["an empty tag", { tags: [""] }, "tags.0"],
  ["a tag that is too long", { tags: ["x".repeat(101)] }, "tags.0"],
  ["custom fields that are a list", { customFields: [1] }, "customFields"],
  ["custom fields that are a text", { customFields: "text" }, "customFields"],
  [
    "too many custom fields",
    { customFields: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, i])) },
    "customFields",
  ],
  ["custom fields that are too large", { customFields: { big: "x".repeat(16_384) } }, "customFields"],
])("a lead with %s is refused", async (_what, input, path) => {
  const user = await service.user();
  const refused = await user.post("/api/v2/leads", { firstName: "Ada", lastName: "L", company: "C", ...input });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toContain(path);
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 0 });
});

test("every problem of a lead is told at once, with the item that is meant", async () => {
  const refused = await (await service.user()).post("/api/v2/leads", { email: 5, title: false, tags: ["fine", 7] });
  expect(refused.details?.["errors"]).toMatchObject([
    { path: "email", index: 0 },
    { path: "title", index: 0 },
    { path: "tags.1", index: 0 },
  ]);
});

test("fields that are not known are ignored, also those that only the service sets", async () => {
  const user = await service.user();
  const lead = await create(user, {
    id: "mine",
    status: "converted",
    createdAt: "2001-01-01",
    userId: user.userId,
    version: 9,
    hobby: "chess",
  });
  expect(lead).toMatchObject({ status: "new" });
  expect(lead.id).not.toBe("mine");
  expect(Date.parse(lead.createdAt)).toBeGreaterThan(Date.parse("2002-01-01"));
});

test("texts are trimmed and lose control characters, and repeated tags are dropped", async () => {
  const lead = await create(await service.user(), {
    firstName: "  Ada\u0000 \u0007",
    company: "A\r\nB",
    notes: "one\r\ntwo\u0000",
    tags: ["b", " a ", "b", "a"],
  });
  expect(lead).toMatchObject({ firstName: "Ada", company: "A B", notes: "one\ntwo", tags: ["b", "a"] });
});

test("texts of every script are kept as they are", async () => {
  const user = await service.user();
  const texts = {
    firstName: "Łukasz 😀",
    lastName: "Nguyễn",
    company: "株式会社",
    notes: "שלום\tعالم",
    tags: ["é", "日本"],
    customFields: { ключ: "値" },
  };
  const { id } = await create(user, texts);
  expect((await user.get<LeadView>(`/api/v2/leads/${id}`)).data).toMatchObject(texts);
});

test("names of custom fields that mean something to JavaScript are kept as data", async () => {
  const user = await service.user();
  const customFields = '{"__proto__":{"isAdmin":true},"constructor":1,"toString":"x","hasOwnProperty":null}';
  const body = `{"email":"ada@example.com","__proto__":{"email":"eve@example.com"},"customFields":${customFields}}`;
  const headers = { "content-type": "application/json" };
  const { data } = succeeded(await user.post<LeadView>("/api/v2/leads", body, { headers }));
  expect(data.email).toBe("ada@example.com");
  const read = await user.get<LeadView>(`/api/v2/leads/${data.id}`);
  expect(JSON.stringify(read.data.customFields)).toBe(customFields);
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test("a second lead for the same person is stored unless the client asks otherwise", async () => {
  const user = await service.user();
  const first = await create(user);
  const second = await create(user, { email: "GRACE@example.com" });
  expect(second.id).not.toBe(first.id);
  const refused = await user.post("/api/v2/leads", { email: "Grace@Example.com" }, { query: { onDuplicate: "error" } });
  expect(refused).toMatchObject({ status: 409, code: "CONFLICT" });
  expect([first.id, second.id]).toContain(refused.details?.["leadId"] as string);
});

test("with onDuplicate=update the newcomer is merged into the lead that is there", async () => {
  const user = await service.user();
  const there = await create(user, { ...ada, title: "Countess" });
  const input = {
    email: "ADA@example.com",
    title: "Programmer",
    tags: ["new"],
    customFields: { score: 8, more: true },
  };
  const merged = await user.post<LeadView>("/api/v2/leads", input, { query: { onDuplicate: "update" } });
  expect(merged.data).toMatchObject({
    id: there.id,
    firstName: "Ada",
    title: "Programmer",
    tags: ["math", "first", "new"],
    customFields: { score: 8, nested: ada.customFields.nested, more: true },
  });
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 1 });
});

test("with onDuplicate=update a person that is not there is stored", async () => {
  const user = await service.user();
  await user.post("/api/v2/leads", { email: "ada@example.com" }, { query: { onDuplicate: "update" } });
  await user.post("/api/v2/leads", { email: "grace@example.com" }, { query: { onDuplicate: "update" } });
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 2 });
});

test.each([
  ["another spelling of the profile", { networkUrl: "http://www.network.example/in/Ada/?trk=x" }],
  ["the same name and company", { firstName: "ADA", lastName: "lovelace", company: "analytical engines" }],
])("%s is the same person", async (_what, input) => {
  const user = await service.user();
  const { id } = await create(user, { ...ada, networkUrl: "https://network.example/in/ada" });
  const refused = await user.post("/api/v2/leads", input, { query: { onDuplicate: "error" } });
  expect(refused).toMatchObject({ status: 409, details: { leadId: id } });
});

test("the same name at the same company with another email address is another person", async () => {
  const user = await service.user();
  await create(user, ada);
  const { firstName, lastName, company } = ada;
  const input = { firstName, lastName, company, email: "other@example.com" };
  expect((await user.post("/api/v2/leads", input, { query: { onDuplicate: "error" } })).status).toBe(200);
});

test("a lead of another user is no duplicate", async () => {
  await create(await service.user());
  const input = { email: "grace@example.com" };
  expect((await (await service.user()).post("/api/v2/leads", input, { query: { onDuplicate: "error" } })).status).toBe(
    200,
  );
});

test("an unknown onDuplicate is refused", async () => {
  const refused = await (await service.user()).post("/api/v2/leads", ada, { query: { onDuplicate: "skip" } });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual(["onDuplicate"]);
});

testInProcess("an update changes what is sent, and when the lead was updated", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const user = await service.user();
  const lead = await create(user, ada);
  clock.advance(1000);
  const change = {
    title: "Countess",
    phone: "1",
    networkUrl: "https://network.example/in/al",
    industry: "Maths",
    location: "Kent",
    source: "website",
    notes: "new",
  };
  const updated = await user.put<LeadView>(`/api/v2/leads/${lead.id}`, change);
  expect(updated.data).toEqual({ ...lead, ...change, updatedAt: new Date(clock.now()).toISOString() });
  expect((await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data).toEqual(updated.data);
});

test("null empties a field, and tags and custom fields are replaced whole", async () => {
  const user = await service.user();
  const { id } = await create(user, ada);
  const { data } = await user.put<LeadView>(`/api/v2/leads/${id}`, {
    title: null,
    phone: "",
    tags: ["only"],
    customFields: {},
  });
  expect(data).toMatchObject({ title: null, phone: null, tags: ["only"], customFields: {} });
});

test.each(leadStatuses.map((status) => [status]))("a lead can be set to %s from any status", async (status) => {
  const user = await service.user();
  const { id } = await create(user);
  for (const before of leadStatuses) {
    await user.put(`/api/v2/leads/${id}`, { status: before });
    expect((await user.put<LeadView>(`/api/v2/leads/${id}`, { status })).data.status).toBe(status);
  }
});

test.each([
  ["an unknown status", { status: "active" }, "status"],
  ["a wrong email address", { email: "nobody" }, "email"],
  ["a tag that is no text", { tags: [1] }, "tags.0"],
])("an update with %s is refused and changes nothing", async (_what, change, path) => {
  const user = await service.user();
  const lead = await create(user, ada);
  const refused = await user.put(`/api/v2/leads/${lead.id}`, { title: "changed", ...change });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([path]);
  expect((await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data).toEqual(lead);
});

test("an update can't take the last identifier away", async () => {
  const user = await service.user();
  const { id } = await create(user);
  expect(await user.put(`/api/v2/leads/${id}`, { email: null })).toMatchObject({
    status: 400,
    code: "VALIDATION_ERROR",
  });
  const change = { email: null, networkUrl: "https://network.example/in/grace" };
  expect((await user.put(`/api/v2/leads/${id}`, change)).status).toBe(200);
});

test("the ETag of a lead changes with every change and with nothing else", async () => {
  const user = await service.user();
  const { id } = await create(user);
  const tags = [];
  for (let change = 0; change < 3; change++) {
    const updated = await user.put(`/api/v2/leads/${id}`, { title: `title ${change}` });
    tags.push(updated.headers.get("etag"));
    expect((await user.get(`/api/v2/leads/${id}`)).headers.get("etag")).toBe(updated.headers.get("etag"));
  }
  expect(new Set(tags).size).toBe(3);
  for (const tag of tags) expect(tag).toMatch(/^"\d+"$/);
});

test("If-None-Match answers 304 without a body while the lead is unchanged", async () => {
  const user = await service.user();
  const created = await user.post<LeadView>("/api/v2/leads", ada);
  const etag = created.headers.get("etag") ?? "";
  const read = (ifNoneMatch: string) =>
    user.get(`/api/v2/leads/${created.data.id}`, { headers: { "if-none-match": ifNoneMatch } });
  for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const { status, body, headers } = await read(tag);
    expect({ status, body, etag: headers.get("etag") }).toEqual({ status: 304, body: "", etag });
  }
  expect((await read('"77"')).status).toBe(200);
  await user.put(`/api/v2/leads/${created.data.id}`, { title: "x" });
  expect((await read(etag)).status).toBe(200);
});

test("If-Match lets a change through only while nobody else changed the lead", async () => {
  const user = await service.user();
  const created = await user.post<LeadView>("/api/v2/leads", ada);
  const path = `/api/v2/leads/${created.data.id}`;
  const stale = { "if-match": created.headers.get("etag") ?? "" };
  const second = await user.put(path, { title: "second" }, { headers: stale });
  expect(second.status).toBe(200);
  const refused = await user.put(path, { title: "third" }, { headers: stale });
  expect(refused).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
  expect(await user.delete(path, { headers: stale })).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
  for (const tag of ["garbage", '"x"', `W/${second.headers.get("etag")}`])
    expect((await user.put(path, { title: "third" }, { headers: { "if-match": tag } })).status).toBe(412);
  expect((await user.get<LeadView>(path)).data.title).toBe("second");
  expect((await user.put(path, { title: "any" }, { headers: { "if-match": "*" } })).status).toBe(200);
});

test("If-Match takes a list of tags", async () => {
  const user = await service.user();
  const created = await user.post<LeadView>("/api/v2/leads", ada);
  const headers = { "if-match": `"77", ${created.headers.get("etag")}` };
  expect((await user.put(`/api/v2/leads/${created.data.id}`, { title: "x" }, { headers })).status).toBe(200);
});

test("of many changes with the same If-Match exactly one wins", async () => {
  const user = await service.user();
  const created = await user.post<LeadView>("/api/v2/leads", ada);
  const headers = { "if-match": created.headers.get("etag") ?? "" };
  const titles = Array.from({ length: 20 }, (_, index) => `title ${index}`);
  const answers = await Promise.all(
    titles.map((title) => user.put<LeadView>(`/api/v2/leads/${created.data.id}`, { title }, { headers })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 19 }, () => 412),
  ]);
  const winner = answers.find(({ status }) => status === 200);
  expect((await user.get<LeadView>(`/api/v2/leads/${created.data.id}`)).data.title).toBe(winner?.data.title as string);
});

test("changes of different fields at the same time are all kept", async () => {
  const user = await service.user();
  const { id } = await create(user);
  const changes = [{ title: "a" }, { phone: "b" }, { notes: "c" }, { location: "d" }];
  const answers = await Promise.all(changes.map((change) => user.put(`/api/v2/leads/${id}`, change)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await user.get<LeadView>(`/api/v2/leads/${id}`)).data).toMatchObject({
    title: "a",
    phone: "b",
    notes: "c",
    location: "d",
  });
});

test("a deleted lead is gone for good", async () => {
  const user = await service.user();
  const { id } = await create(user, { tags: ["gone"] });
  expect((await user.delete(`/api/v2/leads/${id}`)).body).toEqual({
    success: true,
    message: `Deleted the lead ${id}.`,
  });
  expect(await user.get(`/api/v2/leads/${id}`)).toMatchObject({ status: 404, details: { resource: "lead", id } });
  expect((await user.delete(`/api/v2/leads/${id}`)).status).toBe(404);
  expect((await user.get("/api/v2/leads", { query: { tag: "gone" } })).data).toMatchObject({ leads: [], total: 0 });
});

test("a lead of another user looks absent", async () => {
  const owner = await service.user();
  const { id, ...lead } = await create(owner);
  for (const stranger of [await service.user(), service.admin]) {
    const answers = [
      await stranger.get(`/api/v2/leads/${id}`),
      await stranger.put(`/api/v2/leads/${id}`, { title: "mine" }),
      await stranger.delete(`/api/v2/leads/${id}`),
    ];
    const absent = await stranger.get("/api/v2/leads/nothing");
    for (const { status, code, message } of answers)
      expect({ status, code, message }).toEqual({
        status: 404,
        code: "NOT_FOUND",
        message: absent.message?.replace("nothing", id),
      });
    expect((await stranger.get("/api/v2/leads")).data).toMatchObject({ leads: [], total: 0 });
  }
  expect((await owner.get<LeadView>(`/api/v2/leads/${id}`)).data).toEqual({ id, ...lead });
});

test("leads survive a restart as they were", async () => {
  await using service = await startService();
  const user = await service.user();
  const lead = await create(user, ada);
  await service.restart();
  expect((await user.get<LeadView>(`/api/v2/leads/${lead.id}`)).data).toEqual(lead);
});
