import { describe, expect, test } from "bun:test";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import { prospectContent, type ProspectDraft } from "../../src/features/prospecting/content.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { eachRaw, termKey, termsOf } from "../../src/features/prospecting/facets/terms.ts";
import { besideNameOf, prospectIdentity, prospectKeys } from "../../src/features/prospecting/keys.ts";
import type { CompanyContent, Prospect, ProspectContent, SearchFilters } from "../../src/features/prospecting/model.ts";
import type {
  BatchTerms,
  NewProspect,
  ProspectBatch,
  ProspectImportCounts,
  ProspectRow,
} from "../../src/features/prospecting/store.ts";
import { createPeopleDirectory } from "../../src/features/prospecting/people-directory.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { filters as filtersOf, prospect as draftOf } from "../bench/prospect-people.ts";
import { startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { seeded } from "../support/random.ts";

const nothing = termQuery({});
const nobody = { email: null, networkUrl: null };

function made(draft: ProspectDraft): NewProspect {
  const checked = prospectContent(draft);
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  return checked;
}

function personRow(row: number, draft: ProspectDraft): ProspectRow {
  const { content, identity } = made(draft);
  return { row, kind: "person", content: utf8(content), keys: prospectKeys(identity), beside: besideNameOf(identity) };
}

function companyRow(row: number, content: CompanyContent): ProspectRow {
  return { row, kind: "company", content: utf8(content), keys: [], beside: 0 };
}

function utf8(content: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}

async function all(storage: Storage, userId: string, filters: SearchFilters = {}): Promise<Prospect[]> {
  const found: Prospect[] = [];
  for (;;) {
    const page = await storage.prospects.search({
      userId,
      query: termQuery(filters),
      offset: found.length,
      limit: 100,
    });
    found.push(...page.prospects);
    if (page.prospects.length === 0) {
      expect(page.total).toBe(found.length);
      return found;
    }
  }
}

function fits(prospect: Prospect, filters: SearchFilters): boolean {
  const terms = new Set(termsOf(prospect).map(termKey));
  const { groups, none } = termQuery(filters);
  return (
    groups.every((group) => group.some((keys) => keys.every((key) => terms.has(key)))) &&
    !none.some((key) => terms.has(key))
  );
}

/** What a reader of files would tell of the rows, but of every third nothing of its content. */
function told(rows: ProspectRow[]): BatchTerms {
  const [keys, keyCounts, raws, rawCounts]: number[][] = [[], [], [], []];
  const added: string[] = [];
  for (const row of rows) {
    const content =
      "content" in row && row.kind === "person"
        ? (JSON.parse(new TextDecoder().decode(row.content)) as ProspectContent)
        : null;
    const before = raws!.length;
    if (content !== null && row.row % 3 !== 0)
      eachRaw(content, (facet, raw) => {
        if (!added.includes(`${facet} ${raw}`)) added.push(`${facet} ${raw}`);
        raws!.push(added.indexOf(`${facet} ${raw}`));
      });
    rawCounts!.push(raws!.length - before);
    if ("keys" in row) keys!.push(...row.keys);
    keyCounts!.push("keys" in row ? row.keys.length : 0);
  }
  return {
    keys: Float64Array.from(keys!),
    keyCounts: Uint8Array.from(keyCounts!),
    beside: Uint8Array.from(rows, (row) => ("beside" in row ? row.beside : 0)),
    raws: Int32Array.from(raws!),
    rawCounts: Uint8Array.from(rawCounts!),
    ...{ epoch: 0, from: 0, added },
  };
}

/** Stores a batch as an import would, under a claim of its own. */
async function imported(
  storage: Storage,
  userId: string,
  rows: ProspectRow[],
  more: Partial<ProspectBatch> = {},
): Promise<ProspectImportCounts | null> {
  const factories = createFactories(rows.length + userId.length + (rows[0]?.row ?? 0));
  await factories.storedJob(storage, userId, { type: "prospect_import", id: crypto.randomUUID() });
  const [job] = await storage.jobs.claim({
    type: "prospect_import",
    limit: 1,
    now: startOfTests,
    leaseUntil: startOfTests + 60_000,
  });
  const batch = {
    userId,
    jobId: job!.id,
    attempt: job!.attempt,
    rows,
    found: told(rows),
    onDuplicate: "update" as const,
    dryRun: false,
    lastRow: rows.at(-1)?.row ?? 0,
    progress: 50,
    leaseUntil: startOfTests + 60_000,
    at: startOfTests,
    ...more,
  };
  const counts = await storage.prospects.importBatch(batch, await storage.prospects.lookUp(batch));
  await storage.jobs.end(
    { id: job!.id, attempt: job!.attempt },
    { kind: "completed", message: "", metadata: {}, at: startOfTests },
  );
  return counts;
}

describe.each(engines)("prospects on $name", ({ open }) => {
  test("a search of nobody's directory finds nobody", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    expect(await opened.storage.prospects.search({ userId: user.id, query: nothing, offset: 0, limit: 5 })).toEqual({
      total: 0,
      prospects: [],
    });
    expect(await opened.storage.prospects.search({ userId: "nobody", query: nothing, offset: 0, limit: 5 })).toEqual({
      total: 0,
      prospects: [],
    });
    expect(
      await opened.storage.prospects.facet({ userId: user.id, facet: "industry", text: "", limit: 5, query: nothing }),
    ).toEqual([]);
    expect(
      await opened.storage.prospects.findPerson(user.id, { email: "a@example.com", network: null, name: null }),
    ).toBeNull();
  });

  test("who is put twice is one prospect, in the order of the question", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const [ada, grace] = [made({ email: "ada@example.com" }), made({ email: "grace@example.com", title: "VP" })];
    const first = await storage.prospects.put(user.id, [ada, grace, ada], startOfTests);
    expect(first.map(({ email }) => email)).toEqual(["ada@example.com", "grace@example.com", "ada@example.com"]);
    expect(first[0]!.id).toBe(first[2]!.id);
    const again = await storage.prospects.put(
      user.id,
      [made({ email: "GRACE@example.com", company: "Navy" })],
      startOfTests + 5,
    );
    expect(again).toMatchObject([{ id: first[1]!.id, title: "VP", company: "Navy", updatedAt: startOfTests + 5 }]);
    expect(await all(storage, user.id)).toHaveLength(2);
  });

  test("puts of the same person at once make one prospect", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const people = Array.from({ length: 40 }, (_, n) => made({ email: `p${n % 4}@example.com` }));
    const stored = await Promise.all(people.map((person) => storage.prospects.put(user.id, [person], startOfTests)));
    expect(new Set(stored.flat().map(({ id }) => id)).size).toBe(4);
    expect(await all(storage, user.id)).toHaveLength(4);
  });

  test("searches, counts and facets are those of a plain walk over all prospects, through changes, flushes and a crash", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    const random = seeded(4);
    const model = new Map<string, Prospect>();
    let next = 0;

    async function step(): Promise<void> {
      const { prospects } = opened.storage;
      const choice = random();
      if (choice < 0.55) {
        const some = Array.from({ length: 1 + Math.floor(random() * 60) }, () =>
          made(draftOf(5, random() < 0.15 ? Math.floor(random() * next) : next++)),
        );
        for (const stored of await prospects.put(user.id, some, startOfTests)) model.set(stored.id, stored);
      } else if (choice < 0.75) {
        const known = [...model.values()][Math.floor(random() * model.size)];
        if (known?.networkUrl === undefined) return;
        const change = made({ ...draftOf(5, next++), email: "", networkUrl: known.networkUrl });
        delete change.content.email;
        const [stored] = await prospects.put(
          user.id,
          [{ ...change, identity: prospectIdentity(change.content) }],
          startOfTests,
        );
        model.set(stored!.id, stored!);
      } else if (choice < 0.9) {
        const id = [...model.keys()][Math.floor(random() * model.size)];
        if (id !== undefined && (await prospects.remove(user.id, id))) model.delete(id);
      } else if (choice < 0.96) await prospects.settle(user.id);
      else await opened.reopen();
    }

    for (let n = 0; n < 60; n++) {
      await step();
      if (n % 4 !== 0) continue;
      const filters = filtersOf(9, n) as SearchFilters;
      const expected = [...model.values()].filter((prospect) => fits(prospect, filters));
      const found = await all(opened.storage, user.id, filters);
      expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
      expect(await all(opened.storage, user.id)).toHaveLength(model.size);
      const facets = await opened.storage.prospects.facet({
        userId: user.id,
        facet: "technology",
        text: "",
        limit: 1000,
        query: nothing,
      });
      const counts = new Map<string, number>();
      for (const { technologies = [] } of model.values())
        for (const name of technologies) counts.set(name, (counts.get(name) ?? 0) + 1);
      expect(new Map(facets.map(({ label, count }) => [label, count]))).toEqual(counts);
    }
    expect(model.size).toBeGreaterThan(150);
  }, 30_000);

  test("rows that an import tells of are found as those that are read", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    // Some come again in the same file, changed or not, and some in the next.
    const rowsFrom = (first: number) =>
      Array.from({ length: 150 }, (_, n) => {
        const draft = draftOf(6, first + (n % 5 === 0 ? 0 : n));
        return personRow(first + n, n % 7 === 0 ? { ...draft, title: `Head of ${n}` } : draft);
      });
    await imported(storage, user.id, rowsFrom(1));
    expect(await all(storage, user.id)).toHaveLength(121);
    await imported(storage, user.id, rowsFrom(101));
    const everybody = await all(storage, user.id);
    let found = 0;
    for (let n = 0; n < 20; n++) {
      const filters = filtersOf(8, n) as SearchFilters;
      const expected = everybody.filter((prospect) => fits(prospect, filters)).map(({ id }) => id);
      expect((await all(storage, user.id, filters)).map(({ id }) => id)).toEqual(expected);
      found += expected.length;
    }
    expect(found).toBeGreaterThan(50);
  });

  test("better records come first, and among equals those that came first", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const confidences = [0.2, 0.95, 0.6, 0.91, 0.75, 0.1];
    await storage.prospects.put(
      user.id,
      confidences.map((confidence, n) => made({ email: `p${n}@example.com`, confidence })),
      startOfTests,
    );
    const found = await all(storage, user.id);
    expect(found.map(({ confidence }) => confidence)).toEqual([0.95, 0.91, 0.75, 0.6, 0.2, 0.1]);
  });

  test("a batch is stored with its report and the job's progress, each row once", async () => {
    await using opened = await open();
    const { storage } = opened;
    const factories = createFactories();
    const { user } = await factories.storedUser(storage);
    await storage.prospects.put(user.id, [made({ email: "ada@example.com", title: "CTO" })], startOfTests);
    const job = await factories.storedJob(storage, user.id, { type: "prospect_import" });
    const [claimed] = await storage.jobs.claim({
      type: "prospect_import",
      limit: 1,
      now: startOfTests,
      leaseUntil: startOfTests + 1000,
    });
    const rows: ProspectRow[] = [
      personRow(2, { email: "ada@example.com", title: "CTO" }),
      personRow(3, { email: "ada@example.com", phone: "1" }),
      personRow(4, { email: "new@example.com" }),
      { row: 5, errors: [{ path: "email", message: "is none" }] },
      personRow(6, { email: "new@example.com" }),
    ];
    const batch: ProspectBatch = {
      userId: user.id,
      jobId: job.id,
      attempt: claimed!.attempt,
      rows,
      found: null,
      onDuplicate: "update",
      dryRun: false,
      lastRow: 6,
      progress: 40,
      leaseUntil: startOfTests + 9000,
      at: startOfTests + 1,
    };
    const counts = await storage.prospects.importBatch(batch, await storage.prospects.lookUp(batch));
    expect(counts).toEqual({ rows: 5, created: 1, updated: 1, skipped: 2, failed: 1, companies: 0 });
    expect(await storage.jobs.get(user.id, job.id)).toMatchObject({
      progress: 40,
      metadata: { ...counts, lastRow: 6 },
      leaseUntil: startOfTests + 9000,
    });
    const report = await storage.prospects.importReport({
      userId: user.id,
      jobId: job.id,
      outcome: null,
      afterRow: 0,
      limit: 10,
    });
    expect(report.map(({ row, outcome }) => [row, outcome])).toEqual([
      [2, "skipped"],
      [3, "updated"],
      [5, "failed"],
      [6, "skipped"],
    ]);
    expect(
      await storage.prospects.importReport({
        userId: user.id,
        jobId: job.id,
        outcome: "failed",
        afterRow: 0,
        limit: 10,
      }),
    ).toEqual([{ row: 5, outcome: "failed", prospectId: null, errors: [{ path: "email", message: "is none" }] }]);
    expect(
      await storage.prospects.importReport({ userId: "another", jobId: job.id, outcome: null, afterRow: 0, limit: 10 }),
    ).toEqual([]);
    // A runner that lost its lease stores nothing.
    const late = { ...batch, attempt: batch.attempt - 1, rows: [personRow(7, { email: "late@example.com" })] };
    expect(await storage.prospects.importBatch(late, await storage.prospects.lookUp(late))).toBeNull();
    expect(await all(storage, user.id)).toHaveLength(2);
  });

  test("an acknowledged batch survives a crash, and is in the index of the next process", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    const rows = Array.from({ length: 300 }, (_, n) => personRow(n + 2, draftOf(1, n)));
    await imported(opened.storage, user.id, rows);
    const storage = await opened.reopen();
    expect(await all(storage, user.id)).toHaveLength(300);
    expect(
      await imported(
        storage,
        user.id,
        rows.map((row) => ({ ...row, row: row.row + 1000 })),
      ),
    ).toMatchObject({ created: 0, skipped: 300 });
  });

  test("companies tell their people what these do not say themselves", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const people = [
      { email: "a@acme.example", company: "ACME Ltd" },
      { email: "b@elsewhere.example", company: "acme", industry: "Own" },
      { email: "c@example.com", company: "Acme", domain: "other-acme.example" },
    ];
    await imported(
      storage,
      user.id,
      people.map((draft, n) => personRow(n, draft)),
    );
    const acme = { company: "Acme", domain: "acme.example", industry: "Robots", companySize: "11-50" };
    expect(await imported(storage, user.id, [companyRow(9, acme)])).toMatchObject({ created: 1, companies: 1 });
    const industries = Object.fromEntries(
      (await all(storage, user.id)).map(({ email, industry }) => [email, industry]),
    );
    expect(industries).toEqual({
      "a@acme.example": "Robots",
      "b@elsewhere.example": "Own",
      "c@example.com": undefined,
    });
    expect((await all(storage, user.id, { company: { size: ["11-50"] } })).map(({ email }) => email)).toEqual([
      "a@acme.example",
    ]);
    await imported(storage, user.id, [personRow(20, { email: "d@acme.example" })]);
    expect((await all(storage, user.id, { company: { industry: ["robots"] } })).map(({ email }) => email)).toEqual([
      "a@acme.example",
      "d@acme.example",
    ]);
    expect(await storage.prospects.findCompany(user.id, { domain: null, name: "ACME, Inc." })).toEqual(acme);
  });

  test("what is told of a company again goes to all of its people, and they are found by it", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const sizes = async () =>
      Object.fromEntries((await all(storage, user.id)).map(({ email, companySize }) => [email, companySize]));
    const acme = { company: "Acme", domain: "acme.example" };
    // More than are told at once.
    const people = Array.from({ length: 450 }, (_, n) => personRow(n, { email: `p${n}@acme.example` }));
    const own = personRow(451, { email: "own@gmail.com", company: "ACME", companySize: "1-10" });
    await imported(storage, user.id, [
      ...people,
      own,
      personRow(452, { email: "x@other.example", companySize: "1-10" }),
    ]);
    await imported(storage, user.id, [companyRow(500, { ...acme, companySize: "51-200", industry: "Robots" })]);
    expect(await all(storage, user.id, { company: { size: ["51-200"], industry: ["robots"] } })).toHaveLength(451);
    await imported(storage, user.id, [companyRow(501, { ...acme, companySize: "201-500" })]);
    expect(await all(storage, user.id, { company: { size: ["51-200"] } })).toEqual([]);
    expect(await all(storage, user.id, { company: { size: ["201-500"], industry: ["robots"] } })).toHaveLength(451);
    // Of a person the newest word counts, too; the company is known by its name alone here.
    await imported(storage, user.id, [personRow(502, { email: "p0@acme.example", companySize: "1-10" })]);
    expect(await sizes()).toMatchObject({ "p0@acme.example": "1-10", "p1@acme.example": "201-500" });
    await imported(storage, user.id, [companyRow(503, { company: "ACME Inc", companySize: "501-1000" })]);
    expect(await sizes()).toMatchObject({ "p0@acme.example": "501-1000", "own@gmail.com": "501-1000" });
    expect((await sizes())["x@other.example"]).toBe("1-10");
    const skipped = companyRow(504, { ...acme, companySize: "10001+" });
    await imported(storage, user.id, [skipped], { onDuplicate: "skip" });
    await imported(storage, user.id, [skipped], { attempt: 99 });
    expect(await all(storage, user.id, { company: { size: ["10001+"] } })).toEqual([]);
  });

  test("what is told of a company reaches all of its people, however many they are", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const people = 17_000;
    const rows = Array.from({ length: people }, (_, n) =>
      personRow(n + 1, {
        email: `p${n}@${n % 5 === 0 ? "other" : "acme"}.example`,
        company: n % 5 === 0 ? "Other" : "Acme",
      }),
    );
    for (let from = 0; from < people; from += 4000) await imported(storage, user.id, rows.slice(from, from + 4000));
    const acme = (row: number, industry: string) =>
      companyRow(row, { company: "Acme", domain: "acme.example", industry });
    const told = async (industry: string) => {
      const query = termQuery({ company: { industry: [industry] } });
      return (await storage.prospects.search({ userId: user.id, query, offset: 0, limit: 1 })).total;
    };
    await imported(storage, user.id, [
      acme(20_001, "Robots"),
      companyRow(20_002, { company: "Other", industry: "Toys" }),
    ]);
    expect([await told("Robots"), await told("Toys")]).toEqual([(people * 4) / 5, people / 5]);
    await imported(storage, user.id, [acme(20_003, "Rockets")]);
    expect([await told("Robots"), await told("Rockets")]).toEqual([0, (people * 4) / 5]);
  });

  test("in a file of people and companies each row knows what those before it say", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const person = (row: number, name: string, more: ProspectDraft = {}) =>
      personRow(row, { email: `${name}@acme.example`, company: "Acme", ...more });
    const acme = (row: number, industry: string) =>
      companyRow(row, { company: "Acme", domain: "acme.example", industry });
    await imported(storage, user.id, [person(1, "old"), person(2, "older")]);
    await imported(storage, user.id, [
      person(10, "ann"),
      person(11, "old", { industry: "Own" }),
      acme(12, "Robots"),
      person(13, "bob"),
      person(14, "older", { industry: "Own" }),
      acme(15, "Toys"),
      person(16, "cid"),
      person(17, "ann", { industry: "Last" }),
    ]);
    const industries = Object.fromEntries(
      (await all(storage, user.id)).map(({ email, industry }) => [email?.split("@")[0], industry]),
    );
    expect(industries).toEqual({ old: "Toys", older: "Toys", ann: "Last", bob: "Toys", cid: "Toys" });
    expect(await all(storage, user.id, { company: { industry: ["toys"] } })).toHaveLength(4);
    expect(await all(storage, user.id, { company: { industry: ["own", "robots"] } })).toEqual([]);
  });

  test("whoever comes to another company is found by its facts alone", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const acme = { company: "Acme", domain: "acme.example", industry: "Robots", companySize: "11-50" };
    const globex = { company: "Globex", domain: "globex.example", industry: "Energy" };
    await imported(storage, user.id, [companyRow(1, acme), companyRow(2, globex)]);
    await imported(storage, user.id, [personRow(3, { email: "ka@acme.example", company: "Acme", title: "VP Sales" })]);
    expect(await all(storage, user.id, { company: { size: ["11-50"] }, person: { seniority: ["vp"] } })).toHaveLength(
      1,
    );
    const moved = { email: "ka@acme.example", company: "Globex", title: "Accountant" };
    expect(await imported(storage, user.id, [personRow(4, moved)])).toMatchObject({ updated: 1 });
    expect(await all(storage, user.id, { company: { size: ["11-50"] } })).toEqual([]);
    expect(await all(storage, user.id, { person: { seniority: ["vp"] } })).toEqual([]);
    const found = { company: { industry: ["energy"] }, person: { department: ["finance"] } };
    expect(await all(storage, user.id, found)).toMatchObject([{ company: "Globex", domain: "globex.example" }]);
    expect(await imported(storage, user.id, [personRow(5, moved)])).toMatchObject({ skipped: 1 });
    await imported(storage, user.id, [companyRow(6, { ...acme, industry: "Toys" })]);
    await imported(storage, user.id, [companyRow(7, { ...globex, industry: "Oil" })]);
    expect((await all(storage, user.id)).map(({ industry }) => industry)).toEqual(["Oil"]);
    const [back] = await storage.prospects.put(
      user.id,
      [made({ email: "ka@acme.example", company: "Acme" })],
      startOfTests,
    );
    expect(back).toMatchObject({ industry: "Toys", companySize: "11-50", domain: "acme.example" });
  });

  test("the address and the phone of an old job are told to nobody, and the address finds the person still", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    const profile = { networkUrl: "https://network.example/in/ka" };
    const old = { email: "Ka@acme.example", firstName: "Ka", lastName: "Li", company: "Acme" };
    await imported(opened.storage, user.id, [personRow(1, { ...old, ...profile, phone: "1", confidence: 0.95 })]);
    const [first] = await all(opened.storage, user.id);
    const moved = { ...profile, company: "Globex", title: "CTO", confidence: 0.6 };
    expect(await imported(opened.storage, user.id, [personRow(2, moved)])).toMatchObject({ updated: 1 });
    expect(await imported(opened.storage, user.id, [personRow(3, moved)])).toMatchObject({ skipped: 1 });
    const [ka, ...others] = await all(opened.storage, user.id);
    expect(others).toEqual([]);
    expect(ka).toMatchObject({ id: first!.id, company: "Globex", title: "CTO", confidence: 0.6 });
    expect([ka!.email, ka!.phone]).toEqual([undefined, undefined]);
    for (const prepare of [async () => opened.storage, () => opened.reopen()]) {
      const storage = await prepare();
      const told = await storage.prospects.findPerson(user.id, prospectIdentity({ email: "ka@ACME.example" }));
      expect(told).toMatchObject({ id: first!.id, company: "Globex" });
      expect(await imported(storage, user.id, [personRow(4, { email: "ka@acme.example" })])).toMatchObject({
        skipped: 1,
      });
      await storage.prospects.settle(user.id);
    }
    // Whoever has the address now is somebody else.
    const bo = personRow(5, { email: old.email, firstName: "Bo", lastName: "Ray", company: "Acme" });
    const other = personRow(6, { ...old, networkUrl: "https://network.example/in/another-ka" });
    for (const row of [bo, other])
      expect(await imported(opened.storage, user.id, [row], { dryRun: true })).toMatchObject({ created: 1 });
    expect(await imported(opened.storage, user.id, [bo])).toMatchObject({ created: 1 });
    const found = await opened.storage.prospects.findPerson(user.id, prospectIdentity({ email: old.email }));
    expect(found).toMatchObject({ firstName: "Bo" });
  });

  test("the old list again, as the newest word, takes the person back, and makes no second one", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = { networkUrl: "https://network.example/in/ka" };
    const old = { email: "ka@acme.example", firstName: "Ka", lastName: "Li", company: "Acme", phone: "1" };
    const now = { ...profile, company: "Globex", email: "ka@globex.example" };
    await imported(storage, user.id, [personRow(1, { ...old, ...profile })]);
    for (const dryRun of [true, false])
      expect(
        await imported(storage, user.id, [personRow(2, now), personRow(3, old), personRow(4, now)], { dryRun }),
      ).toMatchObject({ created: 0, updated: 3 });
    expect(await all(storage, user.id)).toMatchObject([{ ...now, formerEmails: ["ka@acme.example"] }]);
  });

  test("a person is found by address, or by a name that only one has", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const names = { firstName: "Ada", lastName: "Lovelace", company: "Engines" };
    await storage.prospects.put(
      user.id,
      [
        made({ ...names, email: "ada@engines.example", industry: "Machines" }),
        made({ firstName: "Max", lastName: "Muster", company: "Engines", email: "m1@engines.example" }),
        made({ firstName: "Max", lastName: "Muster", company: "Engines", email: "m2@engines.example" }),
      ],
      startOfTests,
    );
    const find = async (draft: ProspectDraft) =>
      (await storage.prospects.findPerson(user.id, prospectIdentity(draft)))?.email;
    expect(await find({ email: "ADA@engines.example" })).toBe("ada@engines.example");
    expect(await find(names)).toBe("ada@engines.example");
    expect(await find({ ...names, email: "other@engines.example" })).toBeUndefined();
    expect(await find({ firstName: "Max", lastName: "Muster", company: "Engines" })).toBeUndefined();
    // What its people say of a company is told by them.
    const company = { domain: null, name: "engines" };
    expect(await storage.prospects.findCompany(user.id, company)).toBeNull();
    expect((await storage.prospects.colleagues(user.id, company, 8)).map(({ industry }) => industry)).toContain(
      "Machines",
    );
    const colleagues = await storage.prospects.colleagues(user.id, { domain: "engines.example", name: null }, 2);
    expect(colleagues).toHaveLength(2);
    expect(await storage.prospects.colleagues("nobody", { domain: "engines.example", name: null }, 2)).toEqual([]);
    // Who has no address is known, too, behind those who have one.
    await storage.prospects.put(
      user.id,
      ["Al", "Bo"].map((firstName, n) =>
        made({ firstName, lastName: "Late", company: "Late", ...(n === 1 && { email: "bo@late.example" }) }),
      ),
      startOfTests,
    );
    const late = await storage.prospects.colleagues(user.id, { domain: null, name: "late" }, 2);
    expect(late.map(({ firstName }) => firstName)).toEqual(["Bo", "Al"]);
  });

  test("a name makes two one only where nothing that both have beside it differs", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    let last = 0;
    const person = (company: string, beside: readonly string[]): ProspectRow =>
      personRow(++last, {
        ...{ firstName: "Max", lastName: "Muster", company },
        ...(beside.includes("email") && { email: `max.${last}@example.com` }),
        ...(beside.includes("networkUrl") && { networkUrl: `https://network.example/in/max-${last}` }),
      });
    const sets = [[], ["email"], ["networkUrl"], ["email", "networkUrl"]];
    const pairs = sets.flatMap((one) =>
      sets.map((other) => ({ one, other, company: `${one.join("+")} or ${other.join("+")}` })),
    );
    const created = async (rows: ProspectRow[]) => (await imported(storage, user.id, rows))?.created;
    const apart = pairs.filter(({ one, other }) => one.some((field) => other.includes(field)));
    // Side by side in one batch, where no index is asked.
    const both = pairs.flatMap(({ one, other, company }) => [
      person(`1 ${company}`, one),
      person(`1 ${company}`, other),
    ]);
    expect(await created(both)).toBe(pairs.length + apart.length);
    expect(await created(pairs.map(({ one, company }) => person(`2 ${company}`, one)))).toBe(pairs.length);
    await storage.prospects.settle(user.id);
    expect(await created(pairs.map(({ other, company }) => person(`2 ${company}`, other)))).toBe(apart.length);
    // Whoever is known by his name alone is everybody's namesake, and who came by an email since is nobody's who has one.
    expect(await created(pairs.map(({ company }) => person(`2 ${company}`, [])))).toBe(0);
    expect(
      await created(sets.slice(1).map((other) => person(`2 or ${other.join("+")}`, ["email", "networkUrl"]))),
    ).toBe(3);
  });

  test("a namesake of a company is one of it, however its legal form is written", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const ka = (row: number, company: string, more: ProspectDraft = {}) =>
      personRow(row, { firstName: "Ka", lastName: "Li", company, ...more });
    const first = await imported(storage, user.id, [ka(1, "Acme, Inc.", { email: "ka@acme.example" }), ka(2, "ACME")]);
    expect(first).toMatchObject({ created: 1, skipped: 1 });
    await storage.prospects.settle(user.id);
    const later = [ka(3, "acme ltd", { title: "CTO" }), ka(4, "Acme AG", { email: "other@acme.example" }), ka(5, "!?")];
    expect(await imported(storage, user.id, [...later, ka(6, "?!")])).toMatchObject({ created: 3, updated: 1 });
    const directory = createPeopleDirectory(storage.prospects);
    const find = (company: string) =>
      directory.findPerson(user.id, leadIdentity({ ...nobody, firstName: "ka", lastName: "LI", company }), null);
    expect(await find("!?")).toMatchObject({ company: "!?" });
    expect(await find("Acme GmbH")).toBeNull(); // two have this name
  });

  test.each([
    ["The Boring Company", "Boring Company"],
    ["AT&T", "AT and T"],
    ["Ernst & Young", "ernst und young"],
  ])("%s and %s are one company with one namesake", async (one, other) => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const ka = (row: number, company: string) => personRow(row, { firstName: "Ka", lastName: "Li", company });
    expect(await imported(storage, user.id, [ka(1, one), ka(2, other)])).toMatchObject({ created: 1, skipped: 1 });
    await imported(storage, user.id, [companyRow(3, { company: other, industry: "Robots" })]);
    expect(await imported(storage, user.id, [companyRow(4, { company: one, companySize: "11-50" })])).toMatchObject({
      updated: 1,
    });
    expect(await all(storage, user.id)).toMatchObject([{ company: one, industry: "Robots", companySize: "11-50" }]);
    expect(await storage.prospects.findCompany(user.id, { domain: null, name: one })).toMatchObject({
      industry: "Robots",
    });
    expect(await storage.prospects.colleagues(user.id, { domain: null, name: other }, 2)).toHaveLength(1);
  });

  test("who has the email of one record and the profile of another makes one of them, known by both ids", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const lead = await make.storedLead(opened.storage, user.id);
    const otherLead = await make.storedLead(opened.storage, user.id);
    const { prospects } = opened.storage;
    const networkUrl = "https://network.example/in/ka";
    const drafts = [
      { email: "ka@acme.example", title: "CTO", firstName: "K" },
      { networkUrl, industry: "Robots", firstName: "Ka", lastName: "Li" },
    ];
    const [first, second] = (await prospects.put(user.id, drafts.map(made), startOfTests)).map(({ id }) => id);
    await prospects.setLead(user.id, second!, lead.id);
    const shown = { userId: user.id, ids: [second!], freeSince: startOfTests };
    const charge = { entryId: "e", userId: user.id, request: "r", purpose: "search" as const, keyId: null };
    await prospects.reveal({ ...shown, payment: { kind: "charge", each: 0, charge: { ...charge, at: startOfTests } } });
    await prospects.settle(user.id);
    const both = personRow(1, { email: "KA@acme.example", networkUrl: `${networkUrl}/`, phone: "1" });
    const stranger = personRow(2, { email: "new@example.com" });
    expect(await imported(opened.storage, user.id, [stranger, both])).toMatchObject({ created: 1, updated: 1 });
    const ka = {
      ...{ id: first!, email: "ka@acme.example", networkUrl, phone: "1", title: "CTO", industry: "Robots" },
      ...{ firstName: "Ka", lastName: "Li", leadId: lead.id },
    };
    expect((await all(opened.storage, user.id)).map(({ email }) => email)).toEqual([ka.email, "new@example.com"]);
    expect(await all(opened.storage, user.id, { company: { industry: ["robots"] } })).toMatchObject([ka]);
    for (const id of [first!, second!]) expect(await prospects.get(user.id, id)).toMatchObject(ka);
    expect(await prospects.unpaid({ ...shown, ids: [first!] })).toBe(0);
    // Known by what each of the two was known by, and told again it is no news.
    const storage = await opened.reopen();
    const again = [both, personRow(3, { networkUrl }), personRow(4, { email: "ka@acme.example" })];
    expect(await imported(storage, user.id, again)).toMatchObject({ skipped: 3 });
    await storage.prospects.setLead(user.id, second!, otherLead.id);
    expect(await storage.prospects.get(user.id, first!)).toMatchObject({ leadId: otherLead.id });
    expect(await storage.prospects.remove(user.id, second!)).toBe(true);
    for (const id of [first!, second!]) expect(await storage.prospects.get(user.id, id)).toBeNull();
    expect(await storage.prospects.remove(user.id, second!)).toBe(false);
  });

  test("the ids of records that became one in two steps lead to the one that is left", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = made({ networkUrl: "https://network.example/in/ka" });
    // Stored twice, as when each had another name once.
    const unknown = { ...profile.identity, network: null };
    const found = [made({ email: "ka@acme.example" }), profile, { ...profile, identity: unknown }];
    const ids = (await storage.prospects.put(user.id, found, startOfTests)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    await imported(storage, user.id, [personRow(1, profile.content)]);
    expect(await all(storage, user.id)).toHaveLength(2);
    await imported(storage, user.id, [personRow(2, { ...profile.content, email: "ka@acme.example" })]);
    for (const id of ids) expect(await storage.prospects.get(user.id, id)).toMatchObject({ id: ids[0]! });
  });

  test("records that contradict each other stay two, whoever names both", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const profile = (name: string) => ({ networkUrl: `https://network.example/in/${name}` });
    const pairs: [ProspectDraft, ProspectDraft][] = [
      [{}, { email: "other@example.com" }],
      [profile("other"), {}],
      [
        { firstName: "Ann", lastName: "Lee" },
        { firstName: "Bo", lastName: "Lee" },
      ],
      [
        { firstName: "Ann", lastName: "Lee" },
        { firstName: "Ann", lastName: "Kim" },
      ],
    ];
    let row = 0;
    for (const [n, [one, other]] of pairs.entries()) {
      const [email, theirs] = [`office${n}@example.com`, profile(`p${n}`)];
      const both = [personRow(++row, { email, ...one }), personRow(++row, { ...theirs, ...other })];
      await imported(storage, user.id, [...both, personRow(++row, { email, ...theirs })]);
      expect(await all(storage, user.id)).toHaveLength(2 * n + 2);
    }
  });

  test("every operation is about one user's directory", async () => {
    await using opened = await open();
    const { storage } = opened;
    const factories = createFactories();
    const [{ user: ada }, { user: bob }] = [await factories.storedUser(storage), await factories.storedUser(storage)];
    const [hers] = await storage.prospects.put(
      ada.id,
      [made({ email: "p@example.com", industry: "Hers" })],
      startOfTests,
    );
    const [his] = await storage.prospects.put(
      bob.id,
      [made({ email: "p@example.com", industry: "His" })],
      startOfTests,
    );
    expect(hers!.id).not.toBe(his!.id);
    expect(await storage.prospects.get(bob.id, hers!.id)).toBeNull();
    expect(await storage.prospects.remove(bob.id, hers!.id)).toBe(false);
    expect((await all(storage, ada.id)).map(({ industry }) => industry)).toEqual(["Hers"]);
    expect(
      await storage.prospects.facet({ userId: bob.id, facet: "industry", text: "", limit: 5, query: nothing }),
    ).toEqual([{ value: "his", label: "His", count: 1 }]);
  });

  test("the lead of a prospect is noted, and stays through changes, as long as there is one", async () => {
    await using opened = await open();
    const { storage } = opened;
    const make = createFactories();
    const { user } = await make.storedUser(storage);
    const { id } = await make.storedLead(storage, user.id);
    const [stored] = await storage.prospects.put(user.id, [made({ email: "p@example.com" })], startOfTests);
    await storage.prospects.setLead(user.id, stored!.id, id);
    await storage.prospects.put(user.id, [made({ email: "p@example.com", phone: "1" })], startOfTests);
    expect(await storage.prospects.get(user.id, stored!.id)).toMatchObject({ leadId: id, phone: "1" });
    await storage.leads.remove({ userId: user.id, id, version: null, at: startOfTests });
    expect(await storage.prospects.get(user.id, stored!.id)).toMatchObject({ leadId: null, phone: "1" });
  });

  test("who was paid for is free until that was too long ago, and races pay once", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 5 }));
    const drafts = [1, 2, 3].map((n) => made({ email: `p${n}@example.com` }));
    const [one, two, three] = (await prospects.put(user.id, drafts, startOfTests)).map(({ id }) => id);
    let request = 0;
    const shown = (ids: (string | undefined)[], at: number, each = 2) =>
      prospects.reveal({
        userId: user.id,
        ids: ids.map(String),
        freeSince: at - 1000,
        payment: {
          kind: "charge",
          each,
          charge: {
            entryId: `e${++request}`,
            userId: user.id,
            request: `r${request}`,
            purpose: "search",
            keyId: null,
            at,
          },
        },
      });
    const [first, second] = await Promise.all([shown([one, two], 5000), shown([two, one], 5000)]);
    expect([first, second]).toEqual([
      { kind: "charged", charged: 4, balance: 1 },
      { kind: "charged", charged: 0, balance: 1 },
    ]);
    expect(await shown([one, three], 5001)).toEqual({ kind: "exhausted", by: "balance", remaining: 1, required: 2 });
    expect(await prospects.unpaid({ userId: user.id, ids: [one!, three!], freeSince: 5000 })).toBe(1);
    expect(await prospects.unpaid({ userId: user.id, ids: [one!, three!], freeSince: 5001 })).toBe(2);
    expect(await shown([one], 6001, 1)).toEqual({ kind: "charged", charged: 1, balance: 0 });
  });

  test("what was reserved is settled for those who are not free, each once, and the rest is given back", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 20 }));
    const drafts = [1, 2, 3].map((n) => made({ email: `p${n}@example.com` }));
    const [one, two, three] = (await prospects.put(user.id, drafts, startOfTests)).map(({ id }) => id);
    const reserved = async (request: string) => {
      const held = await credits.reserve(factories.reservation(user.id, { request, amount: 6 }));
      return held.kind === "reserved" ? held.id : "";
    };
    const settled = (reservationId: string, ids: (string | undefined)[], at: number) =>
      prospects.reveal({
        userId: user.id,
        ids: ids.map(String),
        freeSince: at - 1000,
        payment: {
          kind: "settle",
          each: 2,
          settlement: { reservationId, releaseId: `${reservationId}-rest`, closes: true, at },
          entry: { entryId: `${reservationId}-results`, item: "results" },
        },
      });
    const [first, second, late] = [await reserved("r1"), await reserved("r2"), await reserved("r3")];
    const raced = await Promise.all([settled(first, [one, two, one], 5000), settled(second, [two, three], 5000)]);
    expect(raced).toMatchObject([
      { kind: "charged", charged: 4 },
      { kind: "charged", charged: 2 },
    ]);
    // 18 were held; 6 of them are spent, and 6 are held still.
    expect([await credits.balance(user.id), await credits.reserved(user.id)]).toEqual([8, 6]);
    expect(await settled(late, [one, two, three], 5001)).toEqual({ kind: "charged", charged: 0, balance: 14 });
    // To be shown for nothing does not make it free for longer.
    expect(await settled(await reserved("r4"), [one, two], 6001)).toEqual({
      kind: "charged",
      charged: 4,
      balance: 10,
    });
    const ledger = await credits.page({
      ...{ userId: user.id, kind: "settle", createdFrom: null, createdTo: null, limit: 10, after: null },
    });
    expect(ledger.map(({ request, amount }) => [request, amount])).toEqual([
      ["r4", -4],
      ["r2", -2],
      ["r1", -4],
    ]);
  });

  test("nothing is charged out of what was given back, and nobody is free for it", async () => {
    await using opened = await open();
    const { prospects, credits } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    await credits.add(factories.grant(user.id, { amount: 5 }));
    const [stored] = await prospects.put(user.id, [made({ email: "p@example.com" })], startOfTests);
    const shown = { userId: user.id, ids: [stored!.id], freeSince: startOfTests };
    const held = await credits.reserve(factories.reservation(user.id, { amount: 3 }));
    const reservationId = held.kind === "reserved" ? held.id : "";
    await credits.settle(factories.settlement(reservationId, {}, { closes: true }));
    const settlement = { reservationId, releaseId: "released", closes: true, at: startOfTests };
    const entry = { entryId: "settled", item: "results" };
    expect(await prospects.reveal({ ...shown, payment: { kind: "settle", each: 2, settlement, entry } })).toEqual({
      kind: "charged",
      charged: 0,
      balance: 5,
    });
    expect(await prospects.unpaid(shown)).toBe(1);
  });

  test("each attempt at a dry run begins anew, and nothing of it is stored", async () => {
    await using opened = await open();
    const { storage } = opened;
    const factories = createFactories();
    const { user } = await factories.storedUser(storage);
    await storage.prospects.put(user.id, [made({ email: "old@example.com" })], startOfTests);
    const job = await factories.storedJob(storage, user.id, { type: "prospect_import" });
    const rows = [personRow(2, { email: "new@example.com" }), personRow(3, { email: "OLD@example.com" })];
    const foretold = { rows: 2, created: 1, updated: 0, skipped: 1, failed: 0, companies: 0 };
    for (const attempt of [1, 2]) {
      const now = startOfTests + attempt * 60_000;
      const claim = { type: "prospect_import", limit: 1, now, leaseUntil: now + 30_000 } as const;
      const [claimed] = await storage.jobs.claim(claim);
      expect(claimed).toMatchObject({ id: job.id, attempt });
      const foresee = async (some: ProspectRow[]) => {
        const batch: ProspectBatch = {
          userId: user.id,
          jobId: job.id,
          attempt,
          rows: some,
          found: null,
          onDuplicate: "update",
          dryRun: true,
          lastRow: 3,
          progress: 50,
          leaseUntil: now + 30_000,
          at: now,
        };
        return await storage.prospects.importBatch(batch, await storage.prospects.lookUp(batch));
      };
      expect(await foresee(rows)).toEqual(foretold);
      expect(await foresee([personRow(4, { email: "NEW@example.com" })])).toMatchObject({ rows: 3, skipped: 2 });
    }
    storage.prospects.forgetDryRun(job.id);
    const page = { userId: user.id, jobId: job.id, outcome: null, afterRow: 0, limit: 10 };
    expect((await storage.prospects.importReport(page)).map(({ row, outcome }) => [row, outcome])).toEqual([
      [3, "skipped"],
      [4, "skipped"],
    ]);
    expect(await all(storage, user.id)).toHaveLength(1);
  });

  test("many namesakes are stored in time that does not grow with their number", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const draft = { firstName: "Max", lastName: "Muster", company: "Same" };
    for (let batch = 0; batch < 3; batch++) {
      const rows = Array.from({ length: 400 }, (_, n) =>
        personRow(batch * 400 + n, { ...draft, email: `m${batch * 400 + n}@example.com` }),
      );
      expect(await imported(storage, user.id, rows)).toMatchObject({ created: 400 });
    }
    expect(
      (await storage.prospects.search({ userId: user.id, query: nothing, offset: 1199, limit: 5 })).prospects,
    ).toHaveLength(1);
  });

  test("saved searches are their owner's, newest first", async () => {
    await using opened = await open();
    const { savedSearches } = opened.storage;
    const factories = createFactories();
    const { user } = await factories.storedUser(opened.storage);
    const search = (n: number) => ({
      id: `s${n}`,
      userId: user.id,
      name: `Search ${n}`,
      source: "directory" as const,
      filters: {},
      createdAt: n,
      updatedAt: n,
    });
    for (const n of [1, 2, 3]) await savedSearches.insert(search(n));
    expect((await savedSearches.list(user.id, 2, 0)).map(({ id }) => id)).toEqual(["s3", "s2"]);
    expect((await savedSearches.list(user.id, 2, 2)).map(({ id }) => id)).toEqual(["s1"]);
    expect(await savedSearches.count(user.id)).toBe(3);
    const filters = { person: { title: ["CTO"] } };
    expect(await savedSearches.update(user.id, "s2", { filters, updatedAt: 9 })).toEqual({
      ...search(2),
      filters,
      updatedAt: 9,
    });
    expect(await savedSearches.update("another", "s2", { name: "x", updatedAt: 9 })).toBeNull();
    expect(await savedSearches.get("another", "s2")).toBeNull();
    expect(await savedSearches.remove("another", "s2")).toBe(false);
    expect(await savedSearches.remove(user.id, "s2")).toBe(true);
    expect(await savedSearches.get(user.id, "s2")).toBeNull();
  });
});
