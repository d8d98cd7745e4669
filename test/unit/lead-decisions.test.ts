import { expect, test } from "bun:test";
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  option,
  property,
  record,
  subarray,
  type Arbitrary,
} from "fast-check";
import { decideLoaded, Loaded, type FactSource } from "../../src/adapters/storage/postgres/loaded.ts";
import type { ImportBatch, InsertLead } from "../../src/features/leads/change-model.ts";
import type { Decision } from "../../src/platform/base/decision.ts";
import {
  decideInsert,
  decideRemove,
  decideUpdate,
  type LeadChange,
  type LeadFacts,
  type StoredLead,
} from "../../src/features/leads/decisions.ts";
import { allKeysOf, leadIdentity } from "../../src/features/leads/identity.ts";
import { decideImport, type DryRunNote, type ImportChange } from "../../src/features/leads/import-decision.ts";
import { RowPacker, unpackedRow } from "../../src/features/leads/import/packed-rows.ts";
import { mergedContent } from "../../src/features/leads/merge.ts";
import type { Lead, LeadContent } from "../../src/features/leads/model.ts";
import { identifiersOf, matchesOf } from "../../src/features/suppression/matching.ts";
import { startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";

const workspaceId = "user";
const owner = 7;

/** Few people, so that most of them meet again. */
const person = record({
  email: option(constantFrom("a@example.com", "b@example.com", "C@example.com", "c@example.com")),
  networkUrl: option(constantFrom("https://network.example/in/a", "https://network.example/in/b")),
  firstName: constantFrom("Ada", "Bob"),
  lastName: constantFrom("Lovelace", "Babbage"),
  company: option(constantFrom("Engines", "Looms")),
  title: option(constantFrom("Countess", "Programmer")),
  tags: subarray(["x", "y", "z"]),
});
/** With something to identify each. */
const identified = person.filter(({ email, networkUrl, company }) => (email ?? networkUrl ?? company) !== null);
type Person = typeof person extends Arbitrary<infer P> ? P : never;

const make = createFactories();

function contentOf(overrides: Person): LeadContent {
  return make.leadContent(overrides);
}

/** A store in memory. Entries of the do-not-contact list: email addresses. */
class Memory {
  stored: StoredLead[] = [];
  readonly suppressed = new Set<string>();
  readonly notes = new Map<number, DryRunNote & { keys: Set<number> }>();
  #last = 0;

  /** Answers at the moment of the question. */
  get lazy(): LeadFacts {
    const entries = (kind: string, value: string) =>
      kind === "email" && this.suppressed.has(value) ? [{ id: value, owner, kind, reason: null } as const] : [];
    return {
      owner,
      lead: (id) => this.stored.find(({ lead }) => lead.id === id) ?? null,
      candidates: (key) => this.withKey(key),
      suppression: (target) =>
        matchesOf(identifiersOf(target, null), { beside: () => [], entries }).next().value ?? null,
      addressSuppressions: () => [],
      isActiveMember: (userId) => userId === "member",
    };
  }

  /** Answers only what was loaded, as an engine across a network. */
  loaded(): { facts: LeadFacts; sources: FactSource[] } {
    const { lazy } = this;
    const fetch =
      <Q extends string | number, A>(answer: (question: Q) => A) =>
      async (questions: readonly Q[]) =>
        new Map(questions.map((question) => [question, answer(question)] as const));
    const leads = new Loaded<string, StoredLead | null>({
      provisional: null,
      nameOf: String,
      fetch: fetch(lazy.lead),
    });
    const candidates = new Loaded<number, readonly StoredLead[]>({
      provisional: [],
      nameOf: Number,
      fetch: fetch((key) => this.withKey(key)),
    });
    return {
      facts: { ...lazy, lead: (id) => leads.get(id), candidates: (key) => candidates.get(key) },
      sources: [leads, candidates],
    };
  }

  withKey(key: number): StoredLead[] {
    return this.stored.filter(({ lead }) => allKeysOf(owner, leadIdentity(lead), null).includes(key));
  }

  write(changes: readonly LeadChange[]): void {
    for (const change of changes)
      if (change.kind === "insert") this.insert(change.lead);
      else if (change.kind === "replace") this.replace(change.before.seq, change.lead);
      else if (change.kind === "remove") this.stored = this.stored.filter(({ seq }) => seq !== change.stored.seq);
  }

  writeImport({ rows, at }: ImportBatch, changes: readonly ImportChange[]): void {
    const first = this.#last + 1;
    for (const change of changes)
      if (change.kind === "create")
        for (let index = change.from; index < change.to; index++) {
          const row = unpackedRow(rows, index);
          if ("errors" in row) throw new Error("Expected a lead");
          this.insert({ id: row.id, workspaceId, ...row.content, version: 1, createdAt: at, updatedAt: at });
        }
      else if (change.kind === "replace") {
        const { seq } = change.before;
        this.replace(seq < 0 ? first - seq - 1 : seq, change.lead);
      } else if (change.kind === "note") {
        const { note, keys } = change;
        const known = [...this.notes.values()].find(({ lead }) => lead !== null && lead === note.lead);
        const n = note.n ?? known?.n ?? Math.max(0, ...this.notes.keys()) + 1;
        this.notes.set(n, { ...note, n, keys: new Set(keys).union(this.notes.get(n)?.keys ?? new Set()) });
      }
  }

  insert(lead: Lead): void {
    this.stored.push({ seq: ++this.#last, lead });
  }

  replace(seq: number, lead: Lead): void {
    this.stored = this.stored.map((each) => (each.seq === seq ? { seq, lead } : each));
  }
}

type Step =
  | { kind: "insert"; person: Person; onDuplicate: InsertLead["onDuplicate"] }
  | { kind: "update" | "remove"; nth: number; person: Person; isStale: boolean }
  | { kind: "suppress"; email: string };

const step: Arbitrary<Step> = oneof(
  {
    weight: 6,
    arbitrary: record({
      kind: constant("insert" as const),
      person: identified,
      onDuplicate: constantFrom("create" as const, "update" as const, "error" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      kind: constantFrom("update" as const, "remove" as const),
      nth: nat(9),
      person: identified,
      isStale: boolean(),
    }),
  },
  record({ kind: constant("suppress" as const), email: constantFrom("a@example.com", "b@example.com") }),
);

/** What a step decides, as a function of facts only. */
function decisionOf(memory: Memory, taken: Step): (facts: LeadFacts) => Decision<unknown, LeadChange> {
  if (taken.kind === "insert") {
    const lead = make.lead(workspaceId, taken.person);
    const request = { lead, identity: leadIdentity(lead), onDuplicate: taken.onDuplicate };
    return (facts) => decideInsert(request, facts);
  }
  if (taken.kind === "suppress") return () => ({ outcome: null, changes: [] });
  const known = memory.stored[taken.nth]?.lead;
  const id = known?.id ?? "absent";
  const version = (known?.version ?? 1) + (taken.isStale ? 1 : 0);
  if (taken.kind === "remove") return (facts) => decideRemove({ workspaceId, id, version, at: startOfTests }, facts);
  const content = contentOf(taken.person);
  const request = { workspaceId, id, content, identity: leadIdentity(content), version, at: startOfTests };
  return (facts) => decideUpdate(request, facts);
}

test("facts that are answered on demand and facts that were loaded lead to the same decisions", async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 25 }), async (steps) => {
      const memory = new Memory();
      for (const taken of steps) {
        if (taken.kind === "suppress") memory.suppressed.add(taken.email);
        const decide = decisionOf(memory, taken);
        const { facts, sources } = memory.loaded();
        const decided = decide(memory.lazy);
        expect(await decideLoaded(() => decide(facts), ...sources)).toEqual(decided);
        memory.write(decided.changes);
      }
    }),
    { numRuns: 150 },
  );
});

