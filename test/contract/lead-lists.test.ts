import { describe, expect, test } from "bun:test";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import {
  leadSortFields,
  leadStatuses,
  leadTextFields,
  type Lead,
  type LeadFilter,
  type LeadSort,
} from "../../src/features/leads/model.ts";
import type { LeadPage, LeadPageRequest, LeadStore } from "../../src/features/leads/store.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories, leadOf, type Factories } from "../support/factories.ts";
import { createDice, type Dice } from "../support/ids.ts";

const sorts: LeadSort[] = leadSortFields.flatMap((field) => [false, true].map((descending) => ({ field, descending })));
const oldestFirst: LeadSort = { field: "createdAt", descending: false };

describe.each(enginesAndPostgres)("lists of leads on $name", ({ open, isSingleWriter }) => {
  test("every sort puts leads in order, absent texts first, without regard to case, ties in the order of storing", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId } = await withRandomLeads(opened.storage, 60);
    for (const sort of sorts) {
      const { leads: found, next } = await leads.page({
        workspaceId,
        filter: {},
        sort,
        limit: 100,
        offset: 0,
        after: null,
      });
      expect(idsOf(found), JSON.stringify(sort)).toEqual(idsOf(sorted(stored, sort)));
      expect(next).toBeNull();
    }
  });

  test("a list shows a lead just as it is read alone, whichever way the list is found", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const texts = Object.fromEntries(leadTextFields.map((field) => [field, `text of ${field}`]));
    const rest = { tags: ["a", "b"], customFields: { x: { y: 1 } }, status: "qualified", version: 7 } as const;
    const full = make.lead(user.id, { ...texts, ...rest, tags: [...rest.tags], updatedAt: startOfTests + 9 });
    const bare = make.lead(user.id, Object.fromEntries(leadTextFields.map((field) => [field, null])));
    for (const lead of [full, bare]) await opened.storage.leads.insert(insertOf(lead));
    expect([
      await opened.storage.leads.get(user.id, full.id),
      await opened.storage.leads.get(user.id, bare.id),
    ]).toEqual([full, bare]);
    for (const { field, filter } of [
      { field: "createdAt", filter: {} },
      { field: "company", filter: {} },
      { field: "createdAt", filter: { createdAfter: 0 } },
    ] as const) {
      const sort = { field, descending: true };
      const { leads: found } = await opened.storage.leads.page({
        workspaceId: user.id,
        filter,
        sort,
        limit: 10,
        offset: 0,
        after: null,
      });
      expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([full, bare]);
    }
  });

  test("the pages of a cursor meet every lead exactly once, in the order of the whole list", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId } = await withRandomLeads(opened.storage, 40);
    for (const sort of sorts) {
      const found = await walk(leads, { workspaceId, filter: {}, sort, limit: 7 });
      expect(idsOf(found), JSON.stringify(sort)).toEqual(idsOf(sorted(stored, sort)));
    }
  });

  test("a page tells where the next one begins, unless it is the last, however full it is", async () => {
    await using opened = await open();
    const { leads, workspaceId } = await withRandomLeads(opened.storage, 10);
    for (const [limit, fullPages] of [
      [3, 3],
      [5, 1],
      [10, 0],
      [11, 0],
    ] as const) {
      let after: LeadPageRequest["after"] = null;
      let pages = 0;
      for (; pages === 0 || after !== null; pages++) {
        const page: LeadPage = await leads.page({
          workspaceId,
          filter: {},
          sort: oldestFirst,
          limit,
          offset: 0,
          after,
        });
        expect(page.leads.length).toBeGreaterThan(0);
        after = page.next;
      }
      expect(pages).toBe(fullPages + 1);
    }
  });

  test("the pages of a cursor meet every lead once also when texts begin beyond ASCII", async () => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const names = [
      "Zoë",
      "Ägir",
      "ärmel",
      "Åke",
      "Ægir",
      "Éva",
      "émile",
      "Øyvind",
      "Ñandu",
      "Ada",
      "İnci",
      "ẞ",
      "Ωmega",
      "Жанна",
    ];
    const stored = await Promise.all(names.map((firstName) => make.storedLead(opened.storage, user.id, { firstName })));
    for (const descending of [false, true]) {
      const request = { workspaceId: user.id, filter: {}, sort: { field: "firstName", descending }, limit: 1 } as const;
      const found = await walk(opened.storage.leads, request);
      expect(idsOf(found).toSorted()).toEqual(idsOf(stored).toSorted());
    }
  });

  test("the pages of a cursor meet every lead once while others are inserted in between", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId, make, dice } = await withRandomLeads(opened.storage, 40);
    for (const sort of sorts) {
      const insert = () => leads.insert(insertOf(randomLead(make, dice, workspaceId)));
      const found = await walk(leads, { workspaceId, filter: {}, sort, limit: 6 }, insert);
      const ids = idsOf(found);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => stored.some((lead) => lead.id === id))).toEqual(idsOf(sorted(stored, sort)));
    }
  });

  test("a lead that is removed while pages are walked takes no other with it", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId, dice } = await withRandomLeads(opened.storage, 30);
    const left = new Map(stored.map((lead) => [lead.id, lead]));
    const remove = async () => {
      const id = dice.pick([...left.keys()]);
      left.delete(id);
      await leads.remove({ workspaceId, id, version: null, at: startOfTests });
    };
    const found = await walk(
      leads,
      { workspaceId, filter: {}, sort: { field: "company", descending: false }, limit: 5 },
      remove,
    );
    const ids = new Set(idsOf(found));
    expect(ids.size).toBe(found.length);
    expect([...left.keys()].filter((id) => !ids.has(id))).toEqual([]);
  });

  test("a page contains at most as many leads as requested, also at a large offset", async () => {
    await using opened = await open();
    const make = createFactories();
    const dice = createDice(8);
    const workspaceId = (await make.storedUser(opened.storage)).user.id;
    // SQLite reads from its reader thread beyond an offset of 1,000.
    const count = isSingleWriter ? 1020 : 120;
    const stored = Array.from({ length: count }, () =>
      make.lead(workspaceId, { createdAt: startOfTests + dice.below(500) }),
    );
    await opened.storage.leads.insertAll(stored.map(insertOf));
    const ids = idsOf(sorted(stored, oldestFirst));
    for (const [offset, limit] of [
      [0, 3],
      [count - 22, 5],
      [count - 20, 5],
      [count - 19, 5],
      [count - 5, 10],
      [count, 5],
      [5000, 5],
    ] as const) {
      const { leads: found } = await opened.storage.leads.page({
        workspaceId,
        filter: {},
        sort: oldestFirst,
        limit,
        offset,
        after: null,
      });
      expect(idsOf(found), `offset ${offset}`).toEqual(ids.slice(offset, offset + limit));
    }
  });

  test("every filter, alone and with others, finds and counts what a look at each single lead finds", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId, dice } = await withRandomLeads(opened.storage, 80);
    for (let round = 0; round < 120; round++) {
      const filter = randomFilter(dice, stored);
      const sort = dice.pick(sorts);
      const expected = sorted(
        stored.filter((lead) => passes(lead, filter)),
        sort,
      );
      const { leads: found } = await leads.page({ workspaceId, filter, sort, limit: 100, offset: 0, after: null });
      expect(idsOf(found), JSON.stringify({ filter, sort })).toEqual(idsOf(expected));
      expect(await leads.count(workspaceId, filter), JSON.stringify(filter)).toBe(expected.length);
    }
  });

  test("a filtered list is walked by cursor just as a whole one", async () => {
    await using opened = await open();
    const { leads, stored, workspaceId } = await withRandomLeads(opened.storage, 60);
    const filters: LeadFilter[] = [
      { statuses: ["new"] },
      { statuses: ["new", "qualified"] },
      { assignedTo: "ada" },
      { assignedTo: null },
      { tag: "math" },
      { text: "an" },
    ];
    for (const filter of filters)
      for (const sort of [
        oldestFirst,
        { field: "createdAt", descending: true },
        { field: "email", descending: true },
      ] as const) {
        const found = await walk(leads, { workspaceId, filter, sort, limit: 4 });
        expect(idsOf(found)).toEqual(
          idsOf(
            sorted(
              stored.filter((lead) => passes(lead, filter)),
              sort,
            ),
          ),
        );
      }
  });

  test.each([
    ["a percent sign", "100%"],
    ["an underscore", "a_b"],
    ["a backslash", "back\\slash"],
    ["a quote", 'O\'Neil "Jr"'],
  ])("%s in a searched text means itself", async (_what, text) => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const lead = await make.storedLead(opened.storage, user.id, { company: `x ${text} y` });
    for (const company of ["100 x", "axb", "back/slash", "ONeil Jr"])
      await make.storedLead(opened.storage, user.id, { company });
    const { leads: found } = await opened.storage.leads.page({
      workspaceId: user.id,
      filter: { text },
      sort: oldestFirst,
      limit: 10,
      offset: 0,
      after: null,
    });
    expect(idsOf(found)).toEqual([lead.id]);
  });

  test.each<[string, Partial<Lead>, LeadFilter]>([
    ["an email address", { email: "ärzte@Example.com" }, { email: "ÄRZTE@example.COM" }],
    ["a company", { company: "Müller GmbH" }, { company: "MÜLLER GMBH" }],
    ["a source", { source: "Empfehlung Öl" }, { source: "empfehlung öl" }],
    ["a searched text", { title: "Überseehändler" }, { text: "übersee" }],
    ["a tag", { tags: ["Math"] }, { tag: "math" }],
  ])("%s is found without regard to case", async (_what, overrides, filter) => {
    await using opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const lead = await make.storedLead(opened.storage, user.id, overrides);
    await make.storedLead(opened.storage, user.id);
    const { leads: found } = await opened.storage.leads.page({
      workspaceId: user.id,
      filter,
      sort: oldestFirst,
      limit: 10,
      offset: 0,
      after: null,
    });
    expect(idsOf(found)).toEqual([lead.id]);
    expect(await opened.storage.leads.count(user.id, filter)).toBe(1);
  });

  test.each([1, 2, 3])("counts are exact after any changes (seed %d)", async (seed) => {
    await using opened = await open();
    const { leads } = opened.storage;
    const make = createFactories(seed);
    const dice = createDice(seed);
    const userIds = [(await make.storedUser(opened.storage)).user.id, (await make.storedUser(opened.storage)).user.id];
    const left = new LeftLeads();
    for (let round = 0; round < 12; round++) {
      await Promise.all(
        Array.from({ length: dice.between(1, 12) }, () => changeSomething(leads, left, make, dice, userIds)),
      );
      for (const workspaceId of userIds) {
        const own = left.values().filter((lead) => lead.workspaceId === workspaceId);
        expect(await leads.count(workspaceId, {})).toBe(own.length);
        for (const status of leadStatuses)
          expect(await leads.count(workspaceId, { statuses: [status] })).toBe(
            own.filter((lead) => lead.status === status).length,
          );
        const some = [dice.pick(leadStatuses), dice.pick(leadStatuses)];
        expect(await leads.count(workspaceId, { statuses: some })).toBe(
          own.filter((lead) => some.includes(lead.status)).length,
        );
        expect(await leads.count(workspaceId, { tag: "math" })).toBe(own.filter((lead) => hasTag(lead, "math")).length);
      }
    }
    expect(left.values().length).toBeGreaterThan(5);
  });
});

