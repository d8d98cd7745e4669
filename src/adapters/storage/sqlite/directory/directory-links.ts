import {
  directoryKeyOf,
  identifiersInRecord,
  maxRecordsOfIdentifier,
} from "../../../../features/prospecting/linked-identifiers.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { identifierName, type Identifier } from "../../../../features/suppression/person-identifiers.ts";
import type { Engine } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { seqOf } from "../../prospect-seq.ts";

/**
 * Identifiers that the records of a directory link. The index responds asynchronously, and a write unit cannot wait for it:
 * what a unit will look up is read in advance and held while it runs.
 */
export class DirectoryLinks {
  readonly #engine: Engine;
  readonly #anyDirectory;
  readonly #contentOf;
  readonly #nextNumber;
  /** By owner and identifier, with the number of holders. */
  readonly #held = new Map<string, { beside: readonly Identifier[]; holders: number }>();

  constructor(engine: Engine) {
    this.#engine = engine;
    const { database } = engine;
    this.#anyDirectory = prepared(database, "SELECT 1 FROM prospect_directories WHERE next_number > 0 LIMIT 1");
    this.#contentOf = prepared<{ content: string }, [number]>(database, "SELECT content FROM prospects WHERE seq = ?");
    this.#nextNumber = prepared<{ next: number }, [number]>(
      database,
      "SELECT next_number AS next FROM prospect_directories WHERE owner = ?",
    );
  }

  /** Whether there is any directory. */
  get isNeeded(): boolean {
    return this.#anyDirectory.get() !== null;
  }

  has(owner: number): boolean {
    return this.#next(owner) > 0;
  }

  /** Identifiers in the same records, if they are held. */
  beside(owner: number, identifier: Identifier): readonly Identifier[] {
    return this.#held.get(nameOf(owner, identifier))?.beside ?? [];
  }

  /** Reads and holds the identifiers linked to these, until the returned function is called. */
  async hold(owner: number, identifiers: readonly Identifier[]): Promise<() => void> {
    const found = await this.#read(owner, identifiers);
    for (const [name, beside] of found)
      this.#held.set(name, { beside, holders: (this.#held.get(name)?.holders ?? 0) + 1 });
    return () => {
      for (const name of found.keys()) {
        const held = this.#held.get(name);
        if (held !== undefined && --held.holders === 0) this.#held.delete(name);
      }
    };
  }

  async #read(owner: number, identifiers: readonly Identifier[]): Promise<Map<string, Identifier[]>> {
    const asked = identifiers.flatMap((identifier) => {
      const key = directoryKeyOf(identifier);
      return key === null ? [] : [{ identifier, key, beside: [] as Identifier[] }];
    });
    if (asked.length === 0) return new Map();
    const keys = asked.map(({ key }) => key);
    const hints = await this.#engine.prospectIndex.find(owner, keys, maxRecordsOfIdentifier, this.#next(owner));
    for (let at = 0; at < hints.length; at += 2) {
      const { identifier, beside } = asked[hints[at]!]!;
      // A hint may come from a previous version of the record.
      const row = this.#contentOf.get(seqOf(owner, hints[at + 1]!));
      if (row !== null) beside.push(...identifiersInRecord(JSON.parse(row.content) as ProspectContent, identifier));
    }
    return new Map(asked.map(({ identifier, beside }) => [nameOf(owner, identifier), beside]));
  }

  #next(owner: number): number {
    return this.#nextNumber.get(owner)?.next ?? 0;
  }
}

function nameOf(owner: number, identifier: Identifier): string {
  return `${owner} ${identifierName(identifier)}`;
}