test("only an active member becomes the assignee of a lead", () => {
  const memory = new Memory();
  const lead = make.leadInsert(workspaceId);
  const refused = { kind: "noMember", userId: "stranger" } as const;
  expect(decideInsert({ ...lead, assignee: "stranger" }, memory.lazy)).toEqual({ outcome: refused, changes: [] });
  memory.write(decideInsert({ ...lead, assignee: "member" }, memory.lazy).changes);
  const update = make.leadUpdate(lead.lead, { assignedTo: "stranger" });
  expect(decideUpdate({ ...update, assignee: "stranger" }, memory.lazy)).toEqual({ outcome: refused, changes: [] });
  expect(decideUpdate({ ...update, assignee: "member" }, memory.lazy).outcome.kind).toBe("changed");
});

test("to merge the same newcomer once more changes nothing", () => {
  assert(
    property(person.map(contentOf), person.map(contentOf), (known, newcomer) => {
      const lead = make.lead(workspaceId, known);
      const once = mergedContent(lead, newcomer);
      expect(mergedContent({ ...lead, ...once }, newcomer)).toEqual(once);
    }),
  );
});

test("a dry run reports what the import then does", () => {
  const file = array(option(identified, { freq: 10 }), { minLength: 1, maxLength: 24 });
  const onDuplicate = constantFrom("skip" as const, "update" as const, "create" as const);
  const known = array(identified, { maxLength: 5 });
  assert(
    property(known, file, onDuplicate, integer({ min: 1, max: 9 }), boolean(), (leads, rows, mode, size, has) => {
      const memory = new Memory();
      if (has) memory.suppressed.add("a@example.com");
      for (const each of leads) memory.insert(make.lead(workspaceId, each));
      const batches = Array.from({ length: Math.ceil(rows.length / size) }, (_, n) =>
        rows.slice(n * size, (n + 1) * size),
      );
      const packed = batches.map((batch, n) => packedOf(batch, n * size));
      const run = (dryRun: boolean) =>
        packed.flatMap((each) => reportOf(memory, { ...each, dryRun, onDuplicate: mode }));
      const before = structuredClone(memory.stored);
      const foretold = run(true);
      expect(memory.stored).toEqual(before);
      expect(run(false)).toEqual(foretold);
    }),
    { numRuns: 300 },
  );
});

