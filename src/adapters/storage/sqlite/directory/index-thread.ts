import type { Database } from "bun:sqlite";
import { totalmem } from "node:os";
import { freeMemory, garbageCollector } from "../../../../lib/concurrency/garbage.ts";
import { pause } from "../../../../lib/concurrency/pause.ts";
import { finished } from "../../../../lib/concurrency/slices.ts";
import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import { openForReading } from "../open.ts";
import type { Container } from "../../../../lib/search-index/container.ts";
import { DirectoryIndex, type Shared } from "./directory-index.ts";
import {
  arraysOfWrite,
  type IndexQuestion,
  type IndexRequest,
  type IndexThread,
  type IndexWrite,
  type Write,
} from "./index-messages.ts";
import { FoundCache } from "./found-cache.ts";
import { pagesOfRun } from "../../../../lib/key-index/key-pages.ts";
import type { RunState } from "../../../../lib/key-index/key-runs.ts";
import { dropRuns } from "./key-run-pages.ts";
import { PostingsCache, segments } from "./postings.ts";
import {
  facetValues,
  foundNumbers,
  matchCounts,
  matches,
  sampleNumbers,
} from "../../../../features/prospecting/facets/search.ts";

/** During an import, about 8,000 prospects, which leave a few MB. */
const slicesBetweenCollections = 8;
const slicesBetweenFullCollections = 24;
/**
 * Memory for postings and for the matches of recent queries: at least about 500 frequent terms and 200 queries among a
 * million prospects, and with enough memory, as many among several million.
 */
const cacheBytes = shareOfMemory(1 / 16, { least: 64 * 2 ** 20, most: 256 * 2 ** 20 });
const foundBytes = shareOfMemory(1 / 64, { least: 16 * 2 ** 20, most: 64 * 2 ** 20 });

/** The other end of `ProspectIndex`. Questions about a directory are answered one after the other. */
export function runIndexThread(port: IndexThread["port"], { path }: IndexThread["init"]): void {
  const database = openForReading(path);
  database.run("PRAGMA cache_size = -2048"); // it keeps what it needs again itself
  const shared = sharedParts(database);
  const cache = new FoundCache(foundBytes);
  const indexes = new Map<number, { index: DirectoryIndex; find: Find; last: Promise<unknown> }>();
  const writing = new Map<number, { resolve: (result: number | null) => void; reject: (reason: Error) => void }>();
  let lastWrite = 0;

  const write = (owner: number, work: IndexWrite): Promise<number | null> =>
    new Promise((resolve, reject) => {
      writing.set(++lastWrite, { resolve, reject });
      port.post(
        { write: lastWrite, owner, work },
        arraysOfWrite(work).map(({ buffer }) => buffer),
      );
    });

  function indexOf(owner: number) {
    let entry = indexes.get(owner);
    if (entry === undefined) {
      const ofOwner: Write = (work) => write(owner, work);
      const index = new DirectoryIndex(database, owner, ofOwner, shared);
      const find: Find = (query) =>
        cache.get(owner, index.revision, query, () => finished(matches(index.postings, query, index.segments)));
      entry = { index, find, last: Promise.resolve() };
      indexes.set(owner, entry);
    }
    return entry;
  }

  const swept = dropOrphans(database, (work) => write(noOwner, work)).catch(() => undefined); // the next start tries again

  port.onMessage((request) => {
    if ("written" in request) {
      const waiting = writing.get(request.written);
      writing.delete(request.written);
      if (request.result === null) waiting?.reject(new Error("The index could not be written"));
      else waiting?.resolve(request.result);
      return;
    }
    if ("stored" in request) return indexOf(request.owner).index.take(request.stored);
    void answerInTurn(request);
  });

  /** Never rejects. */
  async function answerInTurn({ id, owner, question }: Extract<IndexRequest, { id: number }>): Promise<void> {
    const entry = indexOf(owner);
    const inTurn = <T>(work: () => T): Promise<Awaited<T>> => {
      const done = entry.last.then(work);
      entry.last = done.catch(() => undefined); // the next question is answered in any case
      return done as Promise<Awaited<T>>;
    };
    try {
      // Searches are served between two slices.
      if (question.kind === "find") while (entry.index.isToBePrepared) await inTurn(() => entry.index.prepare());
      if (question.kind === "flush") void inTurn(() => swept);
      port.post({ id, result: await inTurn(() => answerTo(question, entry.index, entry.find)) });
    } catch (error) {
      port.post({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }
}

/** Memory of the machine, or of the container. */
function shareOfMemory(share: number, { least, most }: { least: number; most: number }): number {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.min(Math.max(memory * share, least), most);
}

/** Owner of writes that concern only runs. */
const noOwner = 0;

/** Deletes runs left by a crash: on disk, but not part of any directory yet, or no longer. */
async function dropOrphans(database: Database, write: Write): Promise<void> {
  const known = new Set(
    database
      .query<{ key_runs: string }, []>("SELECT key_runs FROM prospect_directories")
      .all()
      .flatMap(({ key_runs }) => (JSON.parse(key_runs) as RunState[]).map(([run]) => run)),
  );
  const next = database.prepare<{ place: number }, [number]>(
    "SELECT place FROM prospect_key_pages WHERE place >= ? ORDER BY place LIMIT 1",
  );
  const orphans: number[] = [];
  for (let page = next.get(0); page !== null;) {
    const run = Math.floor(page.place / pagesOfRun);
    if (!known.has(run)) orphans.push(run);
    page = next.get((run + 1) * pagesOfRun);
  }
  await dropRuns(orphans, write);
}

/** Matches, segment by segment. */
type Find = (query: TermQuery) => Container[];

async function answerTo(question: IndexQuestion, index: DirectoryIndex, find: Find): Promise<unknown> {
  await index.refresh("before" in question ? question.before : Number.POSITIVE_INFINITY);
  if (question.kind === "people") return index.lowest(question.keys, question.from, question.most);
  if (question.kind === "find") {
    const hints = index.find(question.keys, question.most);
    freeMemory([question.keys]);
    return hints;
  }
  if (question.kind === "flush") return index.flush();
  const { postings } = index;
  const { query } = question;
  switch (question.kind) {
    case "search":
      return foundNumbers(postings, find(query), question.offset, question.limit);
    case "sample":
      return sampleNumbers(find(query), question.size);
    case "matchCounts":
      return finished(matchCounts(postings, find(query), question.lists));
    case "facet": {
      const isNarrow = query.groups.length > 0 || query.none.length > 0;
      const found = isNarrow ? find(query) : null;
      return finished(facetValues(postings, question.facet, question.text, question.limit, found));
    }
  }
}

/** IDs of terms and runs are assigned only here, and never twice: those above the last one on disk are free. */
function sharedParts(database: Database): Shared {
  const last = (table: string): number =>
    database.query<{ place: number | null }, []>(`SELECT max(place) AS place FROM ${table}`).get()?.place ?? 0;
  let term = Math.floor(last("prospect_postings") / segments);
  let run = Math.floor(last("prospect_key_pages") / pagesOfRun);
  return {
    cache: new PostingsCache(database, cacheBytes),
    nextTerm: () => ++term,
    nextRun: () => ++run,
    collect: garbageCollector(slicesBetweenCollections, slicesBetweenFullCollections),
    pause,
  };
}
