import type { FacetName } from "../../../../features/prospecting/model.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import type { BatchTerms } from "../../../../features/prospecting/directory-model.ts";
import type { ThreadPort } from "../../../../threads.ts";
import { arraysOfBlobs, type PackedBlobs } from "../../../../lib/concurrency/packed-blobs.ts";

/** Pairs: the index of a key in the question, and a number that may have it. */
export type KeyHints = Uint32Array;

/** All questions concern the directory of one owner. */
export type IndexQuestion =
  | { kind: "search"; query: TermQuery; offset: number; limit: number }
  | { kind: "facet"; facet: FacetName; text: string; limit: number; query: TermQuery }
  | { kind: "sample"; query: TermQuery; size: number }
  | { kind: "matchCounts"; query: TermQuery; lists: string[][] }
  /** At most `most` numbers for each key, below `before`: the caller knows the others. */
  | { kind: "find"; keys: Float64Array; most: number; before: number }
  /** Like `find`, for all keys together: the lowest numbers from `from` on, at most `most`. */
  | { kind: "people"; keys: Float64Array; from: number; most: number; before: number }
  /** Writes the current index to disk. */
  | { kind: "flush" };

/** Writes for the thread, whose own connection is read-only. */
export type IndexWrite =
  | { kind: "postings"; terms: TermRow[]; postings: PackedBlobs }
  | { kind: "pages"; pages: PackedBlobs }
  /** The end of a flush: how far the index on disk is. */
  | { kind: "state"; indexedTo: number; changesTo: number; keyRuns: [run: number, entries: number][]; rules: number }
  | { kind: "dropPages"; from: number; to: number }
  | { kind: "dropChanges"; to: number }
  /** Deletes terms of an older set of rules with their postings, some at a time. The result is how many. */
  | { kind: "dropTerms" }
  /** New names for comparing companies. */
  | { kind: "companyNames"; names: CompanyName[] };

/** `key`: of the stored company. */
export type CompanyName = { key: string; nameKey: string };

/** The memory of a write, for transfer. */
export function arraysOfWrite(work: IndexWrite): ArrayBufferView<ArrayBuffer>[] {
  if (work.kind === "postings") return arraysOfBlobs(work.postings);
  return work.kind === "pages" ? arraysOfBlobs(work.pages) : [];
}

/** Performs a write durably. For deletions, resolves with the number of rows. */
export type Write = (work: IndexWrite) => Promise<number | null>;
export type TermRow = { facet: string; value: string; id: number; label: string; count: number };

/**
 * Prospects that were just committed: those from `first` on are the rows of a batch at these places; -1 if the stored
 * record differs from the row. Raw values of the same source and epoch share their numbers.
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
