import { afterAll, expect, test } from "bun:test";
import type { LeadUpdate, LeadView } from "../../src/features/leads/model.ts";
import type { Answer, Client } from "../support/client.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { startService, succeeded, testInProcess } from "../support/service.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type LeadPage = { leads: LeadView[]; total: number; limit: number; offset: number; nextCursor: string | null };
type Query = Record<string, string | number>;

/** Stores a lead with this name; `title` is what the tests tell leads by. */
async function add(client: Client, title: string, { status, ...input }: LeadUpdate = {}): Promise<LeadView> {
  const email = `${title.replaceAll(/[^a-z0-9]/gi, "-")}@example.com`;
  const { data } = succeeded(await client.post<LeadView>("/api/v2/leads", { title, email, ...input }));
  if (status === undefined) return data;
  return succeeded(await client.put<LeadView>(`/api/v2/leads/${data.id}`, { status })).data;
}

async function list(client: Client, query: Query = {}): Promise<LeadPage> {
  return succeeded(await client.get<LeadPage>("/api/v2/leads", { query })).data;
}

async function titles(client: Client, query: Query): Promise<(string | null)[]> {
  return (await list(client, query)).leads.map(({ title }) => title);
}

/** All pages of a list, from the first to the one without a next one. */
async function walk(client: Client, query: Query): Promise<LeadView[]> {
  const all: LeadView[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: LeadPage = await list(client, { ...query, ...(cursor !== "" && { cursor }) });
    all.push(...page.leads);
    cursor = page.nextCursor;
  }
  return all;
}

function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

test("a list without leads has an empty page", async () => {
  expect(await list(await service.user())).toEqual({ leads: [], total: 0, limit: 50, offset: 0, nextCursor: null });
});

test("leads are listed newest first, fifty at once unless the client asks otherwise", async () => {
  const user = await service.user();
  for (let index = 0; index < 52; index++) await add(user, `lead ${index}`);
  const page = await list(user);
  expect(page).toMatchObject({ total: 52, limit: 50, offset: 0 });
  expect(page.leads.map(({ title }) => title)).toEqual(Array.from({ length: 50 }, (_, index) => `lead ${51 - index}`));
  expect(page.nextCursor).not.toBeNull();
});

const crowd: [string, LeadUpdate][] = [
  ["a", { firstName: "Ada", lastName: "Lovelace", company: "Engines", source: "Referral", tags: ["math", "vip"] }],
  [
    "b",
    {
      firstName: "Grace",
      lastName: "Hopper",
      company: "engines",
      source: "website",
      tags: ["vip"],
      status: "contacted",
    },
  ],
  [
    "c",
    { firstName: "Mary", lastName: "Somerville", company: "Royal Society", source: "referral", status: "qualified" },
  ],
  ["d 100%", { firstName: "Emmy", lastName: "Noether", company: "Göttingen", tags: ["math"], status: "converted" }],
  [
    "e_x",
    {
      firstName: "Hedy",
      lastName: "Lamarr",
      company: "Studio",
      email: "Hedy.Lamarr@Studio.example",
      status: "unqualified",
    },
  ],
];

test.each<[Query, string[]]>([
  [{ status: "new" }, ["a"]],
  [{ status: "contacted" }, ["b"]],
  [{ status: "new,converted" }, ["d 100%", "a"]],
  [{ status: "new, contacted" }, ["b", "a"]],
  [{ status: "active" }, ["c", "b", "a"]],
  [{ status: "inactive" }, ["e_x", "d 100%"]],
  [{ status: "inactive,qualified" }, ["e_x", "d 100%", "c"]],
  [{ tag: "math" }, ["d 100%", "a"]],
  [{ tag: "MATH" }, ["d 100%", "a"]],
  [{ tag: "mat" }, []],
  [{ email: "hedy.lamarr@studio.example" }, ["e_x"]],
  [{ email: " HEDY.LAMARR@STUDIO.EXAMPLE " }, ["e_x"]],
  [{ email: "hedy" }, []],
  [{ company: "ENGINES" }, ["b", "a"]],
  [{ company: "engine" }, []],
  [{ source: "referral" }, ["c", "a"]],
  [{ q: "lovelace" }, ["a"]],
  [{ q: "ada love" }, ["a"]],
  [{ q: "ROYAL" }, ["c"]],
  [{ q: "studio.example" }, ["e_x"]],
  [{ q: "100%" }, ["d 100%"]],
  [{ q: "0%" }, ["d 100%"]],
  [{ q: "_" }, ["e_x"]],
  [{ q: "\\" }, []],
  [{ q: "' OR 1=1 --" }, []],
  [{ q: "" }, ["e_x", "d 100%", "c", "b", "a"]],
  [{ tag: "vip", company: "engines", status: "active" }, ["b", "a"]],
  [{ tag: "vip", status: "contacted", q: "grace" }, ["b"]],
  [{ tag: "math", source: "website" }, []],
])("the filter %j finds %j", async (query, expected) => {
  const user = await service.user();
  await add(await service.user(), "somebody else's", { ...crowd[0]?.[1] });
  for (const [title, input] of crowd) await add(user, title, input);
  const { leads, total } = await list(user, query);
  expect({ titles: leads.map(({ title }) => title), total }).toEqual({ titles: expected, total: expected.length });
});

