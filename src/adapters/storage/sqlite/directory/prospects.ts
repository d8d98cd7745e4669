import { besideNameOf, personKeys } from "../../../../features/prospecting/keys.ts";
import { colleaguesAmong, keysOfCompany, keysOfPerson, personAmong } from "../../../../features/prospecting/lookups.ts";
import { maxNamesakes, putPerson } from "../../../../features/prospecting/directory-decisions.ts";
import type { Prospect } from "../../../../features/prospecting/model.ts";
import type { NewProspect } from "../../../../features/prospecting/directory-model.ts";
import type { ProspectPage, ProspectSearch, ProspectStore } from "../../../../features/prospecting/store.ts";
import type { Engine } from "../engine.ts";
import { createProspectCompanies } from "./prospect-companies.ts";
import { numberOf } from "../../../../features/prospecting/prospect-id.ts";
import { createProspectImports } from "./prospect-imports.ts";
import { createProspectRows } from "./prospect-rows.ts";
import { prospectOf, type StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import { createReveals } from "./reveals.ts";
import type { CommonRows } from "../common-rows.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

export function createProspectStore(engine: Engine, common: CommonRows): ProspectStore {
  const { database, writer, prospectIndex: index } = engine;
  const { owners } = common;
  const rows = createProspectRows(database);
  const companies = createProspectCompanies(database);
  const imports = createProspectImports(engine, owners, index, rows, companies);

  async function search({ workspaceId, ...question }: ProspectSearch): Promise<ProspectPage> {
    const owner = owners(workspaceId);
    if (owner === null || rows.next(owner) === 0) return { total: 0, prospects: [] };
    const { total, numbers } = await index.search(owner, question);
    return { total, prospects: prospectsOf(workspaceId, owner, numbers) };
  }

  function prospectsOf(workspaceId: WorkspaceId, owner: number, numbers: readonly number[]): Prospect[] {
    const found = numbers.map((number) => rows.get(owner, number)).filter((row) => row !== null);
    return found.map((row) => prospectOf(workspaceId, row));
  }

  /** Runs `change` on a prospect inside a write unit. False when there is none. */
  async function changed(
    workspaceId: WorkspaceId,
    id: string,
    change: (owner: number, row: StoredProspect) => void,
  ): Promise<boolean> {
    const owner = owners(workspaceId);
    const number = numberOf(workspaceId, id);
    if (owner === null || number === null) return false;
    return writer.write(() =>
      rows.unit(owner, () => {
        const row = rows.getKnown(owner, number);
        if (row !== null) change(owner, row);
        return row !== null;
      }),
    );
  }

  async function put(workspaceId: WorkspaceId, found: NewProspect[], at: number): Promise<Prospect[]> {
    const owner = owners(workspaceId);
    if (owner === null) throw new Error(`User ${workspaceId} is gone`);
    const batch = found.map(({ identity }) => ({
      row: 0,
      kind: "person" as const,
      content: nothing,
      keys: personKeys(identity),
      beside: besideNameOf(identity),
    }));
    const hints = await imports.lookUp({ workspaceId, rows: batch });
    try {
      return await writer.write(() =>
        rows.unit(owner, () => {
          const records = rows.records(owner, hints.of, companies);
          return found.map((each) => prospectOf(workspaceId, rows.get(owner, putPerson(records, each, at))!));
        }),
      );
    } finally {
      hints.release();
    }
  }

  const findPerson: ProspectStore["findPerson"] = async (workspaceId, identity) => {
    const owner = owners(workspaceId);
    if (owner === null) return null;
    const person = personAmong(await candidatesOf(owner, keysOfPerson(identity)), identity);
    return person && prospectOf(workspaceId, person);
  };

  const findCompany: ProspectStore["findCompany"] = async (workspaceId, company) => {
    const owner = owners(workspaceId);
    if (owner === null) return null;
    // Before it answers anything, the index puts companies under their names as they are compared now.
    if (!rows.isUpToDate(owner)) await index.find(owner, [], 1, 0);
    return companies.find(owner, company.domain, company.name)?.content ?? null;
  };

  /** Prospects that the index, or what was stored since it looked, hints at; an e-mail's before a name's. */
  async function candidatesOf(owner: number, keys: number[]): Promise<StoredProspect[]> {
    const next = rows.next(owner);
    if (keys.length === 0 || next === 0) return [];
    const pairs = await index.find(owner, keys, maxNamesakes, next);
    const numbers = new Set(pairs.filter((_, at) => at % 2 === 1));
    return [...numbers].map((number) => rows.get(owner, number)).filter((row) => row !== null);
  }

  return {
    search,
    async facet({ workspaceId, ...question }) {
      const owner = owners(workspaceId);
      return owner === null || rows.next(owner) === 0 ? [] : await index.facet(owner, question);
    },
    async sample({ workspaceId, query, size }) {
      const owner = owners(workspaceId);
      if (owner === null || rows.next(owner) === 0) return [];
      return prospectsOf(workspaceId, owner, await index.sample(owner, query, size));
    },
    async matchCounts({ workspaceId, query, lists }) {
      const owner = owners(workspaceId);
      if (owner === null || rows.next(owner) === 0) return lists.map(() => 0);
      return await index.matchCounts(owner, query, lists);
    },
    async get(workspaceId, id) {
      const owner = owners(workspaceId);
      const number = numberOf(workspaceId, id);
      const row = owner === null || number === null ? null : rows.getKnown(owner, number);
      return row && prospectOf(workspaceId, row);
    },
    remove: (workspaceId, id) => changed(workspaceId, id, (_, row) => rows.remove(row)),
    async setLead(workspaceId, id, leadId) {
      await changed(workspaceId, id, (owner, { number }) => rows.setLead(owner, number, leadId));
    },
    put,
    ...createReveals(engine, common),
    ...imports,
    async settle(workspaceId) {
      const owner = owners(workspaceId);
      if (owner !== null) await index.flush(owner);
    },
    findPerson,
    findCompany,
    async colleagues(workspaceId, company, limit) {
      const owner = owners(workspaceId);
      if (owner === null) return [];
      // Some of them, where a company has many.
      const candidates = await candidatesOf(owner, keysOfCompany(company));
      return colleaguesAmong(candidates, company, limit).map((row) => prospectOf(workspaceId, row));
    },
  };
}

/** Who only looks for persons has no use for what is said of them. */
const nothing = new Uint8Array();
