import type { IdempotencyStore } from "../../../platform/http/idempotency-store.ts";
import { Attempt } from "./attempt.ts";
import { withParticipant } from "../../../lib/group-commit/participant.ts";
import type { Engine } from "./engine.ts";
import { KeptRows } from "./kept-rows.ts";

/** What is known of old rows when they are forgotten. */
type Forgotten = { seq: number; id: Uint8Array };

type Parts = Pick<Engine, "database" | "writer" | "shared">;

export function createIdempotencyStore(engine: Parts): IdempotencyStore {
  const { database, writer, shared } = engine;
  const rows = new KeptRows(engine);
  const oldest = database.query<Forgotten, [number, number]>(
    `SELECT seq, id FROM (SELECT seq, id, started_at FROM idempotent_requests ORDER BY seq LIMIT +?2)
       WHERE started_at < ?1 ORDER BY id`,
  );
  return {
    attempt: (work) => {
      const attempt = new Attempt(writer, rows);
      return withParticipant(attempt, () => work(attempt));
    },
    find: (id) => (rows.isNew(id) ? null : Promise.try(() => shared.read(() => rows.find(id)))),
    forget: (startedBefore, limit) =>
      writer.write(() => {
        const forgotten = oldest.all(startedBefore, limit);
        for (const { id, seq } of forgotten) rows.remove(id, seq);
        return forgotten.length;
      }),
  };
}
