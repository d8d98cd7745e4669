import { Type, type Static } from "@sinclair/typebox";
import type { WorkspaceId } from "../../base/ids.ts";

/** Actions that are recorded. */
export const auditActions = [
  "key.created",
  "key.updated",
  "key.regenerated",
  "key.deleted",
  "key.globalRefused",
  "user.created",
  "user.updated",
  "identity.linked",
  "identity.removed",
  "workspace.created",
  "workspace.updated",
  "workspace.ownershipTransferred",
  "workspace.merged",
  "invitation.created",
  "invitation.revoked",
  "invitation.accepted",
  "member.updated",
  "member.removed",
  "session.signedIn",
  "session.refused",
  "session.signedOut",
  "session.ended",
  "session.switched",
  "voice.consented",
  "voice.deleted",
  "lead.erased",
  "lead.merged",
  "person.exported",
  "person.erasureBegun",
  "person.erased",
  "suppression.erased",
  "suppression.removed",
  "leads.exported",
  "leads.imported",
  "leads.changed",
  "leads.deleted",
  "prospects.imported",
  "suppressions.exported",
  "suppressions.imported",
  "audit.exported",
  "backup.made",
  "backup.downloaded",
  "backup.deleted",
  "backup.restored",
  "maintenance.enabled",
  "maintenance.disabled",
  "clock.accepted",
  "risk.accepted",
  "risk.withdrawn",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** api: a request with a key. commandLine: a command on the server's machine. service: automatically. */
export const auditWays = ["api", "commandLine", "service"] as const;
export type AuditWay = (typeof auditWays)[number];

/** Where a request came from. */
export type Origin = {
  requestId: string | null;
  /** As reported by trusted proxies. */
  address: string | null;
  /** An excerpt. */
  userAgent: string | null;
};

/** Names, numbers, and booleans. Never a secret, a message, or contact data of a person. */
export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>;

/** An action to record, without its actor. */
export type AuditEvent = {
  action: AuditAction;
  /** User that it concerns, who can also see the entry; null if it concerns no single user. */
  workspaceId: WorkspaceId | null;
  target?: { type: string; id: string };
  details?: AuditDetails;
  /** Replaces the way that follows from the caller. */
  via?: AuditWay;
  /** For requests without a caller. */
  origin?: Origin;
};

export type AuditEntry = Origin & {
  at: number;
  action: AuditAction;
  workspaceId: WorkspaceId | null;
  via: AuditWay;
  actorId: string | null;
  keyId: string | null;
  keyName: string | null;
  targetType: string | null;
  targetId: string | null;
  details: AuditDetails;
};
/** `seq` increases by one with each entry. */
export type StoredAuditEntry = AuditEntry & { seq: number };

export type AuditFilter = {
  /** Only entries about this user. */
  workspaceId?: WorkspaceId;
  actions?: readonly AuditAction[];
  keyId?: string;
  targetId?: string;
  from?: number;
  to?: number;
};

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const AuditEntryView = Type.Object(
  {
    id: Type.Integer({ description: "Increases by one, without gaps." }),
    at: Type.String({ format: "date-time" }),
    action: Type.Union(auditActions.map((action) => Type.Literal(action))),
    userId: textOrNull("User that the entry concerns."),
    via: Type.Union(
      auditWays.map((way) => Type.Literal(way)),
      {
        description:
          "api: a request with a key. commandLine: a command on the server's machine. service: automatically.",
      },
    ),
    actorId: textOrNull("User of the key; null for a global key."),
    keyId: textOrNull("Key that was used."),
    keyName: textOrNull("Name of the key at that time."),
    address: textOrNull("IP address of the caller."),
    userAgent: textOrNull("First 200 characters of the User-Agent header."),
    requestId: textOrNull("Same as in X-Request-Id and in the server's log."),
    targetType: textOrNull("Type of the object: key, user, voice, job, and so on."),
    targetId: textOrNull("ID of the object."),
    details: Type.Record(Type.String(), Type.Unknown(), { description: "Depends on the action." }),
  },
  { $id: "AuditEntry", description: "Who did what, when, and from where." },
);
export type AuditEntryView = Static<typeof AuditEntryView>;

/** A position in the chain of hashes. */
export type ChainPlace = { seq: number; hash: Uint8Array };

export const standings = ["same", "changed", "missing", "expired"] as const;
/** State of an entry; `expired`: it was deleted because of its age. */
export type Standing = (typeof standings)[number];

export type ChainCheck = {
  checked: number;
  /** The last valid entry; null if none is valid. */
  last: ChainPlace | null;
  /** The first entry that is invalid or, at the end, missing. */
  brokenAt: number | null;
  /** Whether further entries follow. */
  more: boolean;
};

/** Whether the log is intact: no entry was changed, inserted, or removed after it was written. */
export const AuditCheck = Type.Object(
  {
    isIntact: Type.Boolean(),
    entries: Type.Integer({ description: "Number of entries checked." }),
    brokenAt: Type.Union([Type.Integer(), Type.Null()], {
      description: "First entry that was changed or is missing.",
    }),
    lastId: Type.Union([Type.Integer(), Type.Null()], { description: "ID of the newest entry." }),
    lastHash: Type.Union([Type.String(), Type.Null()], {
      description: "Hash of the newest entry. Store both elsewhere and send them with a later check.",
    }),
    anchor: Type.Union([...standings.map((standing) => Type.Literal(standing)), Type.Null()], {
      description:
        "State of the entry in the query: same, changed, missing, or expired (deleted because of its age). null without one.",
    }),
  },
  { $id: "AuditCheck" },
);
export type AuditCheck = Static<typeof AuditCheck>;