/** What is left after changes whose outcomes arrive in another order than they were made. */
class LeftLeads {
  readonly #leads = new Map<string, Lead | null>();

  values(): Lead[] {
    return [...this.#leads.values()].filter((lead) => lead !== null);
  }

  changed(lead: Lead): void {
    const known = this.#leads.get(lead.id);
    if (known === undefined || (known !== null && known.version <= lead.version)) this.#leads.set(lead.id, lead);
  }

  removed(id: string): void {
    this.#leads.set(id, null);
  }
}

/** One random write; keeps `left` in step with what its outcome says. */
async function changeSomething(
  leads: LeadStore,
  left: LeftLeads,
  make: Factories,
  dice: Dice,
  userIds: string[],
): Promise<void> {
  const known = left.values();
  const lead = known.length > 0 && dice.chance(0.6) ? dice.pick(known) : null;
  if (lead === null) {
    const request = {
      ...insertOf(randomLead(make, dice, dice.pick(userIds))),
      onDuplicate: dice.pick(["create", "update", "error"] as const),
    };
    const stored = leadOf(await leads.insert(request));
    left.changed(stored);
  } else if (dice.chance(0.6)) {
    const change = make.leadUpdate(lead, randomContent(dice));
    const outcome = await leads.update({ ...change, at: startOfTests + dice.below(100) });
    if (outcome.kind === "changed") left.changed(outcome.lead);
  } else {
    const version = dice.pick([null, lead.version, lead.version + 1]);
    const outcome = await leads.remove({ workspaceId: lead.workspaceId, id: lead.id, version, at: startOfTests });
    if (outcome.kind === "changed") left.removed(lead.id);
  }
}

/** All pages of a list, one after the other, with something done before each but the first. */
async function walk(
  leads: LeadStore,
  request: Pick<LeadPageRequest, "workspaceId" | "filter" | "sort" | "limit">,
  between: () => Promise<unknown> = async () => {},
): Promise<Lead[]> {
  const found: Lead[] = [];
  for (let after: LeadPageRequest["after"] = null; ;) {
    const page: LeadPage = await leads.page({ ...request, offset: 0, after });
    found.push(...page.leads);
    if (found.length > 1000) throw new Error("The pages have no end");
    if (page.next === null) return found;
    after = page.next;
    await between();
  }
}

/** Random leads, in the order in which they were stored. */
async function withRandomLeads(storage: { leads: LeadStore } & Parameters<Factories["storedUser"]>[0], count: number) {
  const make = createFactories();
  const dice = createDice(count);
  const { user } = await make.storedUser(storage);
  const stored = dice.shuffled(Array.from({ length: count }, () => randomLead(make, dice, user.id)));
  await storage.leads.insertAll(stored.map(insertOf));
  return { leads: storage.leads, stored, workspaceId: user.id, make, dice };
}

const someTexts = [null, "Ann", "anna", "ANNA", "bob", "Bo b", "zed", "an_a", "50%"];
const someTags = ["math", "art", "Sales", "campaign:Spring"];
const textSorts = ["email", "firstName", "lastName", "company", "status"] as const;

/** A lead with few different values, so that ties and matches are common. */
function randomLead(make: Factories, dice: Dice, workspaceId: string): Lead {
  const times = { createdAt: startOfTests + dice.below(10), updatedAt: startOfTests + dice.below(10) };
  return make.lead(workspaceId, { ...randomContent(dice), ...times });
}

function randomContent(dice: Dice) {
  const text = () => dice.pick(someTexts);
  return {
    firstName: text(),
    lastName: text(),
    company: text(),
    title: text(),
    source: text(),
    industry: dice.pick(["Bücher", "BÜCHER", "Chemie", null]),
    location: text(),
    phone: dice.pick(["+49 30 1", null]),
    customFields: dice.pick([
      {},
      { size: 50, note: "Ann" },
      { size: "505", "a.b\"'": true },
      { note: null, list: [1, "x"] },
      { size: 7, note: "ÄNN" },
    ]) as Record<string, unknown>,
    email: dice.chance(0.3) ? null : `${dice.pick(["a", "B", "b", "Cc"])}${dice.below(9)}@Example.com`,
    status: dice.pick(leadStatuses),
    assignedTo: dice.pick(["ada", "bob", null]),
    tags: someTags.filter(() => dice.chance(0.4)),
  };
}

function insertOf(lead: Lead) {
  return { lead, identity: leadIdentity(lead), onDuplicate: "create" as const };
}

/** `leads` in the order in which they were stored. */
function sorted(leads: Lead[], { field, descending }: LeadSort): Lead[] {
  const isText = textSorts.some((name) => name === field);
  const value = (lead: Lead) => (isText ? `${lead[field] ?? ""}`.toLowerCase() : Number(lead[field]));
  const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);
  const ascending = leads.toSorted((a, b) => compare(value(a), value(b)));
  return descending ? ascending.toReversed() : ascending;
}

