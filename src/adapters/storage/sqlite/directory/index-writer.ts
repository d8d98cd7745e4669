import type { Database } from "bun:sqlite";
import { createCompanyNaming } from "./company-names.ts";
import type { IndexWrite } from "./index-messages.ts";
import { eachBlob } from "../../../../lib/concurrency/packed-blobs.ts";
import { segments } from "./postings.ts";

/** Maximum number of rows deleted per write. */
const deleteAtOnce = 1000;
/** Terms deleted per write, each with all of its postings. */
const termsAtOnce = 50;

/** Called inside a write unit: performs a write of the index thread. Returns the number of rows for deletions. */
export function createIndexWriter(database: Database): (owner: number, work: IndexWrite) => number {
  const putTerm = database.prepare(
    `INSERT INTO prospect_terms (owner, facet, value, id, label, prospects) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET prospects = excluded.prospects`,
  );
  const putPostings = database.prepare(
    "INSERT INTO prospect_postings (place, bits) VALUES (?, ?) ON CONFLICT DO UPDATE SET bits = excluded.bits",
  );
  const putPage = database.prepare("INSERT OR REPLACE INTO prospect_key_pages (place, entries) VALUES (?, ?)");
  const putState = database.prepare(
    "UPDATE prospect_directories SET indexed_to = ?, changes_to = ?, key_runs = ?, rules = ? WHERE owner = ?",
  );
  const dropPages = database.prepare(
    "DELETE FROM prospect_key_pages WHERE place IN (SELECT place FROM prospect_key_pages WHERE place BETWEEN ? AND ? LIMIT +?)",
  );
  const dropChanges = database.prepare(
    "DELETE FROM prospect_changes WHERE n IN (SELECT n FROM prospect_changes WHERE owner = ? AND n <= ? LIMIT +?)",
  );
  const someTerms = database.prepare<{ facet: string; value: string; id: number }, [number, number]>(
    "SELECT facet, value, id FROM prospect_terms WHERE owner = ? LIMIT +?",
  );
  const dropTerm = database.prepare("DELETE FROM prospect_terms WHERE owner = ? AND facet = ? AND value = ?");
  const dropPostings = database.prepare("DELETE FROM prospect_postings WHERE place BETWEEN ? AND ?");

  const nameCompanies = createCompanyNaming(database);

  function forgetTerms(owner: number): number {
    const terms = someTerms.all(owner, termsAtOnce);
    for (const { facet, value, id } of terms) {
      dropPostings.run(id * segments, id * segments + segments - 1);
      dropTerm.run(owner, facet, value);
    }
    return terms.length;
  }

  return (owner, work) => {
    switch (work.kind) {
      case "postings":
        for (const { facet, value, id, label, count } of work.terms) putTerm.run(owner, facet, value, id, label, count);
        eachBlob(work.postings, (place, bits) => void putPostings.run(place, bits));
        return work.terms.length;
      case "pages":
        eachBlob(work.pages, (place, entries) => void putPage.run(place, entries));
        return work.pages.places.length;
      case "state":
        putState.run(work.indexedTo, work.changesTo, JSON.stringify(work.keyRuns), work.rules, owner);
        return 1;
      case "dropPages":
        return dropPages.run(work.from, work.to, deleteAtOnce).changes;
      case "dropChanges":
        return dropChanges.run(owner, work.to, deleteAtOnce).changes;
      case "dropTerms":
        return forgetTerms(owner);
      case "companyNames":
        return nameCompanies(owner, work.names);
    }
  };
}
