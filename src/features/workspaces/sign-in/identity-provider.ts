import type { IssuedOutcome, PendingSignIn } from "./model.ts";

/** An OpenID Connect issuer. Neither method rejects because of what the issuer or the browser sends. */
export type IdentityProvider = {
  /** Name on the button. */
  name: string;
  /** Where to send the browser; null if the issuer cannot be reached. */
  begin(redirectUri: string): Promise<{ url: string; pending: PendingSignIn } | { url: null; detail: string }>;
  /** `answered`: the redirect URI with the parameters that the issuer added. */
  finish(answered: URL, pending: PendingSignIn): Promise<IssuedOutcome>;
};
