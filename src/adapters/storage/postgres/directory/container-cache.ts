import { and, eq, sql } from "drizzle-orm";
import { containerOf, emptyContainer, type Container } from "../../../../lib/search-index/container.ts";
import type { Connection } from "../engine.ts";
import { listOf } from "./rows.ts";
import { postings } from "./tables.ts";

/** Of a term: by block, each as of a version of the block. */
type Entry = { versions: number[]; containers: Container[]; bytes: number };

/** Sets of all directories as of the last folds, in this process. The least recently used terms are evicted first. */
export class ContainerCache {
  readonly #byTerm = new Map<number, Entry>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The sets of terms, by block. `versions` are those of the blocks in the snapshot of the connection, which were read
   * before: what is cached under another version is read again.
   */
  async load(
    connection: Connection,
    owner: number,
    ids: readonly number[],
    versions: readonly number[],
  ): Promise<Map<number, readonly Container[]>> {
    const found = new Map(ids.map((id) => [id, this.#known(id, versions)]));
    const missing = ids.filter((id) => found.get(id)!.some((container) => container === undefined));
    const isMissing = (_: number, block: number) => missing.some((id) => found.get(id)![block] === undefined);
    const blocks = [...versions.keys()].filter((block) => isMissing(0, block));
    if (blocks.length > 0) {
      const rows = await connection
        .select({ term: postings.term, block: postings.block, bits: postings.bits })
        .from(postings)
        .where(
          and(
            eq(postings.owner, owner),
            sql`${postings.term} IN ${listOf(missing)}`,
            sql`${postings.block} IN ${listOf(blocks, "integer")}`,
          ),
        );
      for (const { term, block, bits } of rows) found.get(term)![block] = containerOf(bits);
    }
    const complete = new Map<number, readonly Container[]>();
    for (const [id, containers] of found)
      complete.set(
        id,
        Array.from(containers, (known) => known ?? emptyContainer),
      );
    for (const id of missing) this.#set(id, [...versions], [...complete.get(id)!]);
    this.#shrink();
    return complete;
  }

  /** Undefined where nothing is cached under the version. */
  #known(id: number, versions: readonly number[]): (Container | undefined)[] {
    const entry = this.#byTerm.get(id);
    if (entry !== undefined) {
      this.#byTerm.delete(id);
      this.#byTerm.set(id, entry);
    }
    return versions.map((version, block) => (entry?.versions[block] === version ? entry.containers[block] : undefined));
  }

  #set(id: number, versions: number[], containers: Container[]): void {
    this.#forget(id);
    // Overhead of the entry, and of the objects of its containers.
    const bytes = containers.reduce((sum, { byteLength }) => sum + byteLength + 100, 200);
    this.#byTerm.set(id, { versions, containers, bytes });
    this.#bytes += bytes;
  }

  #forget(id: number): void {
    this.#bytes -= this.#byTerm.get(id)?.bytes ?? 0;
    this.#byTerm.delete(id);
  }

  #shrink(): void {
    for (const id of this.#byTerm.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(id);
    }
  }
}
