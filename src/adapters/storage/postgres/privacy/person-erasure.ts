import { and, asc, eq, inArray, isNotNull, or } from "drizzle-orm";
import { funnelChange, summed } from "../../../../features/campaigns/funnel-marks.ts";
import { nextVersion, type StoredLead } from "../../../../features/leads/decisions.ts";
import { leadIdentity } from "../../../../features/leads/identity.ts";
import {
  erasedAction,
  erasedJob,
  erasedValues,
  erasureOf,
  redactedLead,
} from "../../../../features/privacy/decisions.ts";
import { mentionsOf, type Mentions } from "../../../../features/privacy/mentions.ts";
import type { PersonIdentity, PersonRecord } from "../../../../features/privacy/model.ts";
import type { Values } from "../../../../features/privacy/place-model.ts";
import type { ErasedRecords, PersonStore } from "../../../../features/privacy/store.ts";
import { openStates } from "../../../../features/network/action-model.ts";
import { cancelAction, isUnderWay } from "../../../../features/network/decisions/ending.ts";
import { placeOfSeq, seqOf } from "../../prospect-seq.ts";
import { addFunnelChanges } from "../campaign-funnel.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import type { DirectoryIndex } from "../directory/directory-index.ts";
import { DirectoryUnit } from "../directory/directory-unit.ts";
import type { Connection, Engine } from "../engine.ts";
import { writeLeadChanges } from "../lead-changes.ts";
import { storedLead } from "../lead-facts.ts";
import { writeChanges } from "../network-changes.ts";
import { networkActions } from "../network-tables.ts";
import { transactAnew } from "../outdated.ts";
import { jobs, leads, suppressions } from "../tables.ts";
import { lockParents, type LockedParents } from "./erasure-locks.ts";
import { currentSeqs } from "./person-identity.ts";
import { haveKeys, overwriteRows, removeRows, selectRows, type PlaceRow } from "./place-rows.ts";
import { listsOf, ownerSql, ownSql, type PersonLists } from "./place-sql.ts";
import { storedPlaces, type StoredPlace } from "./stored-places.ts";

/** See `PersonStore.erase`. */
export function createErase(engine: Engine, index: DirectoryIndex): PersonStore["erase"] {
  return async (identity, records, at) => {
    const { result, unfolded } = await transactAnew(engine, (connection) =>
      new PageErasure(engine, connection, identity, at).run(records),
    );
    for (const [owner, prospects] of unfolded) index.written(owner, prospects);
    return result;
  };
}

/** Erases rows in one transaction, each as it is once it is locked, whatever it was when it was found. */
class PageErasure {
  readonly #connection: Connection;
  readonly #lists: PersonLists;
  readonly #mentions: Mentions;
  readonly #at: number;
  readonly #result: ErasedRecords = { erased: {}, inProgress: 0 };
  /** Prospects that wait for the next fold, by directory. */
  readonly #unfolded = new Map<number, number>();

  constructor({ phoneRegion }: Engine, connection: Connection, identity: PersonIdentity, at: number) {
    this.#connection = connection;
    this.#lists = listsOf(identity, phoneRegion);
    this.#mentions = mentionsOf(identity);
    this.#at = at;
  }

