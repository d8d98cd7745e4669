import type * as OpenId from "openid-client";
import type { IdentityProvider } from "../../../features/workspaces/sign-in/identity-provider.ts";
import type { IssuedOutcome } from "../../../features/workspaces/sign-in/model.ts";

export type OpenIdSettings = Readonly<{ issuer: string; clientId: string; clientSecret: string; name: string }>;

type Library = typeof OpenId;

/** A person waits; issuers answer within a second. */
const timeoutSeconds = 10;
/** Clocks of issuers that are not synchronized differ by some seconds. */
const clockToleranceSeconds = 60;

/** An issuer of OpenID Connect, used by the authorization code flow with PKCE. */
export function createOpenIdProvider(settings: OpenIdSettings): IdentityProvider {
  let discovered: Promise<{ library: Library; configuration: OpenId.Configuration }> | null = null;

  /** Discovery is repeated only after a failure; keys are fetched again by the library when an unknown one is used. */
  const discover = () =>
    (discovered ??= discoverIssuer(settings).catch((error: unknown) => {
      discovered = null;
      throw error;
    }));

  return {
    name: settings.name,
    async begin(redirectUri) {
      try {
        const { library, configuration } = await discover();
        const pending = {
          state: library.randomState(),
          nonce: library.randomNonce(),
          verifier: library.randomPKCECodeVerifier(),
        };
        const url = library.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: "openid email profile",
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: "S256",
        });
        return { url: url.href, pending };
      } catch (error) {
        return { url: null, detail: reasonOf(error) };
      }
    },
    async finish(answered, { state, nonce, verifier }) {
      try {
        const { library, configuration } = await discover();
        const tokens = await library.authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        // Some issuers, such as Authelia, put the address only there.
        const more =
          typeof claims["email"] === "string" || configuration.serverMetadata().userinfo_endpoint === undefined
            ? {}
            : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        return { kind: "person", person: personOf({ ...more, ...claims }) };
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

async function discoverIssuer({ issuer, clientId, clientSecret }: OpenIdSettings) {
  const library = await import("openid-client");
  const url = new URL(issuer);
  const isInsecure = url.protocol === "http:";
  const configuration = await library.discovery(
    url,
    clientId,
    { client_secret: clientSecret, [library.clockTolerance]: clockToleranceSeconds },
    // Replaced below, when it is known what the issuer accepts.
    undefined,
    { timeout: timeoutSeconds, ...(isInsecure && { execute: [library.allowInsecureRequests] }) },
  );
  const metadata = configuration.serverMetadata();
  // The default if the issuer does not say (OpenID Connect Discovery, section 3).
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authentication = methods.includes("client_secret_basic")
    ? library.ClientSecretBasic(clientSecret)
    : library.ClientSecretPost(clientSecret);
  const used = new library.Configuration(
    metadata,
    clientId,
    { client_secret: clientSecret, [library.clockTolerance]: clockToleranceSeconds },
    authentication,
  );
  used.timeout = timeoutSeconds;
  if (isInsecure) library.allowInsecureRequests(used);
  // The signature of the ID token is verified, too, instead of relying on TLS alone.
  library.enableNonRepudiationChecks(used);
  return { library, configuration: used };
}

function personOf(claims: Record<string, unknown>) {
  const text = (name: string) => {
    const value = claims[name];
    return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
  };
  const isVerified = claims["email_verified"];
  const full = [text("given_name"), text("family_name")].filter((part) => part !== null).join(" ");
  return {
    issuer: text("iss") ?? "",
    subject: text("sub") ?? "",
    email: text("email"),
    // AWS Cognito and others send it as text.
    isVerified: isVerified === true || isVerified === "true" ? true : isVerified === undefined ? null : false,
    name: text("name") ?? (full === "" ? null : full),
  };
}

/** OAuth errors that mean that the person chose not to sign in, or has to do something at the issuer first. */
const cancellations = ["access_denied", "login_required", "consent_required", "interaction_required"];

function failureOf(error: unknown): IssuedOutcome {
  const detail = reasonOf(error);
  const { error: code, cause } = error as { error?: unknown; cause?: unknown };
  if (typeof code === "string" && cancellations.includes(code)) return { kind: "failed", problem: "canceled", detail };
  const isDown =
    error instanceof TypeError ||
    codeOf(error) === "OAUTH_TIMEOUT" ||
    (cause instanceof Response && cause.status >= 500);
  return { kind: "failed", problem: isDown ? "unavailable" : "rejected", detail };
}

function codeOf(error: unknown): string | null {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : null;
}

/** Messages of the library name the claim or header that is wrong only in their cause. Neither contains a token. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { error: code, error_description: description } = error as { error?: unknown; error_description?: unknown };
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  const answered = [code, description].filter((part) => typeof part === "string").join(", ");
  return `${error.message}${cause}${answered === "" ? "" : ` (${answered.slice(0, 300)})`}`;
}
