import { Type, type Static } from "@sinclair/typebox";

/** What is written down. */
export const auditActions = [
  "key.created",
  "key.updated",
  "key.regenerated",
  "key.deleted",
  "key.globalRefused",
  "user.created",
  "user.updated",
  "session.signedIn",
  "session.refused",
  "session.signedOut",
  "voice.consented",
  "voice.deleted",
  "lead.erased",
  "person.exported",
  "person.erasureBegun",
  "person.erased",
  "suppression.erased",
  "suppression.removed",
  "leads.exported",
  "leads.imported",
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

/** api: a request with a key. commandLine: a command on the server's machine. service: by itself. */
export const auditWays = ["api", "commandLine", "service"] as const;
export type AuditWay = (typeof auditWays)[number];

/** Where a request came from. */
export type Origin = {
  requestId: string | null;
  /** By the trusted proxies. */
  address: string | null;
  /** An excerpt. */
  userAgent: string | null;
};

/** Names, numbers and yes or no: never a secret, never a text for somebody, no address of a person. */
export type AuditDetails = Record<string, string | number | boolean | null | readonly string[]>;

/** What is to be written down, beside who does it. */
export type AuditEvent = {
  action: AuditAction;
  /** Whom it is about, who sees it as well; null: nobody in particular. */
  userId: string | null;
  target?: { type: string; id: string };
  details?: AuditDetails;
  /** Where it is no caller that tells; else the caller's. */
  via?: AuditWay;
  /** Of a stranger's request, which has no caller. */
  origin?: Origin;
};

export type AuditEntry = Origin & {
  at: number;
  action: AuditAction;
  userId: string | null;
  via: AuditWay;
  actorId: string | null;
  keyId: string | null;
  keyName: string | null;
  targetType: string | null;
  targetId: string | null;
  details: AuditDetails;
};
/** `seq` counts up by one. */
export type StoredAuditEntry = AuditEntry & { seq: number };

export type AuditFilter = {
  /** Only entries about this user. */
  userId?: string;
  actions?: readonly AuditAction[];
  keyId?: string;
  targetId?: string;
  from?: number;
  to?: number;
};

const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const AuditEntryView = Type.Object(
  {
    id: Type.Integer({ description: "Counts up by one, without gaps." }),
    at: Type.String({ format: "date-time" }),
    action: Type.Union(auditActions.map((action) => Type.Literal(action))),
    userId: textOrNull("Whom it is about."),
    via: Type.Union(
      auditWays.map((way) => Type.Literal(way)),
      { description: "api: with a key. commandLine: on the server's own machine. service: by itself." },
    ),
    actorId: textOrNull("The user of the key; null for a global key."),
    keyId: textOrNull("The key that was used."),
    keyName: textOrNull("Its name at that time."),
    address: textOrNull("IP address of the caller."),
    userAgent: textOrNull("The first 200 characters."),
    requestId: textOrNull("As in X-Request-Id and in the server's log."),
    targetType: textOrNull("What was acted on: key, user, voice, job and so on."),
    targetId: textOrNull("Its id."),
    details: Type.Record(Type.String(), Type.Unknown(), { description: "By action." }),
  },
  { $id: "AuditEntry", description: "Who did what, when and from where." },
);
export type AuditEntryView = Static<typeof AuditEntryView>;

/** A place in the chain of hashes. */
export type ChainPlace = { seq: number; hash: Uint8Array };

export const standings = ["same", "changed", "missing", "expired"] as const;

/** Whether the log is whole: nothing in it was changed, put in or taken out since it was written. */
export const AuditCheck = Type.Object(
  {
    isIntact: Type.Boolean(),
    entries: Type.Integer({ description: "That were checked." }),
    brokenAt: Type.Union([Type.Integer(), Type.Null()], {
      description: "The first entry that does not fit, or is missing.",
    }),
    lastId: Type.Union([Type.Integer(), Type.Null()], { description: "The newest entry." }),
    lastHash: Type.Union([Type.String(), Type.Null()], {
      description: "Its hash. Keep both elsewhere, and send them with a later check.",
    }),
    anchor: Type.Union([...standings.map((standing) => Type.Literal(standing)), Type.Null()], {
      description:
        "State of the entry that the query names: the same, changed, missing, or expired (older than the log reaches). null: it names none.",
    }),
  },
  { $id: "AuditCheck" },
);
export type AuditCheck = Static<typeof AuditCheck>;
