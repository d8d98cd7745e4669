import type { Database } from "bun:sqlite";
import type { Loaded } from "./sides.ts";

const nothing: Loaded = { after: null, rows: 0, isComplete: false };

/** How far a copy is, stored beside its rows, and removed at the end. */
export class SqliteState {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get exists(): boolean {
    return this.#database.query("SELECT 1 FROM sqlite_schema WHERE name = 'copy_state'").get() !== null;
  }

  create(source: string): void {
    this.#database.run("CREATE TABLE copy_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID");
    this.#set("source", source);
  }

  drop(): void {
    this.#database.run("DROP TABLE copy_state");
  }

  get source(): string {
    return this.#get<string>("source") ?? "";
  }

  /** Statements that create what was dropped before loading. */
  get restore(): string[] {
    return this.#get<string[]>("restore") ?? [];
  }

  set restore(statements: readonly string[]) {
    this.#set("restore", statements);
  }

  loaded(table: string): Loaded {
    return this.#get<Loaded>(`table ${table}`) ?? nothing;
  }

  note(table: string, loaded: Loaded): void {
    this.#set(`table ${table}`, loaded);
  }

  #get<T>(name: string): T | null {
    const row = this.#database
      .query<{ value: string }, [string]>("SELECT value FROM copy_state WHERE name = ?")
      .get(name);
    return row === null ? null : (JSON.parse(row.value) as T);
  }

  #set(name: string, value: unknown): void {
    this.#database
      .query("INSERT OR REPLACE INTO copy_state (name, value) VALUES (?, ?)")
      .run(name, JSON.stringify(value));
  }
}