/** The meaning of a filter, told a second time. */
function passes(lead: Lead, filter: LeadFilter): boolean {
  const same = (ours: string | null, wanted: string | undefined) =>
    wanted === undefined || ours?.toLowerCase() === wanted.toLowerCase();
  const has = (ours: string | null, part: string) => ours?.toLowerCase().includes(part.toLowerCase()) ?? false;
  const texts = [`${lead.firstName ?? ""} ${lead.lastName ?? ""}`, lead.email, lead.company, lead.title, lead.source];
  const { statuses, tag, campaignId, text, createdAfter, createdBefore, updatedAfter, updatedBefore } = filter;
  return (
    (statuses?.includes(lead.status) ?? true) &&
    (tag === undefined || hasTag(lead, tag)) &&
    (filter.tags === undefined ||
      (filter.tags.match === "all"
        ? filter.tags.names.every((name) => hasTag(lead, name))
        : filter.tags.names.some((name) => hasTag(lead, name)))) &&
    Object.entries(filter.contains ?? {}).every(([field, parts]) =>
      parts.some((part) => has(lead[field as "title"], part)),
    ) &&
    Object.entries(filter.equals ?? {}).every(([field, value]) => same(lead[field as "title"], value)) &&
    (filter.customFields ?? []).every(({ name, text: part }) => {
      const value = lead.customFields[name] ?? null;
      return value !== null && (part === null || has(typeof value === "string" ? value : JSON.stringify(value), part));
    }) &&
    Object.entries(filter.has ?? {}).every(([field, wanted]) => (lead[field as "email"] !== null) === wanted) &&
    // Nobody has been contacted.
    (filter.relations?.includes("none") ?? true) &&
    filter.inCampaign !== true &&
    (campaignId === undefined || hasTag(lead, `campaign:${campaignId}`)) &&
    same(lead.email, filter.email) &&
    same(lead.company, filter.company) &&
    same(lead.source, filter.source) &&
    (text === undefined || texts.some((own) => own?.toLowerCase().includes(text.toLowerCase()))) &&
    (filter.assignedTo === undefined || lead.assignedTo === filter.assignedTo) &&
    lead.createdAt >= (createdAfter ?? 0) &&
    lead.createdAt < (createdBefore ?? Number.POSITIVE_INFINITY) &&
    lead.updatedAt >= (updatedAfter ?? 0) &&
    lead.updatedAt < (updatedBefore ?? Number.POSITIVE_INFINITY)
  );
}

