import type { Event } from "../../platform/events/model.ts";
import { singleLine } from "../../platform/base/text.ts";
import type { NotificationKind } from "../notifications/model.ts";

/** Without personal data of leads: mail cannot be erased. */
export type MailText = { subject: string; body: string };

/** `url`: of the dashboard, without a trailing slash. */
export function notificationText(kind: NotificationKind, event: Event, workspace: string, url: string): MailText {
  const name = singleLine(workspace);
  const { data } = event;
  switch (kind) {
    case "accountReconnect":
      return text("A network account must be reconnected", url, `/app/settings/accounts/${event.accountId ?? ""}`, [
        `The network signed out a network account of ${name}. Its actions wait until someone reconnects it.`,
        ...reasonLine(data),
      ]);
    case "importFinished":
      return text(
        `${titleOf(data)}: ${event.type === "leads.imported" ? "leads" : "prospects"}`,
        url,
        event.type === "leads.imported" ? "/app/leads/import" : "/app/prospects",
        [`An import into ${name} ended.`, ...countLines(data), ...reasonLine(data)],
      );
    case "trainingFinished":
      return event.type === "voice.ready"
        ? text("Your voice is ready", url, voicePath(event), [`A voice of ${name} is trained and can be used.`])
        : text("Training of your voice failed", url, voicePath(event), [
            `Training of a voice of ${name} failed.`,
            ...reasonLine(data),
          ]);
    case "replyReceived":
      return text("You have a message", url, conversationPath(data), [
        `A person wrote to a network account of ${name}.`,
      ]);
    case "dailyDigest":
      return text("Your day", url, "/app", []);
  }
}

export type DigestCounts = Record<"completed" | "failed" | "accepted" | "messages" | "approvals", number>;

/** Null if there is nothing to report. */
export function digestText(
  workspaces: readonly { name: string; counts: DigestCounts }[],
  url: string,
): MailText | null {
  const busy = workspaces.filter(({ counts }) => Object.values(counts).some((count) => count > 0));
  if (busy.length === 0) return null;
  const lines = busy.flatMap(({ name, counts }) => [
    singleLine(name),
    ...line("message received", "messages received", counts.messages),
    ...line("connection request accepted", "connection requests accepted", counts.accepted),
    ...line("action completed", "actions completed", counts.completed),
    ...line("action failed", "actions failed", counts.failed),
    ...line("action that required approval", "actions that required approval", counts.approvals),
    "",
  ]);
  return text("The last 24 hours in outreachd", url, "/app", lines);
}

/** Until a workspace gets a name, it has that of its owner, or the owner's address if the owner has no name either. */
const workspaceTitle = (name: string) => (name.includes("@") ? `the workspace of ${name}` : name);

export function invitationText(workspace: string, inviter: string | null, url: string): MailText {
  const name = singleLine(workspace);
  const title = workspaceTitle(name);
  return {
    subject: `Join ${title} on outreachd`,
    body: [
      `${inviter === null ? "An administrator" : singleLine(inviter)} invites you to ${title === name ? `the workspace ${name}` : title} on outreachd.`,
      "",
      `Accept the invitation: ${url}`,
      "",
      "The link works once, within 7 days. If you did not expect this mail, ignore it.",
    ].join("\n"),
  };
}

export function signInText(url: string): MailText {
  return {
    subject: "Sign in to outreachd",
    body: [
      `Sign in: ${url}`,
      "",
      "The link works once, within an hour. If you did not ask for it, ignore this mail: nobody signs in without the link.",
    ].join("\n"),
  };
}

function text(subject: string, url: string, path: string, lines: readonly string[]): MailText {
  const footer = `You get this mail because of your notification settings: ${url}/app/settings?part=profile`;
  return { subject, body: [...lines, "", `Open outreachd: ${url}${path}`, "", footer].join("\n") };
}

function titleOf({ status }: Event["data"]): string {
  return status === "completed" ? "Import completed" : status === "canceled" ? "Import canceled" : "Import failed";
}

function voicePath({ voiceId }: Event): string {
  return voiceId === null ? "/app/voice" : `/app/voice/${voiceId}`;
}

function conversationPath({ conversationId }: Event["data"]): string {
  return typeof conversationId === "string" ? `/app/inbox?c=${encodeURIComponent(conversationId)}` : "/app/inbox";
}

const usualCounts = ["rows", "created", "updated", "skipped", "failed"];

/** In a fixed order: PostgreSQL stores the fields of an event in its own. */
function countLines(data: Event["data"]): string[] {
  const names = new Set([...usualCounts, ...Object.keys(data).toSorted()]);
  return [...names].flatMap((name) => {
    const count = data[name];
    return typeof count === "number" ? [`${name.replaceAll(/([A-Z])/g, " $1").toLowerCase()}: ${count}`] : [];
  });
}

function reasonLine({ reason }: Event["data"]): string[] {
  return typeof reason === "string" && reason !== "" ? [`Reason: ${singleLine(reason)}`] : [];
}

function line(one: string, several: string, count: number): string[] {
  return count === 0 ? [] : [`  ${count} ${count === 1 ? one : several}`];
}
