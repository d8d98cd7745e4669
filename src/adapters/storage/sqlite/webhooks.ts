import { changedEndpoint, rotatedEndpoint } from "../../../features/webhooks/decisions.ts";
import type { DeliveryPageRequest, WebhookStore } from "../../../features/webhooks/store.ts";
import type { Engine } from "./engine.ts";
import { countRows } from "./list-pages.ts";
import { prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import { createWebhookQueue } from "./webhook-queue.ts";
import { createWebhookReplays } from "./webhook-replays.ts";
import {
  createEndpointRows,
  selectDelivery,
  selectEndpoint,
  storedDelivery,
  storedEndpoint,
  storedRow,
  typesText,
  type DeliveryRow,
  type EndpointRow,
} from "./webhook-rows.ts";

export function createWebhookStore(engine: Engine, { events, owners }: CommonRows): WebhookStore {
  const { database, reader, writer } = engine;
  const rows = createEndpointRows(engine, owners);
  const ofUser = prepared<EndpointRow, [number, number]>(
    database,
    `${selectEndpoint} WHERE p.owner = ? AND p.is_deleted = 0 ORDER BY p.created_at DESC, p.seq DESC LIMIT +?`,
  );
  const countOf = prepared<{ n: number }, [number]>(
    database,
    "SELECT count(*) AS n FROM webhook_endpoints WHERE owner = ? AND is_deleted = 0",
  );
  const insert = prepared(
    database,
    `INSERT INTO webhook_endpoints (id, owner, url, description, types, is_enabled, secret, since, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const setSince = prepared(database, "UPDATE webhook_endpoints SET since = ? WHERE seq = ?");
  const bury = prepared(
    database,
    `UPDATE webhook_endpoints SET is_deleted = 1, is_enabled = 0, secret = '', old_secret = NULL, description = NULL,
       url = '', due_at = NULL WHERE seq = ?`,
  );
  const buried = prepared<{ seq: number }, []>(
    database,
    "SELECT seq FROM webhook_endpoints WHERE is_deleted = 1 LIMIT 1",
  );
  const removeSome = prepared<{ event: number }, [number, number]>(
    database,
    `DELETE FROM webhook_deliveries WHERE endpoint = ?1
     AND event IN (SELECT event FROM webhook_deliveries WHERE endpoint = ?1 LIMIT +?2) RETURNING event`,
  );
  const removeRow = prepared(database, "DELETE FROM webhook_endpoints WHERE seq = ?");
  const lastEvent = prepared<{ seq: number }, []>(database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  // No endpoint was waiting for the events in between, so they are skipped.
  const catchUp = prepared(
    database,
    `UPDATE webhook_position SET event = max(event, ?)
     WHERE NOT EXISTS (SELECT 1 FROM webhook_endpoints WHERE is_enabled = 1 AND is_deleted = 0)`,
  );

  /** The position from which an endpoint receives events that is created or enabled now. */
  function beginning(): number {
    const last = lastEvent.get()?.seq ?? 0;
    catchUp.run(last);
    return last;
  }

  return {
    insert: (endpoint, max) =>
      writer.write(() => {
        const owner = owners(endpoint.workspaceId);
        if (owner === null) throw new Error(`Expected user ${endpoint.workspaceId} to exist`);
        if ((countOf.get(owner)?.n ?? 0) >= max) return false;
        const { id, url, description, types, isEnabled, secret, createdAt, updatedAt } = endpoint;
        const content = [url, description, typesText(types), isEnabled ? 1 : 0] as const;
        insert.run(id, owner, ...content, secret, beginning(), createdAt, updatedAt);
        return true;
      }),
    get: async (workspaceId, id) => {
      const row = rows.find(workspaceId, id);
      return row === null ? null : storedEndpoint(row);
    },
    list: async (workspaceId, limit) => {
      const owner = owners(workspaceId);
      return owner === null ? [] : ofUser.all(owner, limit).map(storedEndpoint);
    },
    update: (workspaceId, id, change) =>
      writer.write(() => {
        const row = rows.find(workspaceId, id);
        if (row === null) return null;
        const { endpoint, isTurnedOn, isRetried } = changedEndpoint(storedRow(row), change);
        rows.write(row.seq, endpoint);
        if (isTurnedOn) setSince.run(beginning(), row.seq);
        if (isRetried) rows.noteDue(row.seq);
        return storedEndpoint(rows.find(workspaceId, id)!);
      }),
    rotate: (workspaceId, id, change) =>
      writer.write(() => {
        const row = rows.find(workspaceId, id);
        if (row === null) return null;
        rows.write(row.seq, rotatedEndpoint(storedRow(row), change));
        return storedEndpoint(rows.find(workspaceId, id)!);
      }),
    remove: (workspaceId, id) =>
      writer.write(() => {
        const row = rows.find(workspaceId, id);
        if (row !== null) bury.run(row.seq);
        return row !== null;
      }),
    sweep: (limit) =>
      writer.write(() => {
        const row = buried.get();
        if (row === null) return false;
        if (removeSome.all(row.seq, limit).length < limit) removeRow.run(row.seq);
        return true;
      }),
    async deliveries({ workspaceId, endpointId, before, limit, ...filter }) {
      const row = rows.find(workspaceId, endpointId);
      if (row === null) return [];
      const { where, params } = deliveriesOf(row.seq, filter);
      if (before !== null) {
        where.push("d.event < ?");
        params.push(before);
      }
      const sql = `${selectDelivery} WHERE ${where.join(" AND ")} ORDER BY d.event DESC LIMIT ?`;
      const found = await reader.all<DeliveryRow>({ sql, params: [...params, limit] });
      return found.map((each) => storedDelivery(row, each));
    },
    async countDeliveries({ workspaceId, endpointId, ...filter }) {
      const row = rows.find(workspaceId, endpointId);
      if (row === null) return 0;
      const { where, params } = deliveriesOf(row.seq, filter);
      return countRows(engine, { sql: `${selectDelivery} WHERE ${where.join(" AND ")}`, params });
    },
    ...createWebhookReplays(engine, rows, events),
    ...createWebhookQueue(engine, rows, events),
  };
}

function deliveriesOf(endpoint: number, { state, types }: Pick<DeliveryPageRequest, "state" | "types">) {
  const where = ["d.endpoint = ?"];
  const params: (string | number)[] = [endpoint];
  // Not a parameter, so that SQLite uses the index on failed deliveries.
  if (state !== null) where.push(`d.state = '${state}'`);
  if (types !== null) {
    where.push(`e.type IN (${types.map(() => "?").join(", ")})`);
    params.push(...types);
  }
  return { where, params };
}
