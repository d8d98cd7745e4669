import type { Event } from "../../platform/events/model.ts";
import type { NotificationType } from "./model.ts";

/** Names of the objects of an event; null for what has none, or is gone. */
export type Named = { lead: string | null; account: string | null; campaign: string | null; voice: string | null };

/** Long enough to see what a reply is about. */
const maxTextLength = 200;

/** What is shown of an event: one line, and details if there are any. */
export function notificationText(
  { type, data }: Pick<Event, "type" | "data">,
  { lead, account, campaign, voice }: Named,
): { title: string; text: string | null } {
  const reason = textIn(data["reason"]);
  switch (type as NotificationType) {
    case "message.received":
      return { title: `${lead ?? handleIn(data["profileUrl"]) ?? "A person"} wrote`, text: textIn(data["text"]) };
    case "account.reconnect_required":
      return { title: `${account ?? "A network account"} needs reconnecting`, text: reason };
    case "campaign.completed":
      return { title: `${campaign ?? "A campaign"} is completed`, text: "Every lead has reached the end." };
    case "leads.imported":
      return { title: importTitle("Lead import", data), text: countsIn(data, importCounts) ?? reason };
    case "leads.changed":
      return { title: importTitle("Change of leads", data), text: countsIn(data, changeCounts) ?? reason };
    case "prospects.uploaded":
      return { title: importTitle("Prospect import", data), text: countsIn(data, importCounts) ?? reason };
    case "voice.ready":
      return { title: `${voice ?? "A voice"} is ready to use`, text: null };
    case "voice.failed":
      return { title: `Training of ${voice ?? "a voice"} failed`, text: reason };
    case "credits.exhausted":
      return { title: "No credits left", text: "Enrichment and searches pause until there are credits." };
    case "webhook.disabled":
      return { title: "A webhook endpoint was disabled", text: reason };
  }
}

const importCounts = { created: "created", updated: "updated", skipped: "skipped", failed: "failed" };
const changeCounts = { changed: "changed", unchanged: "unchanged", skipped: "skipped" };

function importTitle(what: string, data: Event["data"]): string {
  return data["status"] === "failed" ? `${what} failed` : `${what} finished`;
}

/** "98 created, 2 failed"; null without counts. */
function countsIn(data: Event["data"], words: Readonly<Record<string, string>>): string | null {
  const parts = Object.entries(words).flatMap(([name, word]) => {
    const n = data[name];
    return typeof n === "number" && n > 0 ? [`${n} ${word}`] : [];
  });
  return parts.join(", ") || null;
}

function textIn(value: unknown): string | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  const text = value.trim();
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength - 1)}…`;
}

function handleIn(profileUrl: unknown): string | null {
  return typeof profileUrl === "string" ? (profileUrl.split("/").findLast((part) => part !== "") ?? null) : null;
}
