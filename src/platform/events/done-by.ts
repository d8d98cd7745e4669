import type { Decision } from "../base/decision.ts";
import type { UserId } from "../base/ids.ts";
import type { NewEvent } from "./model.ts";

/** A decision whose events say who made it; null if it was no user. */
export function doneBy<Outcome, Change extends { kind: string }>(
  actorId: UserId | null,
  decision: Decision<Outcome, Change>,
): Decision<Outcome, Change> {
  if (actorId === null) return decision;
  const { outcome, changes } = decision;
  return { outcome, changes: changes.map((change) => (isEvent(change) ? named(change, actorId) : change)) };
}

function isEvent<Change extends { kind: string }>(change: Change): change is Change & { event: NewEvent } {
  return change.kind === "event" && "event" in change;
}

function named<Change extends { event: NewEvent }>(change: Change, actorId: UserId): Change {
  return { ...change, event: { ...change.event, actorId } };
}
