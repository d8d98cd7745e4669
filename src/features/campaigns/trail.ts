import type { ActionState } from "../network/action-model.ts";
import type { ActionType } from "../network/action-kinds.ts";

/**
 * How a lead left a step. Actions: `invited` and `messaged` reached the person, `done` did something else, `skipped` was
 * not necessary. Waits: `waited`. Branches: `yes` or `no`.
 */
export const exits = ["invited", "messaged", "done", "skipped", "waited", "yes", "no"] as const;
export type Exit = (typeof exits)[number];

/** A step that a lead has left. A step is left once: no step leads back. */
export type TrailEntry = readonly [step: number, at: number, exit: Exit];
export type Trail = readonly TrailEntry[];

/** The trail with another step; unchanged if the step is part of it. */
export function extended(trail: Trail, ...entries: readonly TrailEntry[]): Trail {
  const added = entries.filter(([step]) => !trail.some(([known]) => known === step));
  return added.length === 0 ? trail : [...trail, ...added];
}

/** How an action that ended in this state leaves its step; null if the step was not left. */
export function exitOf(type: ActionType, state: ActionState): Exit | null {
  if (state === "skipped") return "skipped";
  if (state !== "completed") return null;
  switch (type) {
    case "sendConnectionRequest":
      return "invited";
    case "sendMessage":
    case "sendInMail":
    case "sendVoiceMessage":
      return "messaged";
    default:
      return "done";
  }
}

/** Times at which the lead was invited or written to, earliest first. */
export function contactsIn(trail: Trail): TrailEntry[] {
  return trail.filter(([, , exit]) => isContact(exit)).toSorted(([, a], [, b]) => a - b);
}

/**
 * The step that an acceptance or a reply at `at` is credited to: the last one before it that invited the person, or
 * for a reply also one that wrote. The network's clock may differ from ours, so otherwise the first one afterwards.
 */
export function creditedStep(trail: Trail, at: number, to: "acceptance" | "reply"): number | null {
  const contacts = contactsIn(trail).filter(([, , exit]) => to === "reply" || exit === "invited");
  return (contacts.findLast(([, sentAt]) => sentAt <= at) ?? contacts[0])?.[0] ?? null;
}

function isContact(exit: Exit): boolean {
  return exit === "invited" || exit === "messaged";
}
