import { and, desc, eq, inArray, sql } from "drizzle-orm";
import {
  companyOfEmployer,
  decideCompany,
  findCompany,
  type CompanyChange,
  type CompanyFacts,
  type KnownCompany,
} from "../../../../features/prospecting/companies.ts";
import type { DirectoryRecords } from "../../../../features/prospecting/directory-decisions.ts";
import type { CompanyContent } from "../../../../features/prospecting/model.ts";
import type { Connection } from "../engine.ts";
import { loadAll, Loaded, type FactSource } from "../loaded.ts";
import { companies } from "./tables.ts";

type Records = Pick<DirectoryRecords, "hasCompanies" | "findCompany" | "companyOf" | "putCompany">;

/** The companies of a directory, loaded as decisions ask for them. */
export class LoadedCompanies implements FactSource {
  readonly #connection: Connection;
  readonly #owner: number;
  readonly #hasAny: boolean;
  readonly #byKey = new Loaded<string, CompanyContent | null>({
    provisional: null,
    nameOf: String,
    fetch: (keys) => this.#loadByKeys(keys),
  });
  readonly #byName = new Loaded<string, KnownCompany | null>({
    provisional: null,
    nameOf: String,
    fetch: (names) => this.#loadByNames(names),
  });

  static async open(connection: Connection, owner: number): Promise<LoadedCompanies> {
    const rows = await connection
      .select({ one: sql`1` })
      .from(companies)
      .where(eq(companies.owner, owner))
      .limit(1);
    return new LoadedCompanies(connection, owner, rows.length > 0);
  }

  constructor(connection: Connection, owner: number, hasAny: boolean) {
    this.#connection = connection;
    this.#owner = owner;
    this.#hasAny = hasAny;
  }

  /** As they are stored. */
  get facts(): CompanyFacts {
    // Who asks about a directory without companies is not worth a statement.
    if (!this.#hasAny) return { byKey: () => null, byName: () => null };
    return { byKey: (key) => this.#byKey.get(key), byName: (nameKey) => this.#byName.get(nameKey) };
  }

  get hasAny(): boolean {
    return this.#hasAny;
  }

  get isMissing(): boolean {
    return this.#byKey.isMissing || this.#byName.isMissing;
  }

  load(): Promise<boolean> {
    return loadAll([this.#byKey, this.#byName]);
  }

  async #loadByKeys(keys: readonly string[]): Promise<Map<string, CompanyContent>> {
    const rows = await this.#connection
      .select({ key: companies.key, content: companies.content })
      .from(companies)
      .where(and(eq(companies.owner, this.#owner), inArray(companies.key, [...keys])));
    return new Map(rows.map(({ key, content }) => [key, contentOf(content)]));
  }

  async #loadByNames(names: readonly string[]): Promise<Map<string, KnownCompany>> {
    const rows = await this.#connection
      .select({ nameKey: companies.nameKey, key: companies.key, content: companies.content })
      .from(companies)
      .where(and(eq(companies.owner, this.#owner), inArray(companies.nameKey, [...names])))
      .orderBy(desc(companies.key));
    // The first one of each name comes last.
    return new Map(rows.map(({ nameKey, key, content }) => [nameKey!, { key, content: contentOf(content) }]));
  }
}

/** Companies with the changes of a decision, which are written at its end. */
export class StagedCompanies {
  readonly #stored: LoadedCompanies;
  /** By key. Null: the company has another key now. */
  readonly #changed = new Map<string, { nameKey: string | null; content: CompanyContent } | null>();
  /** Keys by the name that companies have, or had before another change. */
  readonly #named = new Map<string | null, Set<string>>();
  #at = 0;

  constructor(stored: LoadedCompanies) {
    this.#stored = stored;
  }

  get records(): Records {
    const find: DirectoryRecords["findCompany"] = (domain, name) => findCompany(this.#facts, domain, name);
    return {
      hasCompanies: () => this.#stored.hasAny || this.#changed.size > 0,
      findCompany: find,
      companyOf: (employer) =>
        this.#stored.hasAny || this.#changed.size > 0 ? companyOfEmployer(find, employer) : null,
      putCompany: (content, at, mayUpdate) => {
        const existing = find(content.domain ?? null, content.company ?? null);
        const { outcome, change } = decideCompany(existing, content, mayUpdate);
        if (change !== null) this.#stage(change, at);
        return outcome;
      },
    };
  }

  async write(connection: Connection, owner: number): Promise<void> {
    const gone = [...this.#changed].flatMap(([key, company]) => (company === null ? [key] : []));
    if (gone.length > 0)
      await connection.delete(companies).where(and(eq(companies.owner, owner), inArray(companies.key, gone)));
    const at = this.#at;
    const rows = [...this.#changed].flatMap(([key, company]) =>
      company === null
        ? []
        : [
            {
              owner,
              key,
              nameKey: company.nameKey,
              content: JSON.stringify(company.content),
              createdAt: at,
              updatedAt: at,
            },
          ],
    );
    if (rows.length === 0) return;
    const set = {
      nameKey: sql.raw("excluded.name_key"),
      content: sql.raw("excluded.content"),
      updatedAt: sql.raw("excluded.updated_at"),
    };
    await connection
      .insert(companies)
      .values(rows)
      .onConflictDoUpdate({ target: [companies.owner, companies.key], set });
  }

  get #facts(): CompanyFacts {
    const stored = this.#stored.facts;
    return {
      byKey: (key) => (this.#changed.has(key) ? (this.#changed.get(key)?.content ?? null) : stored.byKey(key)),
      byName: (nameKey) => {
        const known = stored.byName(nameKey);
        const isAsStored = known !== null && !this.#changed.has(known.key);
        const staged = [...(this.#named.get(nameKey) ?? [])].flatMap((key) => {
          const company = this.#changed.get(key);
          return company?.nameKey === nameKey ? [{ key, content: company.content }] : [];
        });
        const all = [...(isAsStored ? [known] : []), ...staged];
        return all.toSorted((a, b) => (a.key < b.key ? -1 : 1))[0] ?? null;
      },
    };
  }

  #stage({ key, newKey, nameKey, content }: CompanyChange, at: number): void {
    if (newKey !== key) this.#changed.set(key, null);
    this.#changed.set(newKey, { nameKey, content });
    this.#named.set(nameKey, (this.#named.get(nameKey) ?? new Set()).add(newKey));
    this.#at = at;
  }
}

function contentOf(json: string): CompanyContent {
  return JSON.parse(json) as CompanyContent;
}
