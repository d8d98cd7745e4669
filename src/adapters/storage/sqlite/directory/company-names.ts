import type { Database } from "bun:sqlite";
import { companyKey } from "../../../../platform/identity/names.ts";
import { renamedKey, unitedCompany } from "../../../../features/prospecting/companies.ts";
import type { CompanyContent } from "../../../../features/prospecting/model.ts";
import type { CompanyName } from "./index-messages.ts";
import { prepared } from "../prepared.ts";

// Companies are stored under the normal form of their name, which changes with the rules.

/** Companies per slice. */
const companiesAtOnce = 500;
type Stored = { key: string; name_key: string | null; content: string };

/** Companies that are stored under an outdated normal form, some at a time. */
export function* changedNames(database: Database, owner: number): Generator<CompanyName[], void, void> {
  const some = prepared<Stored, [number, string, number]>(
    database,
    "SELECT key, name_key, content FROM prospect_companies WHERE owner = ? AND key > ? ORDER BY key LIMIT +?",
  );
  for (let after = "", more = true; more;) {
    const companies = some.all(owner, after, companiesAtOnce);
    more = companies.length === companiesAtOnce;
    after = companies.at(-1)?.key ?? after;
    const names = companies.flatMap(({ key, name_key: before, content }) => {
      const { company } = JSON.parse(content) as CompanyContent;
      const nameKey = company === undefined ? null : companyKey(company);
      return nameKey === null || nameKey === before ? [] : [{ key, nameKey }];
    });
    if (names.length > 0) yield names;
  }
}

/** Called inside a write unit: stores companies under these names. Two with the same name and no website become one. */
export function createCompanyNaming(database: Database): (owner: number, names: readonly CompanyName[]) => number {
  type Dated = { content: string; updated_at: number };
  const one = prepared<Dated, [number, string]>(
    database,
    "SELECT content, updated_at FROM prospect_companies WHERE owner = ? AND key = ?",
  );
  const name = prepared(database, "UPDATE prospect_companies SET key = ?, name_key = ? WHERE owner = ? AND key = ?");
  const unite = prepared(
    database,
    "UPDATE prospect_companies SET content = ?, updated_at = ? WHERE owner = ? AND key = ?",
  );
  const drop = prepared(database, "DELETE FROM prospect_companies WHERE owner = ? AND key = ?");

  function nameOne(owner: number, { key, nameKey }: CompanyName): void {
    const newKey = renamedKey(key, nameKey);
    const company = newKey === key ? null : one.get(owner, key);
    const other = company && one.get(owner, newKey);
    if (company === null || other === null) return void name.run(newKey, nameKey, owner, key);
    const { content, updatedAt } = unitedCompany(datedOf(company), datedOf(other));
    unite.run(JSON.stringify(content), updatedAt, owner, newKey);
    drop.run(owner, key);
  }

  return (owner, names) => {
    for (const each of names) nameOne(owner, each);
    return names.length;
  };
}

function datedOf({ content, updated_at: updatedAt }: { content: string; updated_at: number }) {
  return { content: JSON.parse(content) as CompanyContent, updatedAt };
}
