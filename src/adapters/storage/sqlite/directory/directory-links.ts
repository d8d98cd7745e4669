import { canonicalProfileUrl } from "../../../../platform/identity/profile-url.ts";
import { emailKey, networkKey } from "../../../../features/prospecting/keys.ts";
import { canonicalEmail } from "../../../../platform/identity/email.ts";
import { canLink, identifierName, type Identifier } from "../../../../features/suppression/person-identifiers.ts";
import type { Engine } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { seqOf } from "./index-messages.ts";

/** An identifier with more records than this is shared by many people, and links none of them. */
const maxRecords = 24;

/**
 * Identifiers that the records of a directory link. The index responds asynchronously, and a write unit cannot wait for it:
 * what a unit will look up is read in advance and held while it runs. Phone numbers do not link people here, because the
 * phone number in a directory is often that of the company.
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
    const found = await this.#read(owner, identifiers.filter(isAsked));
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
    if (identifiers.length === 0) return new Map();
    const hints = await this.#engine.prospectIndex.find(owner, identifiers.map(keyOf), maxRecords, this.#next(owner));
    const found = new Map(identifiers.map((identifier) => [nameOf(owner, identifier), [] as Identifier[]]));
    for (let at = 0; at < hints.length; at += 2) {
      const identifier = identifiers[hints[at]!]!;
      const record = this.#identifiersOf(owner, hints[at + 1]!);
      // A hint may be wrong, or come from a previous version of the record.
      if (record.some((each) => identifierName(each) === identifierName(identifier)))
        found.get(nameOf(owner, identifier))!.push(...record);
    }
    return found;
  }

  #identifiersOf(owner: number, number: number): Identifier[] {
    const row = this.#contentOf.get(seqOf(owner, number));
    if (row === null) return [];
    const { email, networkUrl, formerEmails = [] } = JSON.parse(row.content) as Content;
    const profile = networkUrl === undefined ? null : canonicalProfileUrl(networkUrl);
    return [
      ...(email === undefined ? [] : [{ kind: "email", value: canonicalEmail(email) } as const]),
      ...(profile === null ? [] : [{ kind: "profile", value: profile } as const]),
      ...formerEmails.map((former) => ({ kind: "formerEmail", value: canonicalEmail(former) }) as const),
    ];
  }

  #next(owner: number): number {
    return this.#nextNumber.get(owner)?.next ?? 0;
  }
}

type Content = { email?: string; networkUrl?: string; formerEmails?: string[] };

function isAsked(identifier: Identifier): boolean {
  return identifier.kind !== "phone" && canLink(identifier);
}

function nameOf(owner: number, identifier: Identifier): string {
  return `${owner} ${identifierName(identifier)}`;
}

function keyOf({ kind, value }: Identifier): number {
  return kind === "profile" ? networkKey(value) : emailKey(value);
}