function randomFilter(dice: Dice, stored: Lead[]): LeadFilter {
  const text = () => dice.pick(["Ann", "ANNA", "bob", "nobody"]);
  const moment = () => startOfTests + dice.below(10);
  const all: Required<LeadFilter> = {
    statuses: leadStatuses.filter(() => dice.chance(0.5)),
    tag: dice.pick(someTags),
    campaignId: dice.pick(["spring", "autumn"]),
    tags: { names: dice.shuffled(someTags).slice(0, dice.between(1, 3)), match: dice.pick(["all", "any"]) },
    contains: dice.pick([
      { company: ["NN"] },
      { title: ["n", "50%"], source: ["b"] },
      { industry: ["büch"] },
      { location: ["_"] },
    ]) as LeadFilter["contains"] & {},
    equals: dice.pick([{ title: "anna" }, { industry: "bücher", location: "ANN" }]) as LeadFilter["equals"] & {},
    customFields: dice.pick([
      [{ name: "size", text: "5" }],
      [
        { name: "size", text: null },
        { name: "note", text: "änn" },
      ],
      [{ name: "note", text: null }],
      [{ name: "a.b\"'", text: "TRUE" }],
      [{ name: "list", text: "x" }],
      [{ name: "nothing", text: null }],
    ]),
    has: dice.pick([{ email: true }, { phone: false }, { email: false, networkUrl: false }]) as LeadFilter["has"] & {},
    relations: [dice.pick(["none", "none", "connected", "replied"])],
    inCampaign: dice.chance(0.3),
    email: (dice.pick(stored).email ?? "nobody@example.com").toUpperCase(),
    company: text(),
    source: text(),
    text: dice.pick(["a", "ann b", "b b", "EXAMPLE", "_", "%", "\\", "50%"]),
    createdAfter: moment(),
    createdBefore: moment(),
    updatedAfter: moment(),
    updatedBefore: moment(),
    assignedTo: dice.pick(["ada", "nobody", null]),
  };
  const wanted = dice.shuffled(Object.keys(all)).slice(0, dice.between(0, 3));
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name)));
}

function idsOf(leads: Lead[]): string[] {
  return leads.map(({ id }) => id);
}

function hasTag(lead: Lead, tag: string): boolean {
  return lead.tags.some((own) => own.toLowerCase() === tag.toLowerCase());
}