testInProcess("leads are found by when they were created and changed, from the bound on and before it", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock });
  const user = await service.user();
  const iso = (seconds: number) => new Date(startOfTests + seconds * 1000).toISOString();
  const unix = (seconds: number) => String(startOfTests / 1000 + seconds);
  const first = await add(user, "first");
  clock.advance(10_000);
  await add(user, "second");
  clock.advance(10_000);
  await user.put(`/api/v2/leads/${first.id}`, { phone: "1" });
  for (const time of [iso, unix, (seconds: number) => `${unix(seconds)}000`]) {
    expect(await titles(user, { createdAfter: time(10) })).toEqual(["second"]);
    expect(await titles(user, { createdAfter: time(11) })).toEqual([]);
    expect(await titles(user, { createdBefore: time(10) })).toEqual(["first"]);
    expect(await titles(user, { updatedAfter: time(20) })).toEqual(["first"]);
    expect(await titles(user, { updatedBefore: time(20) })).toEqual(["second"]);
    expect(await titles(user, { createdAfter: time(0), createdBefore: time(11) })).toEqual(["second", "first"]);
  }
  expect(await titles(user, { createdAfter: "2026-01-05T11:00:10+01:00" })).toEqual(["second"]);
  expect(await titles(user, { createdAfter: "2026-01-05" })).toEqual(["second", "first"]);
});

test.each([
  ["status", "open"],
  ["status", "new,open"],
  ["createdAfter", "yesterday"],
  ["createdBefore", "2026-13-45"],
  ["updatedAfter", "-5"],
  ["updatedBefore", "NaN"],
  ["sort", "phone"],
  ["sort", "--email"],
  ["limit", "0"],
  ["limit", "101"],
  ["limit", "1.5"],
  ["limit", "ten"],
  ["limit", "1e2"],
  ["offset", "-1"],
  ["cursor", "nonsense"],
  ["cursor", "bm9uc2Vuc2U"],
  ["q", "x".repeat(301)],
])("a list with a wrong %s is refused", async (name, value) => {
  const refused = await (await service.user()).get("/api/v2/leads", { query: { [name]: value } });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([name]);
});

test("empty query parameters count as absent", async () => {
  const user = await service.user();
  await add(user, "one");
  const query = { limit: "", offset: "", sort: "", status: "", createdAfter: "", cursor: "" };
  expect(await list(user, query)).toMatchObject({ total: 1, limit: 50, offset: 0 });
});

const unsorted: LeadUpdate[] = [
  { firstName: "b", lastName: "Z", company: "beta", status: "qualified" },
  { firstName: "A", lastName: "y", company: "Alpha", status: "contacted" },
  { firstName: "c", lastName: "X", company: "alpha", status: "converted" },
  { firstName: "a", lastName: "w", company: "gamma", status: "new" },
];

test.each([
  ["createdAt", "0123"],
  ["-createdAt", "3210"],
  ["updatedAt", "0123"],
  ["-updatedAt", "3210"],
  ["email", "3210"],
  ["-email", "0123"],
  ["lastName", "3210"],
  ["-lastName", "0123"],
  ["status", "1230"],
  ["-status", "0321"],
])("leads are sorted by %s", async (sort, expected) => {
  const user = await service.user();
  for (const [index, input] of unsorted.entries())
    await add(user, `${index}`, { email: `${"DcBa"[index]}@example.com`, ...input });
  expect((await titles(user, { sort })).join("")).toBe(expected);
});

test.each(["firstName", "company"])(
  "case does not matter to the order of %s, and equals are in the order of their ids",
  async (sort) => {
    const user = await service.user();
    for (const [index, input] of unsorted.entries()) await add(user, `${index}`, input);
    const up = await titles(user, { sort });
    expect(up.join("")).toBe(sort === "firstName" ? "1302" : "1203");
    expect(await titles(user, { sort: `-${sort}` })).toEqual(up.toReversed());
  },
);

