import { asc, eq, inArray, lt } from "drizzle-orm";
import type { IdempotencyStore, StoredRequest } from "../../../platform/http/idempotency-store.ts";
import { idempotentRequests } from "./access-tables.ts";
import { nodes } from "./cluster-tables.ts";
import type { Engine } from "./engine.ts";
import { PostgresAttempt } from "./keyed-attempt.ts";

export function createIdempotencyStore({ orm }: Engine): IdempotencyStore {
  return {
    begin: (key, body, replaced) => new PostgresAttempt(orm, key, body, replaced),
    async find(id) {
      const [row] = await orm
        .select({ request: idempotentRequests, seenAt: nodes.seenAt })
        .from(idempotentRequests)
        .leftJoin(nodes, eq(nodes.id, idempotentRequests.node))
        .where(eq(idempotentRequests.id, id));
      return row === undefined ? null : storedRequest(row.request, row.seenAt);
    },
    async forget(startedBefore, limit) {
      const old = orm
        .select({ id: idempotentRequests.id })
        .from(idempotentRequests)
        .where(lt(idempotentRequests.startedAt, startedBefore))
        .orderBy(asc(idempotentRequests.startedAt))
        .limit(limit);
      const forgotten = await orm
        .delete(idempotentRequests)
        .where(inArray(idempotentRequests.id, old))
        .returning({ bytes: idempotentRequests.bytes });
      return forgotten.length;
    },
  };
}

function storedRequest(row: typeof idempotentRequests.$inferSelect, seenAt: number | null): StoredRequest {
  const { id, startedAt, fingerprint: hash, bytes, status, headers, body, isEncrypted, node: nodeId } = row;
  const text = body === null || isEncrypted ? body : new TextDecoder().decode(body);
  const response = status === null ? null : { status, headers: headers ?? {}, body: text };
  const node = nodeId === null || seenAt === null ? null : { id: nodeId, seenAt };
  return { id: new Uint8Array(id), startedAt, fingerprint: { hash, bytes }, response, node };
}
