import { and, eq } from "drizzle-orm";
import { findCompany } from "../../../../features/prospecting/companies.ts";
import { maxNamesakes, putPerson } from "../../../../features/prospecting/directory-decisions.ts";
import { besideNameOf, personKeys } from "../../../../features/prospecting/keys.ts";
import { colleaguesAmong, keysOfCompany, keysOfPerson, personAmong } from "../../../../features/prospecting/lookups.ts";
import { numberOf } from "../../../../features/prospecting/prospect-id.ts";
import type { ProspectStore } from "../../../../features/prospecting/store.ts";
import { prospectOf, type StoredProspect } from "../../../../features/prospecting/stored-prospect.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";
import type { Connection, Engine } from "../engine.ts";
import { decideLoaded } from "../loaded.ts";
import { LoadedCompanies } from "./company-facts.ts";
import type { DirectoryIndex } from "./directory-index.ts";
import { DirectoryUnit, type Stage } from "./directory-unit.ts";
import { createProspectImports, knownOwner } from "./prospect-imports.ts";
import { createReveals } from "./reveals.ts";
import { loadProspects, numbersByKeys } from "./rows.ts";
import { aliases } from "./tables.ts";

export function createProspectStore(engine: Engine, index: DirectoryIndex): ProspectStore {
  const { orm, transact } = engine;

  /** Runs `change` on a prospect. False when there is none. */
  async function change(
    workspaceId: WorkspaceId,
    id: string,
    change: (stage: Stage, row: StoredProspect) => void,
  ): Promise<boolean> {
    const owner = await engine.ownerOf(workspaceId);
    const number = numberOf(workspaceId, id);
    if (owner === null || number === null) return false;
    const changed = await transact(async (connection) => {
      const unit = await DirectoryUnit.open(connection, owner);
      const known = await knownNumber(connection, owner, number);
      unit.prospects.expect([known]);
      const isFound = await unit.decide((stage) => {
        const row = stage.get(known);
        if (row !== null) change(stage, row);
        return row !== null;
      });
      return isFound && { unfolded: await unit.write() };
    });
    if (changed === false) return false;
    index.written(owner, changed.unfolded);
    return true;
  }

  const put: ProspectStore["put"] = async (workspaceId, found, at) => {
    const owner = await knownOwner(orm, workspaceId);
    await index.prepare(owner);
    const { stored, unfolded } = await transact(async (connection) => {
      const unit = await DirectoryUnit.open(connection, owner);
      for (const { identity } of found) unit.prospects.expectPerson(personKeys(identity), besideNameOf(identity));
      const rows = await unit.decide((stage) =>
        found.map((each) => prospectOf(workspaceId, stage.get(putPerson(stage.records, each, at))!)),
      );
      return { stored: rows, unfolded: await unit.write() };
    });
    index.written(owner, unfolded);
    return stored;
  };

  /** People whom the keys lead to, those of the first key first. */
  async function candidatesOf(owner: number, keys: readonly number[]): Promise<StoredProspect[]> {
    await index.prepare(owner);
    const byKey = await numbersByKeys(orm, owner, keys, maxNamesakes);
    const numbers = [...new Set(keys.flatMap((key) => byKey.get(key) ?? []))];
    const rows = await loadProspects(orm, owner, numbers);
    return numbers.flatMap((number) => rows.get(number) ?? []);
  }

  return {
    async search(question) {
      const { total, rows } = await index.search(question);
      return { total, prospects: rows.map((row) => prospectOf(question.workspaceId, row)) };
    },
    facet: (question) => index.facet(question),
    async sample({ workspaceId, query, size }) {
      return (await index.sample(workspaceId, query, size)).map((row) => prospectOf(workspaceId, row));
    },
    matchCounts: (request) => index.matchCounts(request),
    async get(workspaceId, id) {
      const owner = await engine.ownerOf(workspaceId);
      const number = numberOf(workspaceId, id);
      if (owner === null || number === null) return null;
      const known = await knownNumber(orm, owner, number);
      const row = (await loadProspects(orm, owner, [known])).get(known);
      return row === undefined ? null : prospectOf(workspaceId, row);
    },
    remove: (workspaceId, id) => change(workspaceId, id, (stage, row) => stage.remove(row)),
    async setLead(workspaceId, id, leadId) {
      await change(workspaceId, id, (stage, { number }) => stage.setLead(number, leadId));
    },
    put,
    ...createReveals(engine),
    ...createProspectImports(engine, index),
    async settle(workspaceId) {
      const owner = await engine.ownerOf(workspaceId);
      if (owner !== null) await index.settle(owner);
    },
    async findPerson(workspaceId, identity) {
      const owner = await engine.ownerOf(workspaceId);
      if (owner === null) return null;
      const person = personAmong(await candidatesOf(owner, keysOfPerson(identity)), identity);
      return person && prospectOf(workspaceId, person);
    },
    async findCompany(workspaceId, { domain, name }) {
      const owner = await engine.ownerOf(workspaceId);
      if (owner === null) return null;
      // Companies go by their names as they are compared now.
      await index.prepare(owner);
      const companies = await LoadedCompanies.open(orm, owner);
      const known = await decideLoaded(() => findCompany(companies.facts, domain, name), companies);
      return known?.content ?? null;
    },
    async colleagues(workspaceId, company, limit) {
      const owner = await engine.ownerOf(workspaceId);
      if (owner === null) return [];
      const candidates = await candidatesOf(owner, keysOfCompany(company));
      return colleaguesAmong(candidates, company, limit).map((row) => prospectOf(workspaceId, row));
    },
  };
}

/** The number under which a record is stored now: it may have been merged into another one. */
async function knownNumber(connection: Connection, owner: number, number: number): Promise<number> {
  const [alias] = await connection
    .select({ into: aliases.intoNumber })
    .from(aliases)
    .where(and(eq(aliases.owner, owner), eq(aliases.number, number)));
  return alias?.into ?? number;
}
