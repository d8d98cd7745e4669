import type { QueuedMessage } from "./model.ts";

/** Of each conversation, the message with the earliest slot; the first of equal ones. */
export function soonestOf(rows: readonly (QueuedMessage & { conversation: string })[]): Map<string, QueuedMessage> {
  const soonest = new Map<string, QueuedMessage>();
  for (const { conversation, ...message } of rows) {
    const known = soonest.get(conversation);
    if (known === undefined || slotOf(message) < slotOf(known)) soonest.set(conversation, message);
  }
  return soonest;
}

const slotOf = ({ scheduledFor }: QueuedMessage): number => scheduledFor ?? Infinity;
