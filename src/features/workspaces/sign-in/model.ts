import { Type, type Static } from "@sinclair/typebox";
import type { MemberRole } from "../../../platform/auth/member-role.ts";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";

/** Roles that new users can start with. Nobody becomes an owner by signing in. */
export const provisionedRoles = ["admin", "member", "viewer"] as const satisfies readonly MemberRole[];

/** A person as an OpenID Connect issuer vouches for them. */
export type IssuedPerson = {
  issuer: string;
  /** ID of the account at the issuer. */
  subject: string;
  email: string | null;
  /** Whether the issuer has checked that the address is theirs; null if it does not say. */
  isVerified: boolean | null;
  name: string | null;
};

/** What a browser that is about to sign in must return with. Kept in its cookie, so that any node can continue. */
export type PendingSignIn = { state: string; nonce: string; verifier: string };

export type IssuedOutcome =
  | { kind: "person"; person: IssuedPerson }
  /** `detail` is for the log. */
  | { kind: "failed"; problem: "canceled" | "rejected" | "unavailable"; detail: string };

/** The account at an issuer that a user signs in with. */
export type Identity = {
  id: string;
  userId: UserId;
  issuer: string;
  subject: string;
  /** Address at the last sign-in. */
  email: string;
  createdAt: number;
  lastUsedAt: number;
};

/** Who may sign in by an issuer. */
export type SignInPolicy = {
  /** Domains of addresses that may sign in; "*" is every domain, and an empty list, too. */
  domains: readonly string[];
  /** Accepts addresses of issuers that do not say whether they checked them. */
  trustsAddresses: boolean;
  /** Role of new users; null: only existing users sign in. */
  role: (typeof provisionedRoles)[number] | null;
  /** Workspace that new users join; null: the oldest. */
  workspaceId: WorkspaceId | null;
};

/** Why nobody was signed in. Pages have a text for each. */
export const signInProblems = [
  "canceled",
  "expired",
  "unavailable",
  "rejected",
  "noAddress",
  "unverified",
  "domain",
  "unknown",
  "full",
  "taken",
  "deactivated",
  "noWorkspace",
  "readOnly",
] as const;
export type SignInProblem = (typeof signInProblems)[number];

/** Ways to sign in besides a key or a link. */
export type SignInMethods = {
  openId: { name: string } | null;
  /** Whether the server mails sign-in links. */
  isMailAvailable: boolean;
};

export const MailLinkInput = Type.Object({ email: Type.String({ minLength: 3, maxLength: 254 }) });

export const IdentityView = Type.Object(
  {
    id: Type.String(),
    issuer: Type.String({ description: "URL of the OpenID Connect issuer." }),
    subject: Type.String({ description: "ID of the account at the issuer." }),
    email: Type.String({ description: "Address at the last sign-in." }),
    createdAt: Type.String({ format: "date-time" }),
    lastUsedAt: Type.String({ format: "date-time" }),
  },
  { $id: "UserIdentity", description: "The account at an OpenID Connect issuer that a user signs in with." },
);
export type IdentityView = Static<typeof IdentityView>;
