import { Type, type Static } from "@sinclair/typebox";
import { UserView } from "../../../platform/auth/user-model.ts";

/** A signed-in browser, or a link that signs one in: it acts with exactly what its key may do. */
export type Session = {
  /** SHA-256 of the token that the browser or the link holds, hex. */
  hash: string;
  keyId: string;
  /** Of the key's secret when the session began; a key with another one has ended it. */
  keyHash: string;
  createdAt: number;
  expiresAt: number;
};

/** A session between the request that shows its token and the answer that sets it. */
export type NewSession = { token: string; expiresAt: number };

export const SignInInput = Type.Object({
  key: Type.Optional(Type.String({ maxLength: 200, description: "An API key of a user." })),
  link: Type.Optional(Type.String({ maxLength: 200, description: "The token of a sign-in link." })),
});
export type SignInInput = Static<typeof SignInInput>;

export const SessionView = Type.Object({
  user: UserView,
  isAdmin: Type.Boolean(),
  key: Type.Object({ id: Type.String(), name: Type.String(), requiresApproval: Type.Boolean() }),
  permissions: Type.Array(Type.String(), { description: "What the session may do; * for everything." }),
  version: Type.String({ description: "Of the program." }),
});
export type SessionView = Static<typeof SessionView>;

export const SignInLinkView = Type.Object(
  {
    url: Type.String({ description: "Open it in a browser, once. Without a host while the server does not listen." }),
    expiresAt: Type.String({ format: "date-time" }),
  },
  { $id: "SignInLink", description: "A link that signs a browser in, once." },
);
export type SignInLinkView = Static<typeof SignInLinkView>;
