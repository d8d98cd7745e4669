import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { Event } from "../../platform/events/model.ts";
import type { EventStore } from "../../platform/events/store.ts";
import type { FollowedEvents, Lead, LeadStatus } from "./model.ts";
import type { LeadService } from "./service.ts";

/** Read in a few milliseconds. */
const eventsAtOnce = 500;
/** After a restart, as many events are read again: the process may have died before it had followed them. */
const readAgain = 10_000;
const reaching = ["sendConnectionRequest", "sendMessage", "sendInMail", "sendVoiceMessage"];

/** The status that a lead gets by an event; null if it stays. What was changed after the event stays, too. */
export function statusAfter(
  { type, data, at }: Pick<Event, "type" | "data" | "at">,
  { status, updatedAt }: Pick<Lead, "status" | "updatedAt">,
  followed: FollowedEvents,
): LeadStatus | null {
  if (followed === "nothing" || updatedAt > at) return null;
  if (type === "message.replied" && followed === "replies")
    return status === "new" || status === "contacted" ? "qualified" : null;
  const isContact =
    type === "message.replied" ||
    type === "connection.accepted" ||
    (type === "action.completed" && reaching.includes(String(data["actionType"])));
  return isContact && status === "new" ? "contacted" : null;
}

/** Lets the status of leads follow what happens with them on the network. */
export class LeadStatusFollower {
  readonly #events: Pick<EventStore, "since" | "last">;
  readonly #leads: Pick<LeadService, "updateAll">;
  readonly #followed: FollowedEvents;
  #after: number | null = null;

  constructor(
    events: Pick<EventStore, "since" | "last">,
    leads: Pick<LeadService, "updateAll">,
    followed: FollowedEvents,
  ) {
    this.#events = events;
    this.#leads = leads;
    this.#followed = followed;
  }

  /** Follows all events since the last call. */
  async follow(): Promise<void> {
    if (this.#followed === "nothing") return;
    this.#after ??= Math.max(0, (await this.#events.last()) - readAgain);
    for (;;) {
      const events = await this.#events.since(this.#after, eventsAtOnce);
      const last = events.at(-1);
      if (last === undefined) return;
      for (const [workspaceId, own] of Map.groupBy(events, (event) => event.workspaceId))
        if (workspaceId !== null) await this.#followIn(workspaceId, own);
      this.#after = last.id;
    }
  }

  async #followIn(workspaceId: WorkspaceId, events: readonly Event[]): Promise<void> {
    const ofLead = Map.groupBy(
      events.filter(({ type }) => followedTypes.includes(type)),
      ({ leadId }) => leadId,
    );
    const ids = [...ofLead.keys()].filter((id) => id !== null);
    if (ids.length === 0) return;
    await this.#leads.updateAll({ workspaceId, userId: null }, ids, (lead) => {
      let status: LeadStatus | null = null;
      for (const event of ofLead.get(lead.id) ?? [])
        status = statusAfter(event, { ...lead, status: status ?? lead.status }, this.#followed) ?? status;
      return status === null ? {} : { status };
    });
  }
}

const followedTypes: readonly Event["type"][] = ["action.completed", "connection.accepted", "message.replied"];
