import type { TermQuery } from "../../../../features/prospecting/facets/query.ts";
import type { Container } from "../../../../lib/search-index/container.ts";

type Found = { revision: number; containers: Container[]; bytes: number };

/** Matches of recent queries: a count is usually followed by a page, and a page by the next one. */
export class FoundCache {
  readonly #found = new Map<string, Found>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The result of `find` for this query, cached while the revision of the directory is the same. */
  get(owner: number, revision: number, query: TermQuery, find: () => Container[]): Container[] {
    const key = `${owner} ${JSON.stringify(query)}`;
    const known = this.#found.get(key);
    this.#forget(key);
    const entry = known?.revision === revision ? known : entryOf(revision, find());
    this.#found.set(key, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#found.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
    return entry.containers;
  }

  #forget(key: string): void {
    this.#bytes -= this.#found.get(key)?.bytes ?? 0;
    this.#found.delete(key);
  }
}

function entryOf(revision: number, containers: Container[]): Found {
  // Overhead of the object of a container, and of the text of the query.
  return { revision, containers, bytes: containers.reduce((sum, { byteLength }) => sum + byteLength + 100, 500) };
}
