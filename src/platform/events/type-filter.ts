import { eventTypeNames, type EventType } from "./model.ts";

/** Names of types, or groups of them such as `lead.*`, or `*` for all; each may be several with commas between them. */
export type TypePattern = string;

/** The types that patterns name, in the order of the catalogue; the first that names none comes back as `unknown`. */
export function typesOf(patterns: readonly TypePattern[]): { types: EventType[] } | { unknown: string } {
  const wanted = new Set<EventType>();
  for (const pattern of patterns.flatMap((each) => each.split(",")).map((each) => each.trim())) {
    const found = eventTypeNames.filter((type) => isMeant(type, pattern));
    if (found.length === 0) return { unknown: pattern };
    for (const type of found) wanted.add(type);
  }
  return { types: eventTypeNames.filter((type) => wanted.has(type)) };
}

function isMeant(type: EventType, pattern: string): boolean {
  if (pattern === "*") return true;
  return pattern.endsWith(".*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}

/** What to tell whoever named a type that there is none of. */
export function unknownType(name: string): string {
  return `"${name}" is no type of event. Choose from: *, ${eventTypeNames.join(", ")}, or a group such as lead.*.`;
}
