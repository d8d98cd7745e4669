import type { IdempotencyStore } from "../../../platform/http/idempotency-store.ts";
import type { Engine } from "./engine.ts";
import { SqliteAttempt } from "./keyed-attempt.ts";
import { KeyedRows } from "./keyed-rows.ts";
import { prepared } from "./prepared.ts";

type OldRow = { seq: number; id: Uint8Array };

type Parts = Pick<Engine, "database" | "orm" | "writer" | "shared">;

export function createIdempotencyStore(engine: Parts): IdempotencyStore {
  const { database, writer, shared } = engine;
  const rows = new KeyedRows(engine);
  const oldest = prepared<OldRow, [number, number]>(
    database,
    `SELECT seq, id FROM (SELECT seq, id, started_at FROM idempotent_requests ORDER BY seq LIMIT +?2)
       WHERE started_at < ?1 ORDER BY id`,
  );
  return {
    begin: (key, body) => new SqliteAttempt(writer, rows, key, body),
    find: (id) => (rows.isNew(id) ? null : Promise.try(() => shared.read(() => rows.find(id)))),
    forget: (startedBefore, limit) =>
      writer.write(() => {
        const old = oldest.all(startedBefore, limit);
        for (const { id, seq } of old) rows.remove(id, seq);
        return old.length;
      }),
  };
}
