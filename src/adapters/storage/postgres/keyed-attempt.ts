import { and, eq, or, sql } from "drizzle-orm";
import type {
  Ending,
  Fingerprint,
  KeyedAttempt,
  StoredKey,
  StoredRequest,
  StoredResponse,
} from "../../../platform/http/idempotency-store.ts";
import { currentRequest } from "../../../platform/base/current-request.ts";
import { ApiError } from "../../../platform/base/errors.ts";
import { idempotentRequests } from "./access-tables.ts";
import type { Connection } from "./connection.ts";
import { workspaces } from "./tables.ts";

/** The execution of a request with an Idempotency-Key, and the row that each of its transactions writes. */
export class PostgresAttempt implements KeyedAttempt {
  /** That of a `Writer`, which this engine does not have. */
  readonly participant = null;
  readonly #orm: Connection;
  readonly #key: StoredKey;
  readonly #body: Fingerprint;
  readonly #replaced: StoredRequest | null;
  readonly #attempt = crypto.randomUUID();
  #isOpen = true;
  #hasChanged = false;

  /** `replaced`: the expired request with the same key, which this one may overwrite. */
  constructor(orm: Connection, key: StoredKey, body: Fingerprint, replaced: StoredRequest | null) {
    this.#orm = orm;
    this.#key = key;
    this.#body = body;
    this.#replaced = replaced;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  async end(ending: Ending): Promise<void> {
    this.#isOpen = false;
    if (typeof ending !== "string") await this.#put(this.#orm, ending);
    else if (!this.#hasChanged) return;
    else if (ending === "undone") await this.#orm.delete(idempotentRequests).where(this.#isOwn());
    else await this.#orm.update(idempotentRequests).set({ node: null }).where(this.#isOwn());
  }

  /**
   * Stores the key in a transaction that has changed something, as its last step. Returns whether it has. Throws
   * REQUEST_IN_PROGRESS if another node has executed the same request meanwhile.
   */
  async store(connection: Connection): Promise<boolean> {
    // PostgreSQL numbers a transaction when it writes its first row.
    const [{ hasChanged } = { hasChanged: false }] = await connection.execute<{ hasChanged: boolean }>(
      sql`SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS "hasChanged"`,
    );
    if (!hasChanged) return false;
    if (await this.#put(connection, null)) return true;
    throw new ApiError("REQUEST_IN_PROGRESS", { retryAfterSeconds: 1 });
  }

  /** Called once a transaction that has changed something is committed. */
  committed(): void {
    this.#hasChanged = true;
  }

  /** False if the row belongs to another execution. */
  async #put(connection: Connection, response: StoredResponse | null): Promise<boolean> {
    const { id, startedAt, workspaceId, nodeId } = this.#key;
    const { hash: fingerprint, bytes } = this.#body;
    const { status, headers, body } = response ?? { status: null, headers: null, body: null };
    const isEncrypted = body !== null && typeof body !== "string";
    const content = {
      owner: workspaceId && sql`(SELECT ${workspaces.seq} FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId})`,
      ...{ startedAt, fingerprint, bytes, status, headers, isEncrypted, attempt: this.#attempt },
      body: typeof body === "string" ? Buffer.from(body) : body,
      node: response === null ? nodeId : null,
    };
    const rows = await connection
      .insert(idempotentRequests)
      .values({ id, ...content })
      .onConflictDoUpdate({ target: idempotentRequests.id, set: content, setWhere: this.#mayOverwrite() })
      .returning({ bytes: idempotentRequests.bytes });
    return rows.length > 0;
  }

  #mayOverwrite() {
    const isOwn = eq(idempotentRequests.attempt, this.#attempt);
    return this.#replaced === null ? isOwn : or(isOwn, eq(idempotentRequests.startedAt, this.#replaced.startedAt));
  }

  #isOwn() {
    return and(eq(idempotentRequests.id, this.#key.id), eq(idempotentRequests.attempt, this.#attempt));
  }
}

/** The execution that the running code belongs to; null if there is none, or it has ended. */
export function currentAttempt(): PostgresAttempt | null {
  const attempt = currentRequest.getStore()?.attempt;
  return attempt instanceof PostgresAttempt && attempt.isOpen ? attempt : null;
}
