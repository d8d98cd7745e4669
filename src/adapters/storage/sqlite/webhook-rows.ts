import type { StoredDelivery, StoredEndpoint } from "../../../features/webhooks/change-model.ts";
import { shownNextAt } from "../../../features/webhooks/decisions.ts";
import type { Attempt, Delivery, DeliveryState, DueDelivery, Endpoint } from "../../../features/webhooks/model.ts";
import { eventColumns, storedEvent, type EventRow } from "./event-rows.ts";
import type { Engine } from "./engine.ts";
import type { Owners } from "./owners.ts";
import { prepared } from "./prepared.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** The columns of an endpoint, as `storedEndpoint` reads them, of `webhook_endpoints AS p` joined with `workspaces AS o`. */
const endpointColumns =
  "p.seq, p.id, o.id AS workspaceId, p.url, p.description, p.types, p.is_enabled AS isEnabled, p.disabled_at AS disabledAt," +
  " p.disabled_reason AS disabledReason, p.secret, p.old_secret AS oldSecret, p.old_secret_until AS oldSecretUntil," +
  " p.failures, p.failing_since AS failingSince, p.rests_until AS restsUntil, p.last_success_at AS lastSuccessAt, p.last_failure_at AS lastFailureAt," +
  " p.created_at AS createdAt, p.updated_at AS updatedAt";
export const selectEndpoint = `SELECT ${endpointColumns} FROM webhook_endpoints AS p JOIN workspaces AS o ON o.seq = p.owner`;

export type EndpointRow = Omit<Endpoint, "types" | "isEnabled"> & {
  seq: number;
  restsUntil: number;
  types: string | null;
  isEnabled: number;
};

/** Including what only the store and its decisions use. */
export function storedRow({ seq: _seq, types, isEnabled, ...row }: EndpointRow): StoredEndpoint {
  return { ...row, types: types === null ? null : (JSON.parse(types) as string[]), isEnabled: isEnabled === 1 };
}

export function storedEndpoint(row: EndpointRow): Endpoint {
  const { restsUntil: _restsUntil, ...endpoint } = storedRow(row);
  return endpoint;
}

export function typesText(types: readonly string[] | null): string | null {
  return types === null ? null : JSON.stringify(types);
}

export type DeliveryRow = EventRow & {
  state: DeliveryState;
  nextAt: number | null;
  askedAt: number | null;
  attempts: string;
};

const withEvents =
  "FROM webhook_deliveries AS d JOIN events AS e ON e.seq = d.event LEFT JOIN workspaces AS u ON u.seq = e.owner";
/** Deliveries with their events, of `webhook_deliveries AS d`. */
export const selectDelivery = `SELECT d.state, d.next_at AS nextAt, d.asked_at AS askedAt, d.attempts, ${eventColumns} ${withEvents}`;

export function storedDelivery(endpoint: EndpointRow, row: DeliveryRow): Delivery {
  const { state, nextAt, askedAt, attempts, ...event } = row;
  return {
    endpointId: endpoint.id,
    event: storedEvent(event),
    state,
    nextAt: shownNextAt(storedRow(endpoint), { nextAt, askedAt }),
    attempts: JSON.parse(attempts) as Attempt[],
  };
}

export type DueRow = EventRow & { tries: number };

/** Like `selectDelivery`, for deliveries that are about to be posted. */
export const selectDue = `SELECT d.tries, ${eventColumns} ${withEvents}`;

export function dueDelivery({ tries, ...event }: DueRow): DueDelivery {
  return { event: storedEvent(event), tries };
}

/** Endpoints inside the write units of their stores. */
export type EndpointRows = ReturnType<typeof createEndpointRows>;

export function createEndpointRows({ database }: Engine, owners: Owners) {
  const owned = prepared<EndpointRow, [number, string]>(
    database,
    `${selectEndpoint} WHERE p.owner = ? AND p.id = ? AND p.is_deleted = 0`,
  );
  // Also for endpoints that are disabled or paused: what is due by then is found when they are enabled.
  const lookAgain = prepared(
    database,
    `UPDATE webhook_endpoints SET due_at = max(rests_until, (
       SELECT min(next_at) FROM webhook_deliveries AS d WHERE d.endpoint = webhook_endpoints.seq AND d.next_at IS NOT NULL))
     WHERE seq = ?`,
  );
  const byId = prepared<EndpointRow, [string]>(database, `${selectEndpoint} WHERE p.id = ? AND p.is_deleted = 0`);
  const update = prepared(
    database,
    `UPDATE webhook_endpoints SET url = ?, description = ?, types = ?, is_enabled = ?, disabled_at = ?,
       disabled_reason = ?, secret = ?, old_secret = ?, old_secret_until = ?, failures = ?, failing_since = ?,
       rests_until = ?, last_success_at = ?, last_failure_at = ?, updated_at = ? WHERE seq = ?`,
  );
  const delivery = prepared<Omit<StoredDelivery, "attempts"> & { attempts: string }, [number, number]>(
    database,
    `SELECT state, next_at AS nextAt, asked_at AS askedAt, tries, attempts FROM webhook_deliveries
     WHERE endpoint = ? AND event = ?`,
  );
  const updateDelivery = prepared(
    database,
    `UPDATE webhook_deliveries SET state = ?, next_at = ?, asked_at = ?, tries = ?, attempts = ?
     WHERE endpoint = ? AND event = ?`,
  );
  return {
    find(workspaceId: WorkspaceId, id: string): EndpointRow | null {
      const owner = owners(workspaceId);
      return owner === null ? null : owned.get(owner, id);
    },
    ofAnyUser: (id: string) => byId.get(id),
    write(seq: number, p: StoredEndpoint): void {
      const content = [p.url, p.description, typesText(p.types)];
      const enabled = [p.isEnabled ? 1 : 0, p.disabledAt, p.disabledReason];
      const secrets = [p.secret, p.oldSecret, p.oldSecretUntil];
      const health = [p.failures, p.failingSince, p.restsUntil, p.lastSuccessAt, p.lastFailureAt];
      update.run(...content, ...enabled, ...secrets, ...health, p.updatedAt, seq);
    },
    delivery(seq: number, eventId: number): StoredDelivery | null {
      const row = delivery.get(seq, eventId);
      return row && { ...row, attempts: JSON.parse(row.attempts) as Attempt[] };
    },
    writeDelivery(seq: number, eventId: number, d: StoredDelivery): void {
      updateDelivery.run(d.state, d.nextAt, d.askedAt, d.tries, JSON.stringify(d.attempts), seq, eventId);
    },
    /** Notes when the endpoint's earliest pending delivery is due. */
    noteDue: (seq: number) => void lookAgain.run(seq),
  };
}

/** Whether events of the installation concern a workspace: an admin of the installation manages it. `id`: SQL of its ID. */
export function seesInstallation(id: string): string {
  return `EXISTS (SELECT 1 FROM members JOIN users ON users.id = members.user_id WHERE members.workspace_id = ${id}
    AND members.role IN ('owner', 'admin') AND members.is_active = 1 AND users.role = 'admin' AND users.is_active = 1)`;
}