type Packed = Omit<ImportBatch, "dryRun" | "onDuplicate">;

function packedOf(batch: readonly (Person | null)[], from: number): Packed {
  const packer = new RowPacker(owner);
  for (const [index, each] of batch.entries()) {
    const row = from + index + 2;
    if (each === null) packer.addErrors(row, [{ path: "", message: "Bad." }]);
    else {
      const content = contentOf(each);
      packer.add(row, `lead-${row}`, content, leadIdentity(content));
    }
  }
  const job = { workspaceId, jobId: "job", attempt: 1, lastRow: from + batch.length + 1, progress: 50 };
  return { ...job, rows: packer.take(), leaseUntil: startOfTests, at: startOfTests };
}

/** The outcome of each row, and the lead that it names if there was one before the import. */
function reportOf(memory: Memory, batch: ImportBatch): string[] {
  const { notes } = memory;
  const facts = {
    ...memory.lazy,
    job: make.job(workspaceId, { id: "job", status: "running", attempt: 1, leaseUntil: startOfTests }),
    mayHave: (key: number) => memory.withKey(key).length > 0,
    hasSuppressions: memory.suppressed.size > 0,
    notes: {
      last: Math.max(0, ...notes.keys()),
      withKey: (key: number) => [...notes.values()].filter(({ keys }) => keys.has(key)),
      ofLead: (seq: number) => [...notes.values()].find(({ lead }) => lead === seq) ?? null,
    },
  };
  const { changes } = decideImport(batch, facts);
  memory.writeImport(batch, changes);
  const reported = new Map(
    changes.flatMap((change) =>
      change.kind === "report"
        ? [
            [
              change.row.row,
              `${change.row.outcome} ${isOfImport(change.row.leadId) ? null : change.row.leadId}`,
            ] as const,
          ]
        : [],
    ),
  );
  return [...batch.rows.numbers].map((row) => reported.get(row) ?? "created");
}

function isOfImport(leadId: string | null): boolean {
  return leadId?.startsWith("lead-") ?? false;
}
