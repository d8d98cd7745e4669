import { describe, expect, test } from "bun:test";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { titleValues } from "../../src/features/prospecting/facets/title-values.ts";
import { termKey, termsOf } from "../../src/features/prospecting/facets/terms.ts";
import { prospectIdentity } from "../../src/features/prospecting/keys.ts";
import type { Prospect, SearchFilters } from "../../src/features/prospecting/model.ts";
import type { ProspectBatch, ProspectRow } from "../../src/features/prospecting/directory-model.ts";
import { filters as filtersOf, prospect as draftOf } from "../bench/prospect-people.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { seeded } from "../support/random.ts";
import { nothing, made, personRow, all, imported } from "../support/prospect-rows.ts";

/** Those of the prospects that fit the filters, found without an index. */
function fitting(prospects: Iterable<Prospect>, filters: SearchFilters): Prospect[] {
  const { groups, none } = termQuery(filters);
  return [...prospects].filter((prospect) => {
    const terms = termKeysOf(prospect);
    return (
      groups.every((group) => group.some((keys) => keys.every((key) => terms.has(key)))) &&
      !none.some((key) => terms.has(key))
    );
  });
}

const termKeys = new WeakMap<Prospect, ReadonlySet<string>>();

function termKeysOf(prospect: Prospect): ReadonlySet<string> {
  const keys = termKeys.get(prospect) ?? new Set(termsOf(prospect).map(termKey));
  termKeys.set(prospect, keys);
  return keys;
}

/** Far longer than many steps take on a busy machine: only a test that hangs takes longer. */
const longTestMs = 300_000;

describe.each(enginesAndPostgres)("prospects on $name", ({ open }) => {
  test("a search of nobody's directory finds nobody", async () => {
    await using opened = await open();
    const { user } = await createFactories().storedUser(opened.storage);
    expect(
      await opened.storage.prospects.search({ workspaceId: user.id, query: nothing, offset: 0, limit: 5 }),
    ).toEqual({
      total: 0,
      prospects: [],
    });
    expect(
      await opened.storage.prospects.search({ workspaceId: "nobody", query: nothing, offset: 0, limit: 5 }),
    ).toEqual({
      total: 0,
      prospects: [],
    });
    expect(
      await opened.storage.prospects.facet({
        workspaceId: user.id,
        facet: "industry",
        text: "",
        limit: 5,
        query: nothing,
      }),
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

  test(
    "searches, counts and facets are those of a plain walk over all prospects, through changes, flushes and a crash",
    async () => {
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
        const expected = fitting(model.values(), filters);
        const found = await all(opened.storage, user.id, filters);
        expect(found.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
        expect(await all(opened.storage, user.id)).toHaveLength(model.size);
        const facets = await opened.storage.prospects.facet({
          workspaceId: user.id,
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
    },
    longTestMs,
  );

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
      const expected = fitting(everybody, filters).map(({ id }) => id);
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
      workspaceId: user.id,
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
      workspaceId: user.id,
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
        workspaceId: user.id,
        jobId: job.id,
        outcome: "failed",
        afterRow: 0,
        limit: 10,
      }),
    ).toEqual([{ row: 5, outcome: "failed", prospectId: null, errors: [{ path: "email", message: "is none" }] }]);
    expect(
      await storage.prospects.importReport({
        workspaceId: "another",
        jobId: job.id,
        outcome: null,
        afterRow: 0,
        limit: 10,
      }),
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

  test("frequent titles are listed from a sample of many, with the counts of all", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const titles = ["Account Executive", "VP, Sales", "Vice President Sales", "VP, Sales", "Nurse", "Nurse Manager"];
    const rows = Array.from({ length: 1800 }, (_, n) =>
      personRow(n + 2, { email: `p${n}@example.com`, title: titles[n % titles.length]! }),
    );
    await imported(storage, user.id, rows);
    const of = async (text: string, query = nothing) =>
      (await titleValues(storage.prospects, { workspaceId: user.id, text, limit: 10, query })).map(
        ({ value, count }) => [value, count],
      );
    // Nurse finds nurse managers, too: the count is that of the filter.
    expect(await of("")).toEqual([
      ["VP, Sales", 900],
      ["Nurse", 600],
      ["Account Executive", 300],
      ["Nurse Manager", 300],
    ]);
    expect(await of("man")).toEqual([["Nurse Manager", 300]]);
    expect(await of("", termQuery({ person: { title: ["Nurse"] } }))).toEqual([
      ["Nurse", 600],
      ["Nurse Manager", 300],
    ]);
    expect(await titleValues(storage.prospects, { workspaceId: "nobody", text: "", limit: 5, query: nothing })).toEqual(
      [],
    );
  });

  test("a sample is all there are, or spread over all; matches are counted by lists of terms", async () => {
    await using opened = await open();
    const { storage } = opened;
    const { user } = await createFactories().storedUser(storage);
    const rows = Array.from({ length: 2000 }, (_, n) =>
      personRow(n + 2, { email: `p${n}@example.com`, title: n % 4 === 0 ? "Sales Director" : `Engineer ${n}` }),
    );
    await imported(storage, user.id, rows);
    const sampled = async (size: number, query = nothing) =>
      (await storage.prospects.sample({ workspaceId: user.id, query, size })).map(({ email }) =>
        Number(email?.match(/\d+/)?.[0]),
      );
    const directors = termQuery({ person: { title: ["Director"] } });
    expect((await sampled(500, directors)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 500 }, (_, n) => n * 4),
    );
    const some = await sampled(80);
    expect([some.length, new Set(some).size, Math.min(...some), Math.max(...some)]).toEqual([80, 80, 0, 1999]);
    expect(new Set(some.map((n) => Math.floor(n / 250))).size).toBeGreaterThanOrEqual(7);
    const key = (value: string) => termKey({ facet: "title", value });
    const lists = [[key("sales")], [key("sales"), key("director")], [key("engineer"), key("sales")], [key("nobody")]];
    const counts = (query: typeof nothing, workspaceId = user.id) =>
      storage.prospects.matchCounts({ workspaceId, query, lists });
    expect(await counts(nothing)).toEqual([500, 500, 0, 0]);
    expect(await counts(termQuery({ person: { title: ["Engineer"] } }))).toEqual([0, 0, 0, 0]);
    expect(await storage.prospects.sample({ workspaceId: "nobody", query: nothing, size: 5 })).toEqual([]);
    expect(await counts(nothing, "nobody")).toEqual([0, 0, 0, 0]);
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
      await storage.prospects.facet({ workspaceId: bob.id, facet: "industry", text: "", limit: 5, query: nothing }),
    ).toEqual([{ value: "his", label: "His", count: 1 }]);
  });
});