  async run(
    records: readonly PersonRecord[],
  ): Promise<{ result: ErasedRecords; unfolded: ReadonlyMap<number, number> }> {
    const byPlace = Map.groupBy(records, ({ place }) => place);
    for (const name of byPlace.keys())
      if (!storedPlaces.some((place) => place.name === name)) throw new Error(`There is no place ${name}`);
    const parents = await lockParents(this.#connection, byPlace);
    for (const place of storedPlaces) {
      const found = byPlace.get(place.name) ?? [];
      if (found.length === 0) continue;
      if (place.erase === "prospect") await this.#removeProspects(place, found);
      else await this.#eraseRows(place, found, parents);
    }
    return { result: this.#result, unfolded: this.#unfolded };
  }

  async #eraseRows(place: StoredPlace, found: readonly PersonRecord[], parents: LockedParents): Promise<void> {
    const rows = await selectRows(this.#connection, place, {
      owner: ownerSql(place),
      isOwn: ownSql(place, this.#lists),
      where: haveKeys(
        place,
        found.map(({ key }) => key),
      ),
      isLocked: true,
    });
    const erased: PlaceRow[] = [];
    const redacted: { row: PlaceRow; texts: Values }[] = [];
    for (const row of rows) {
      const erasure = erasureOf(place, row, this.#mentions);
      if (erasure?.kind === "erase") erased.push(row);
      else if (erasure?.kind === "redact") redacted.push({ row, texts: erasure.texts });
    }
    this.#count(place, await this.#erase(place, erased, parents));
    if (place.erase === "lead") await this.#rewriteLeads(redacted.map(({ row }) => row));
    else for (const { row, texts } of redacted) await overwriteRows(this.#connection, place, [row.key], texts);
    this.#count(place, redacted.length);
  }

  /** Returns how many rows changed. */
  async #erase(place: StoredPlace, rows: readonly PlaceRow[], parents: LockedParents): Promise<number> {
    if (rows.length === 0) return 0;
    const ids = rows.map(({ key: [id] }) => String(id));
    switch (place.erase) {
      case "action":
        return this.#blankActions(ids, parents);
      case "lead":
        return this.#removeLeads(rows);
      case "suppression":
        return this.#forgetValues(ids);
      default:
        await this.#eraseAlike(place, rows);
        return rows.length;
    }
  }

  async #eraseAlike(place: StoredPlace, rows: readonly PlaceRow[]): Promise<void> {
    const keys = rows.map(({ key }) => key);
    const { erase } = place;
    if (typeof erase === "string") await removeRows(this.#connection, place, keys);
    else if (typeof erase === "object") await overwriteRows(this.#connection, place, keys, erase);
    else
      await this.#counted(place, keys, async () => {
        for (const { key, fields } of rows)
          await overwriteRows(this.#connection, place, [key], erasedValues(erase, fields as Values));
      });
  }

  /** An active enrollment ends when it is erased, and counts as such. */
  async #counted({ name }: StoredPlace, keys: readonly PlaceRow["key"][], erase: () => Promise<void>): Promise<void> {
    if (name !== "enrollments") return erase();
    const ids = keys.map(([id]) => String(id));
    const read = () =>
      this.#connection
        .select()
        .from(campaignEnrollments)
        .where(inArray(campaignEnrollments.id, ids))
        .orderBy(asc(campaignEnrollments.id));
    const before = await read();
    await erase();
    const after = await read();
    const changes = before.flatMap((each, n) => funnelChange(each, after[n] ?? null));
    await addFunnelChanges(this.#connection, summed(changes));
  }

  /** The actions still count against the caps of their accounts. Pending ones are canceled. */
  async #blankActions(jobIds: readonly string[], { targets }: LockedParents): Promise<number> {
    const own = targets.filter(({ row }) => jobIds.includes(row.jobId));
    const stopped = own.filter(({ row }) => !isUnderWay(row));
    this.#result.inProgress += own.length - stopped.length;
    if (stopped.length === 0) return 0;
    const connection = this.#connection;
    const canceled = stopped.filter(({ row }) => openStates.includes(row.state));
    await writeChanges(
      connection,
      canceled.flatMap((target) => cancelAction(target, this.#at)),
    );
    const stoppedIds = stopped.map(({ row }) => row.jobId);
    await connection.update(networkActions).set(erasedAction).where(inArray(networkActions.jobId, stoppedIds));
    for (const job of await connection.select().from(jobs).where(inArray(jobs.id, stoppedIds)))
      await connection.update(jobs).set(erasedJob(job)).where(eq(jobs.id, job.id));
    return stopped.length;
  }

  async #removeLeads(rows: readonly PlaceRow[]): Promise<number> {
    const found = await this.#storedLeads(rows);
    for (const { owner, stored } of found)
      await writeLeadChanges(this.#connection, owner, [{ kind: "remove", stored }]);
    return found.length;
  }

  /** Leads about somebody else. */
  async #rewriteLeads(rows: readonly PlaceRow[]): Promise<void> {
    for (const { owner, stored } of await this.#storedLeads(rows)) {
      const lead = nextVersion(stored.lead, redactedLead(stored.lead, this.#mentions), this.#at);
      const identity = leadIdentity(stored.lead);
      await writeLeadChanges(this.#connection, owner, [{ kind: "replace", before: stored, lead, identity }]);
    }
  }

  async #storedLeads(rows: readonly PlaceRow[]): Promise<{ owner: number; stored: StoredLead }[]> {
    if (rows.length === 0) return [];
    const workspaceIds = new Map(rows.map(({ key: [id], workspaceId }) => [String(id), workspaceId ?? ""]));
    const found = await this.#connection
      .select()
      .from(leads)
      .where(inArray(leads.id, [...workspaceIds.keys()]))
      .orderBy(asc(leads.id));
    return found.map((row) => ({ owner: row.owner, stored: storedLead(row, workspaceIds.get(row.id)!) }));
  }

  async #forgetValues(ids: readonly string[]): Promise<number> {
    const forgotten = await this.#connection
      .update(suppressions)
      .set({ value: null, reason: null })
      .where(and(inArray(suppressions.id, [...ids]), or(isNotNull(suppressions.value), isNotNull(suppressions.reason))))
      .returning({ id: suppressions.id });
    return forgotten.length;
  }

  /** Records that were merged since are removed with what they were merged into, which is about the same person. */
  async #removeProspects(place: StoredPlace, found: readonly PersonRecord[]): Promise<void> {
    const byOwner = Map.groupBy(found, ({ key: [owner] }) => Number(owner));
    for (const [owner, records] of [...byOwner].toSorted(([one], [other]) => one - other)) {
      const unit = await DirectoryUnit.open(this.#connection, owner);
      const seqs = records.map(({ key: [, number] }) => seqOf(owner, Number(number)));
      const numbers = (await currentSeqs(this.#connection, seqs)).map((seq) => placeOfSeq(seq).number);
      unit.prospects.expect(numbers);
      const removed = await unit.decide((stage) => {
        const rows = numbers.flatMap((number) => stage.get(number) ?? []);
        for (const row of rows) stage.remove(row);
        return rows.length;
      });
      this.#unfolded.set(owner, await unit.write());
      this.#count(place, removed);
    }
  }

  #count({ name }: StoredPlace, rows: number): void {
    if (rows > 0) this.#result.erased[name] = (this.#result.erased[name] ?? 0) + rows;
  }
}
