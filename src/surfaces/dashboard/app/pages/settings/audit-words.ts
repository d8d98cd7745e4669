import type { AuditAction, AuditEntryView } from "../../../../../platform/auth/audit/model.ts";

/** What was done, in words, by what it was done to. */
export const auditGroups: readonly { label: string; actions: Partial<Record<AuditAction, string>> }[] = [
  {
    label: "Sign-in",
    actions: {
      "session.signedIn": "Signed in",
      "session.refused": "Sign-in refused",
      "session.signedOut": "Signed out",
    },
  },
  {
    label: "Keys",
    actions: {
      "key.created": "Key made",
      "key.updated": "Key changed",
      "key.regenerated": "Key renewed",
      "key.deleted": "Key deleted",
      "key.globalRefused": "Global key refused",
    },
  },
  { label: "Users", actions: { "user.created": "User added", "user.updated": "User changed" } },
  {
    label: "People’s data",
    actions: {
      "person.exported": "Person exported",
      "person.erasureBegun": "Erasure of a person begun",
      "person.erased": "Person erased",
      "lead.erased": "Lead erased",
      "suppression.erased": "Value of the do-not-contact list forgotten",
      "suppression.removed": "Entry of the do-not-contact list removed",
    },
  },
  {
    label: "Import and export",
    actions: {
      "leads.imported": "Leads imported",
      "leads.exported": "Leads exported",
      "prospects.imported": "Prospects imported",
      "suppressions.imported": "Do-not-contact list imported",
      "suppressions.exported": "Do-not-contact list exported",
      "audit.exported": "Audit log exported",
    },
  },
  { label: "Voices", actions: { "voice.consented": "Consent to a voice", "voice.deleted": "Voice deleted" } },
  {
    label: "Server",
    actions: {
      "backup.made": "Backup made",
      "backup.downloaded": "Backup downloaded",
      "backup.deleted": "Backup deleted",
      "backup.restored": "Backup restored",
      "risk.accepted": "Risk of a connector accepted",
      "risk.withdrawn": "Acceptance of the risk withdrawn",
    },
  },
];

const words = Object.assign({}, ...auditGroups.map(({ actions }) => actions)) as Partial<Record<string, string>>;

/** A newer server may know actions that this page does not. */
export function auditInWords(action: string): string {
  return words[action] ?? action;
}

/** Who did it, as far as names are known: by a key of somebody, on the server's own machine, or the service itself. */
export function actorInWords(
  { via, actorId, keyName }: Pick<AuditEntryView, "via" | "actorId" | "keyName">,
  nameOfUser: (id: string) => string,
): string {
  if (via === "commandLine") return "Command line of the server";
  if (via === "service") return "The service itself";
  if (actorId !== null) return nameOfUser(actorId);
  return keyName === null ? "Nobody who is known" : "A global key";
}
