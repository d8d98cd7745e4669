import type { FacetName } from "../../../../features/prospecting/model.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import type { BatchTerms } from "../../../../features/prospecting/store.ts";
import type { ThreadPort } from "../../../../threads.ts";
import { arraysOfBlobs, type PackedBlobs } from "../../../../lib/concurrency/packed-blobs.ts";

export type FoundNumbers = { total: number; numbers: number[] };
export type FacetValue = { value: string; label: string; count: number };
/** More people of one name and company nobody compares; an e-mail or a profile has one. */
export const maxNamesakes = 8;
/** Pairs of the place of a key in the question and a number that may have it. */
export type KeyHints = Uint32Array;

/** Everything is about the directory of one owner. */
export type IndexQuestion =
  | { kind: "search"; query: TermQuery; offset: number; limit: number }
  | { kind: "facet"; facet: FacetName; text: string; limit: number; query: TermQuery }
  /** At most `most` for each key, among the prospects with numbers before `before`: who asks knows of the others. */
  | { kind: "find"; keys: Float64Array; most: number; before: number }
  /** As `find`, of all keys together: the lowest numbers from `from` on, at most `most`. */
  | { kind: "people"; keys: Float64Array; from: number; most: number; before: number }
  /** Has the index written down as far as it is. */
  | { kind: "flush" };

/** What the thread wants written; it has a connection for reading only. */
export type IndexWrite =
  | { kind: "postings"; terms: TermRow[]; postings: PackedBlobs }
  | { kind: "pages"; pages: PackedBlobs }
  /** The end of a flush: from now on the index is this far. */
  | { kind: "state"; indexedTo: number; changesTo: number; keyRuns: [run: number, entries: number][]; rules: number }
  | { kind: "dropPages"; from: number; to: number }
  | { kind: "dropChanges"; to: number }
  /** Forgets terms of an older set of rules with their postings, some at a time; the answer tells how many there were. */
  | { kind: "dropTerms" }
  /** Companies that are compared by another name now. */
  | { kind: "companyNames"; names: CompanyName[] };

/** `key`: of the company as it is stored. */
export type CompanyName = { key: string; nameKey: string };

/** The memory of a piece of work, which goes with it. */
export function arraysOfWrite(work: IndexWrite): ArrayBufferView<ArrayBuffer>[] {
  if (work.kind === "postings") return arraysOfBlobs(work.postings);
  return work.kind === "pages" ? arraysOfBlobs(work.pages) : [];
}

/** Has a piece of work written, durably; of what is dropped the answer is how many rows it was. */
export type Write = (work: IndexWrite) => Promise<number | null>;
export type TermRow = { facet: string; value: string; id: number; label: string; count: number };

/**
 * Prospects that were just committed: those from `first` on are the rows of a batch with these places; -1 where what is
 * stored is not what the row said. Raw values of one source and epoch share their numbers.
 */
export type StoredRows = { first: number; places: Int32Array; source: string; found: BatchTerms };

export type IndexRequest =
  | { owner: number; stored: StoredRows }
  | { id: number; owner: number; question: IndexQuestion }
  | { written: number; result: number | null };
export type IndexAnswer =
  | { id: number; result: unknown }
  | { id: number; error: string }
  | { write: number; owner: number; work: IndexWrite };

export type IndexThread = {
  task: "prospect-index";
  init: { path: string };
  port: ThreadPort<IndexRequest, IndexAnswer>;
};

/** `seq` of a prospect: those of an owner lie together. */
export function seqOf(owner: number, number: number): number {
  return owner * 2 ** 32 + number;
}
