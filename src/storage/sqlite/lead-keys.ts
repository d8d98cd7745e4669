import type { Statement } from "bun:sqlite";
import { asc, lte, max, sql } from "drizzle-orm";
import type { LeadIdentity } from "../../leads/model.ts";
import type { Engine } from "./engine.ts";
import { leadKeysLog } from "./tables.ts";

/** Entries that wait in the log before they are merged; in memory they take some 6 MB. */
const mergeAt = 50_000;
/** Sorted entries written in one unit: about 5 ms of the event loop in a large table. */
const mergeSlice = 1_000;
const forgetSlice = 5_000;
/** Leads under one key that are looked at; more would be copies of one person, or namesakes at one company. */
const maxSame = 20;

/**
 * Finds leads by the hashes of what identifies them. A sorted table alone would dirty a random page for each key of
 * each new lead, which makes an import of a million rows slower by a factor of five; so new entries go to a log, which
 * is also kept in memory, and are merged in sorted order, when many of them share a page.
 *
 * Answers are hints: an entry may outlive its lead, or what the lead was. Follow it and compare.
 */
export class LeadKeys {
  readonly #engine: Engine;
  // Plain statements: these run three times for each row of an import, and drizzle would double what they cost.
  readonly #inTable: Statement<[number]>;
  readonly #append: Statement;
  readonly #insert: Statement;
  readonly #removeFromTable: Statement;
  readonly #removeFromLog: Statement;
  /** Entries of the log: those that came since the last merge began, and those that are being merged. Null: not read yet. */
  #recent: Map<number, number[]> | null = null;
  #merging: ReadonlyMap<number, number[]> = new Map();
  #recentCount = 0;
  #merge: Promise<void> | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
    const { database } = engine;
    this.#inTable = database.prepare(`SELECT lead FROM lead_keys WHERE key = ? LIMIT ${maxSame}`);
    this.#append = database.prepare("INSERT INTO lead_keys_log (key, lead) VALUES (?, ?)");
    this.#insert = database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)");
    this.#removeFromTable = database.prepare("DELETE FROM lead_keys WHERE key = ? AND lead = ?");
    this.#removeFromLog = database.prepare("DELETE FROM lead_keys_log WHERE key = ? AND lead = ?");
  }

  /** Leads (`seq`) that may have this key. */
  find(key: number): number[] {
    const merged = this.#inTable.values(key) as [number][];
    const merging = this.#merging.get(key);
    const recent = this.#recentEntries().get(key);
    if (merged.length === 0 && merging === undefined && recent === undefined) return [];
    return [...merged.map(([lead]) => lead), ...(merging ?? []), ...(recent ?? [])];
  }

  /** Inside a write unit. */
  add(key: number, lead: number): void {
    this.#append.run(key, lead);
    this.#remember(this.#recentEntries(), key, lead);
    if (this.#recentCount >= mergeAt && this.#merge === null) this.#startMerge();
  }

  /** Inside a write unit; for leads that are deleted for good. */
  remove(key: number, lead: number): void {
    this.#removeFromTable.run(key, lead);
    // Looks through the whole log, which is short, and only when the entry may be there.
    if (this.#recentEntries().has(key) || this.#merging.has(key)) this.#removeFromLog.run(key, lead);
  }

  /** Resolves when there is room for more: whoever adds many entries waits for it before each batch. */
  async room(): Promise<void> {
    if (this.#recentCount >= mergeAt) await this.#merge;
  }

  /** Resolves when no merge is under way. */
  async settled(): Promise<void> {
    await this.#merge;
  }

  #recentEntries(): Map<number, number[]> {
    if (this.#recent !== null) return this.#recent;
    this.#recent = new Map();
    for (const { key, lead } of this.#engine.orm.select().from(leadKeysLog).all()) this.#remember(this.#recent, key, lead);
    return this.#recent;
  }

  #remember(entries: Map<number, number[]>, key: number, lead: number): void {
    const leads = entries.get(key);
    if (leads === undefined) entries.set(key, [lead]);
    else leads.push(lead);
    this.#recentCount++;
  }

  #startMerge(): void {
    this.#merge = this.#mergeLog()
      .catch(() => {
        // The log still has all of them: it is read anew, and the next merge takes them along.
        this.#merging = new Map();
        this.#recent = null;
        this.#recentCount = 0;
      })
      .finally(() => (this.#merge = null));
  }

  async #mergeLog(): Promise<void> {
    const { orm, writer, reader } = this.#engine;
    const upTo = await writer.write(() => {
      this.#merging = this.#recentEntries();
      this.#recent = new Map();
      this.#recentCount = 0;
      return orm.select({ n: max(leadKeysLog.n) }).from(leadKeysLog).get()?.n ?? 0;
    });
    const inOrder = orm.select().from(leadKeysLog).where(lte(leadKeysLog.n, upTo)).orderBy(asc(leadKeysLog.key));
    const entries = await reader.all<{ key: number; lead: number }>(inOrder.toSQL());
    for (let start = 0; start < entries.length; start += mergeSlice)
      await writer.write(() => {
        for (const { key, lead } of entries.slice(start, start + mergeSlice)) this.#insert.run(key, lead);
      });
    this.#merging = new Map();
    const some = orm.select({ n: leadKeysLog.n }).from(leadKeysLog).where(lte(leadKeysLog.n, upTo)).limit(forgetSlice);
    for (let removed = forgetSlice; removed === forgetSlice; )
      removed = await writer.write(
        () => orm.delete(leadKeysLog).where(sql`${leadKeysLog.n} IN ${some}`).returning({ n: leadKeysLog.n }).all().length,
      );
  }
}

/** The hashes under which a lead of an owner is found; none for what it lacks. */
export function leadKeysOf(owner: number, { email, network, name }: LeadIdentity): { strong: number[]; name: number | null } {
  const strong: number[] = [];
  if (email !== null) strong.push(emailKey(owner, email));
  if (network !== null) strong.push(hashOf(`${owner}\np\n${network}`));
  return { strong, name: name === null ? null : hashOf(`${owner}\nn\n${name}`) };
}

/** The hash of an e-mail address in lower case. */
export function emailKey(owner: number, email: string): number {
  return hashOf(`${owner}\ne\n${email}`);
}

/** 53 bits, which a number holds exactly. It is stored, so it has to be a hash that never changes. */
function hashOf(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n);
}