test("leads without a value come first in ascending order", async () => {
  const user = await service.user();
  await add(user, "named", { company: "A" });
  await add(user, "nameless");
  expect(await titles(user, { sort: "company" })).toEqual(["nameless", "named"]);
  expect(await titles(user, { sort: "-company" })).toEqual(["named", "nameless"]);
});

test("offset and limit cut pages that lie side by side", async () => {
  const user = await service.user();
  for (let index = 0; index < 7; index++) await add(user, `${index}`);
  const pages = await Promise.all([0, 3, 6, 9].map((offset) => list(user, { sort: "createdAt", limit: 3, offset })));
  expect(pages.map(({ leads }) => leads.map(({ title }) => title).join(""))).toEqual(["012", "345", "6", ""]);
  for (const [index, page] of pages.entries()) expect(page).toMatchObject({ total: 7, limit: 3, offset: index * 3 });
  expect(pages.map(({ nextCursor }) => nextCursor !== null)).toEqual([true, true, false, false]);
});

test("an offset far beyond the last lead has an empty page", async () => {
  const user = await service.user();
  await add(user, "one");
  for (const offset of [1000, 5000, 1e15])
    expect(await list(user, { offset })).toMatchObject({ leads: [], total: 1, nextCursor: null });
});

test.each([
  "createdAt",
  "-createdAt",
  "updatedAt",
  "-updatedAt",
  "email",
  "-email",
  "firstName",
  "-lastName",
  "company",
  "-company",
  "status",
  "-status",
])("a walk by cursor in the order of %s meets every lead exactly once", async (sort) => {
  const user = await service.user();
  const inputs = Array.from({ length: 23 }, (_, index): LeadUpdate => ({
    firstName: ["ada", "ADA", "Ädä", null][index % 4],
    company: index % 3 === 0 ? null : `company ${index % 5}`,
    status: (["new", "contacted", "qualified"] as const)[index % 3],
  }));
  await Promise.all(inputs.map((input, index) => add(user, `${index}`, input)));
  const walked = await walk(user, { sort, limit: 4 });
  expect(new Set(walked.map(({ id }) => id)).size).toBe(23);
  expect(walked).toHaveLength(23);
  expect(walked).toEqual((await list(user, { sort, limit: 100 })).leads);
});

test("a walk by cursor keeps to its filters and is not disturbed by leads that come and go", async () => {
  const user = await service.user();
  const leads = [];
  for (let index = 0; index < 9; index++)
    leads.push(await add(user, `${index}`, { tags: [index % 2 === 0 ? "even" : "odd"] }));
  const first = await list(user, { tag: "even", limit: 2 });
  expect(first.leads.map(({ title }) => title)).toEqual(["8", "6"]);
  await add(user, "10", { tags: ["even"] });
  await user.delete(`/api/v2/leads/${leads[6]?.id}`);
  await user.delete(`/api/v2/leads/${leads[2]?.id}`);
  const next = await list(user, { tag: "even", limit: 2, cursor: first.nextCursor ?? "" });
  expect(next.leads.map(({ title }) => title)).toEqual(["4", "0"]);
  expect(next.nextCursor).toBeNull();
});

test("a cursor of another sort is refused", async () => {
  const user = await service.user();
  for (let index = 0; index < 3; index++) await add(user, `${index}`);
  const { nextCursor } = await list(user, { sort: "createdAt", limit: 1 });
  for (const sort of ["email", "updatedAt", "company"]) {
    const refused = await user.get("/api/v2/leads", { query: { sort, cursor: nextCursor ?? "" } });
    expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  }
});

test("a cursor of another user shows nothing of theirs", async () => {
  const ada = await service.user();
  const bob = await service.user();
  for (let index = 0; index < 3; index++) await add(ada, `${index}`);
  const own = await add(bob, "own");
  const { nextCursor } = await list(ada, { sort: "-createdAt", limit: 1 });
  const seen = await list(bob, { sort: "-createdAt", cursor: nextCursor ?? "" });
  expect(seen.leads.map(({ id }) => id).filter((id) => id !== own.id)).toEqual([]);
});

test("an unknown query parameter is ignored", async () => {
  const user = await service.user();
  await add(user, "one");
  expect(await list(user, { color: "red", __proto__x: "1" })).toMatchObject({ total: 1 });
});
