import { sql } from "drizzle-orm";
import type { Engine } from "./engine.ts";
import { leadKeys, leads, leadTags } from "./tables.ts";

/** The planner scales its statistics with the size of a table, so that later ones can wait. */
const [firstRows, laterRows] = [5_000, 100_000];

/**
 * Renews the statistics of the tables of leads while many are imported. Until the database does so itself, a minute later,
 * the planner takes the tables for empty: it would compare each lead of a tag with each of a status.
 */
export class FreshStatistics {
  readonly #orm: Engine["orm"];
  #rows = 0;
  #due = firstRows;

  constructor({ orm }: Pick<Engine, "orm">) {
    this.#orm = orm;
  }

  /** To be awaited outside of a transaction, once the rows are committed. */
  async noteStored(rows: number): Promise<void> {
    this.#rows += rows;
    if (this.#rows < this.#due) return;
    [this.#rows, this.#due] = [0, laterRows];
    // Where another connection has the lock, it is doing the same.
    await this.#orm.execute(sql`ANALYZE (SKIP_LOCKED) ${leads}, ${leadTags}, ${leadKeys}`);
  }
}
