import { Type, type Static } from "@sinclair/typebox";
import { UserView } from "../../../platform/auth/user-model.ts";

/** A signed-in browser or a sign-in link. It has exactly the permissions of its key. */
export type Session = {
  /** SHA-256 of the token in the browser or link, in hex. */
  hash: string;
  keyId: string;
  /** Hash of the key's secret when the session started. The session ends when the key has another secret. */
  keyHash: string;
  createdAt: number;
  expiresAt: number;
};

/** A new session whose token is about to be sent to the browser. */
export type NewSession = { token: string; expiresAt: number };

export const SignInInput = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 200, description: "API key of a user." })),
  link: Type.Optional(Type.String({ maxLength: 200, description: "Token of a sign-in link." })),
});
export type SignInInput = Static<typeof SignInInput>;

export const SessionView = Type.Object({
  user: UserView,
  isAdmin: Type.Boolean(),
  key: Type.Object({ id: Type.String(), name: Type.String(), requiresApproval: Type.Boolean() }),
  permissions: Type.Array(Type.String(), { description: "Permissions of the session. `*` grants all permissions." }),
  version: Type.String({ description: "Version of the server." }),
});
export type SessionView = Static<typeof SessionView>;

export const SignInLinkView = Type.Object(
  {
    url: Type.String({ description: "URL to open in a browser, once. Has no host if the server is not listening." }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "SignInLink", description: "A single-use link that signs a browser in to the dashboard." },
);
export type SignInLinkView = Static<typeof SignInLinkView>;
