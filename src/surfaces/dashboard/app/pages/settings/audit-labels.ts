import type { AuditAction, AuditEntryView } from "../../../../../platform/auth/audit/model.ts";

/** Labels of the audit events, by category. */
export const auditGroups: readonly { label: string; actions: Partial<Record<AuditAction, string>> }[] = [
  {
    label: "Sign-in",
    actions: {
      "session.signedIn": "Signed in",
      "session.refused": "Sign-in refused",
      "session.signedOut": "Signed out",
      "session.ended": "Session ended",
      "session.switched": "Workspace switched",
    },
  },
  {
    label: "Keys",
    actions: {
      "key.created": "Key created",
      "key.updated": "Key updated",
      "key.regenerated": "Key regenerated",
      "key.deleted": "Key deleted",
      "key.globalRefused": "Global key refused",
    },
  },
  {
    label: "Team",
    actions: {
      "user.created": "User added",
      "user.updated": "User updated",
      "identity.linked": "Identity linked",
      "identity.removed": "Identity removed",
      "invitation.created": "Person invited",
      "invitation.revoked": "Invitation revoked",
      "invitation.accepted": "Invitation accepted",
      "member.updated": "Member updated",
      "member.removed": "Member removed",
      "workspace.created": "Workspace created",
      "workspace.updated": "Workspace updated",
      "workspace.ownershipTransferred": "Ownership transferred",
      "workspace.merged": "Workspaces merged",
    },
  },
  {
    label: "Personal data",
    actions: {
      "person.exported": "Person exported",
      "person.erasureBegun": "Person erasure started",
      "person.erased": "Person erased",
      "lead.erased": "Lead erased",
      "lead.merged": "Leads merged",
      "suppression.erased": "Do-not-contact value erased",
      "suppression.removed": "Do-not-contact entry removed",
    },
  },
  {
    label: "Import and export",
    actions: {
      "leads.imported": "Leads imported",
      "leads.changed": "Leads changed by filter",
      "leads.deleted": "Leads deleted by filter",
      "leads.exported": "Leads exported",
      "prospects.imported": "Prospects imported",
      "suppressions.imported": "Do-not-contact list imported",
      "suppressions.exported": "Do-not-contact list exported",
      "audit.exported": "Audit log exported",
    },
  },
  { label: "Voices", actions: { "voice.consented": "Voice consent given", "voice.deleted": "Voice deleted" } },
  {
    label: "Server",
    actions: {
      "backup.made": "Backup created",
      "backup.downloaded": "Backup downloaded",
      "backup.deleted": "Backup deleted",
      "backup.restored": "Backup restored",
      "risk.accepted": "Connector risk accepted",
      "risk.withdrawn": "Connector risk acceptance withdrawn",
    },
  },
];

const words = Object.assign({}, ...auditGroups.map(({ actions }) => actions)) as Partial<Record<string, string>>;

/** A newer server may know actions that this page does not. */
export function auditLabel(action: string): string {
  return words[action] ?? action;
}

/** Name of the actor: a user, a global key, the command line, or the server. */
export function actorLabel(
  { via, actorId, keyName }: Pick<AuditEntryView, "via" | "actorId" | "keyName">,
  nameOfUser: (id: string) => string,
): string {
  if (via === "commandLine") return "Command line";
  if (via === "service") return "Server";
  if (actorId !== null) return nameOfUser(actorId);
  return keyName === null ? "Unknown" : "Global key";
}
