import { Type, type Static } from "@sinclair/typebox";
import type { UserId, WorkspaceId } from "../../../platform/base/ids.ts";
import { UserView } from "../../../platform/auth/user-model.ts";

/** A sign-in link. */
export type SignInLink = {
  /** SHA-256 of the token in the link or browser, in hex. */
  hash: string;
  keyId: string;
  /** Hash of the key's secret when the session started. The session ends when the key has another secret. */
  keyHash: string;
  createdAt: number;
  expiresAt: number;
};

/** A signed-in browser. It has exactly the permissions of its key. */
export type Session = SignInLink & {
  id: string;
  /** Where the browser signed in. */
  address: string | null;
  userAgent: string | null;
  /** Accurate to a few minutes. */
  lastUsedAt: number;
};

/** A session with the holder of its key. */
export type HeldSession = { session: Session; keyName: string; userId: UserId; workspaceId: WorkspaceId };

/** A new session whose token is about to be sent to the browser. */
export type NewSession = { token: string; expiresAt: number };

export const SignInInput = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 200, description: "API key of a user." })),
  link: Type.Optional(Type.String({ maxLength: 200, description: "Token of a sign-in link." })),
});
export type SignInInput = Static<typeof SignInInput>;

export const SessionView = Type.Object({
  user: UserView,
  workspace: Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
  isAdmin: Type.Boolean(),
  key: Type.Object({ id: Type.String(), name: Type.String(), requiresApproval: Type.Boolean() }),
  permissions: Type.Array(Type.String(), { description: "Permissions of the session. `*` grants all permissions." }),
  version: Type.String({ description: "Version of the server." }),
});
export type SessionView = Static<typeof SessionView>;

const text = Type.Union([Type.String(), Type.Null()]);

export const OpenSessionView = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    workspaceId: Type.String(),
    keyName: Type.String({ description: "Name of the key that the session has the permissions of." }),
    address: Type.Union([Type.String(), Type.Null()], { description: "IP address at sign-in." }),
    userAgent: text,
    createdAt: Type.String({ format: "date-time" }),
    lastUsedAt: Type.String({ format: "date-time", description: "Accurate to a few minutes." }),
    expiresAt: Type.String({ format: "date-time" }),
    isCurrent: Type.Boolean({ description: "Whether this request uses the session." }),
  },
  { $id: "Session", description: "A browser that is signed in to the dashboard." },
);
export type OpenSessionView = Static<typeof OpenSessionView>;

export const SwitchInput = Type.Object({ workspaceId: Type.String() });

export const SignInLinkView = Type.Object(
  {
    url: Type.String({ description: "URL to open in a browser, once. Has no host if the server is not listening." }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "SignInLink", description: "A single-use link that signs a browser in to the dashboard." },
);
export type SignInLinkView = Static<typeof SignInLinkView>;
