import { isoTime } from "../base/clock.ts";
import { eventSubjects, type Event, type EventFilter, type EventView } from "./model.ts";

export function eventView(event: Event): EventView {
  const { id, type, at, workspaceId, actorId, data } = event;
  return { id: `${id}`, type, timestamp: isoTime(at), userId: workspaceId, actorId, ...subjectsOf(event), data };
}

/** The subjects of an event that are not null. */
export function subjectsOf(event: Event): Partial<Record<(typeof eventSubjects)[number], string>> {
  const subjects: Partial<Record<(typeof eventSubjects)[number], string>> = {};
  for (const subject of eventSubjects) {
    const id = event[subject];
    if (id !== null) subjects[subject] = id;
  }
  return subjects;
}

export function matches(event: Event, { types, ...subjects }: EventFilter): boolean {
  if (types !== undefined && !types.includes(event.type)) return false;
  return eventSubjects.every((subject) => subjects[subject] === undefined || subjects[subject] === event[subject]);
}
