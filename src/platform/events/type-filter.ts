import { eventTypeNames, type EventType } from "./model.ts";

/** Event types, groups of types such as `lead.*`, or `*` for all. Can contain several, separated by commas. */
export type TypePattern = string;

/** The types that match the patterns, in catalog order, or the first pattern that matches none as `unknown`. */
export function typesOf(patterns: readonly TypePattern[]): { types: EventType[] } | { unknown: string } {
  const selected = new Set<EventType>();
  for (const pattern of patterns.flatMap((each) => each.split(",")).map((each) => each.trim())) {
    const matching = eventTypeNames.filter((type) => matchesPattern(type, pattern));
    if (matching.length === 0) return { unknown: pattern };
    for (const type of matching) selected.add(type);
  }
  return { types: eventTypeNames.filter((type) => selected.has(type)) };
}

function matchesPattern(type: EventType, pattern: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

/** The error message for an unknown type. */
export function unknownType(name: string): string {
  return `Unknown event type "${name}". Choose from: *, ${eventTypeNames.join(", ")}, or a group such as lead.*.`;
}
