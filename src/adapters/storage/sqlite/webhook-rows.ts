import type { Attempt, Delivery, DeliveryState, DueDelivery, Endpoint } from "../../../features/webhooks/model.ts";
import { eventColumns, storedEvent, type EventRow } from "./event-rows.ts";
import type { Engine } from "./engine.ts";
import type { Owners } from "./owners.ts";
import { prepared } from "./prepared.ts";

/** The columns of an endpoint, as `storedEndpoint` reads them, of `webhook_endpoints AS p` joined with `users AS o`. */
const endpointColumns =
  "p.seq, p.id, o.id AS userId, p.url, p.description, p.types, p.is_enabled AS isEnabled, p.disabled_at AS disabledAt," +
  " p.disabled_reason AS disabledReason, p.secret, p.old_secret AS oldSecret, p.old_secret_until AS oldSecretUntil," +
  " p.failures, p.failing_since AS failingSince, p.rests_until AS restsUntil, p.last_success_at AS lastSuccessAt, p.last_failure_at AS lastFailureAt," +
  " p.created_at AS createdAt, p.updated_at AS updatedAt";
export const selectEndpoint = `SELECT ${endpointColumns} FROM webhook_endpoints AS p JOIN users AS o ON o.seq = p.owner`;

export type EndpointRow = Omit<Endpoint, "types" | "isEnabled"> & {
  seq: number;
  restsUntil: number;
  types: string | null;
  isEnabled: number;
};

export function storedEndpoint({
  seq: _seq,
  restsUntil: _restsUntil,
  types,
  isEnabled,
  ...row
}: EndpointRow): Endpoint {
  return { ...row, types: types === null ? null : (JSON.parse(types) as string[]), isEnabled: isEnabled === 1 };
}

export type DeliveryRow = EventRow & {
  state: DeliveryState;
  nextAt: number | null;
  askedAt: number | null;
  attempts: string;
};

const withEvents =
  "FROM webhook_deliveries AS d JOIN events AS e ON e.seq = d.event LEFT JOIN users AS u ON u.seq = e.owner";
/** Deliveries with their events, of `webhook_deliveries AS d`. */
export const selectDelivery = `SELECT d.state, d.next_at AS nextAt, d.asked_at AS askedAt, d.attempts, ${eventColumns} ${withEvents}`;

export function storedDelivery(
  { id, isEnabled, restsUntil }: EndpointRow,
  { state, nextAt: ownNextAt, askedAt, attempts, ...event }: DeliveryRow,
): Delivery {
  const queuedFor = ownNextAt === null ? null : Math.max(ownNextAt, restsUntil);
  const nextAt = isEnabled === 1 ? (askedAt ?? queuedFor) : null;
  return { endpointId: id, event: storedEvent(event), state, nextAt, attempts: JSON.parse(attempts) as Attempt[] };
}

export type DueRow = EventRow & { tries: number };

/** As `selectDelivery`, of what is to be posted. */
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
  // Of those that are turned off or rest, too: what is due then is found once they are asked for.
  const lookAgain = prepared(
    database,
    `UPDATE webhook_endpoints SET due_at = max(rests_until, (
       SELECT min(next_at) FROM webhook_deliveries AS d WHERE d.endpoint = webhook_endpoints.seq AND d.next_at IS NOT NULL))
     WHERE seq = ?`,
  );
  return {
    find(userId: string, id: string): EndpointRow | null {
      const owner = owners(userId);
      return owner === null ? null : owned.get(owner, id);
    },
    /** Notes when the endpoint's earliest pending delivery is due. */
    noteDue: (seq: number) => void lookAgain.run(seq),
  };
}
