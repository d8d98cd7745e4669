import { provisionedRoles, type SignInPolicy } from "../../features/workspaces/sign-in/model.ts";
import type { Option, Problem } from "./sources.ts";
import { httpsUrl, listOf, oneOf, text, trueOrFalse, type Parse } from "./values.ts";

/** Options of sign-in by OpenID Connect; part of `serverOptions`. */
export const signInOptions = {
  oidcIssuer: option<string | null>({
    argument: "URL",
    parse: httpsUrl,
    default: null,
    description:
      "URL of the OpenID Connect issuer (Keycloak, Authelia, Google, Entra, and others) by which people sign in to the dashboard, exactly as in its discovery document. Register PUBLIC_URL/app/oidc/callback as redirect URI there.",
  }),
  oidcClientId: option<string | null>({
    argument: "ID",
    parse: text,
    default: null,
    description: "Client ID that the issuer assigned to outreachd.",
  }),
  oidcClientSecret: option<string | null>({
    argument: "SECRET",
    parse: clientSecret,
    default: null,
    secret: true,
    description: "Client secret that the issuer assigned to outreachd.",
  }),
  oidcName: option({
    argument: "NAME",
    parse: text,
    default: "single sign-on",
    description: "Name of the issuer on the button of the sign-in page, such as Google.",
  }),
  oidcDomains: option<readonly string[]>({
    argument: "DOMAINS",
    parse: listOf(domain),
    default: [],
    show: (domains) => domains.join(","),
    description:
      "Domains of the email addresses that may sign in by the issuer, separated by commas. * allows all; so does an empty list, as long as no users are created.",
  }),
  oidcRole: option<SignInPolicy["role"] | "none">({
    argument: "ROLE",
    parse: oneOf(["none", ...provisionedRoles]),
    default: "none",
    description: `Role of people who sign in by the issuer without being a user yet: ${provisionedRoles.join(", ")}. none refuses them: invite them first.`,
  }),
  oidcWorkspace: option<string | null>({
    argument: "ID",
    parse: text,
    default: null,
    description: "Workspace that those people join. Default: the oldest.",
  }),
  oidcTrustAddresses: option({
    argument: "true|false",
    parse: trueOrFalse,
    default: false,
    show: String,
    description:
      "Accept addresses of an issuer that does not say whether it checked them, such as Entra. Only safe if people cannot choose their address there. Addresses that it marks as unverified are always refused.",
  }),
};

export type OpenIdConfig = Readonly<{
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  policy: Readonly<SignInPolicy>;
}>;

type Values = { publicUrl: string | null } & {
  [K in keyof typeof signInOptions]: (typeof signInOptions)[K] extends Option<infer V> ? V : never;
};

/** Splits the values of these options off from all values. Null: nobody signs in this way. */
export function openIdConfig<T extends Values>(values: T) {
  const {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
    oidcName: name,
    ...others
  } = values;
  const { oidcDomains: domains, oidcRole, oidcWorkspace: workspaceId, oidcTrustAddresses, ...rest } = others;
  const problems: Problem[] = [];
  const parts = { "oidc-issuer": issuer, "oidc-client-id": clientId, "oidc-client-secret": clientSecret };
  const missing = Object.entries(parts).filter(([, value]) => value === null);
  if (missing.length > 0 && missing.length < 3)
    for (const [option] of missing)
      problems.push({ option, message: `Required together with ${namesOf(parts, missing)}.` });
  if (issuer !== null && values.publicUrl === null)
    problems.push({
      option: "public-url",
      message: "Required with oidc-issuer, because the issuer sends browsers back to it.",
    });
  if (oidcRole !== "none" && oidcRole !== null && domains.length === 0)
    problems.push({
      option: "oidc-domains",
      message:
        "Required with oidc-role, so that not everyone with an account at the issuer becomes a user. * allows all.",
    });
  const policy: SignInPolicy = {
    domains,
    trustsAddresses: oidcTrustAddresses,
    role: oidcRole === "none" ? null : oidcRole,
    workspaceId,
  };
  const openId: OpenIdConfig | null =
    issuer === null || clientId === null || clientSecret === null
      ? null
      : Object.freeze({ issuer, clientId, clientSecret, name, policy: Object.freeze(policy) });
  return { openId, rest: rest as Omit<T, keyof typeof signInOptions>, problems };
}

function namesOf(parts: object, missing: readonly [string, unknown][]): string {
  return Object.keys(parts)
    .filter((name) => missing.every(([other]) => other !== name))
    .join(" and ");
}

/** The value is not repeated in the message. */
function clientSecret(value: string): string {
  if (!/^[\x21-\x7e]{1,1000}$/.test(value)) throw new RangeError("Expected a secret without spaces.");
  return value;
}

function domain(value: string): ReturnType<Parse<string>> {
  const found = value.toLowerCase().replace(/^@/, "");
  if (found !== "*" && !/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]{1,63}$/.test(found))
    throw new RangeError(`Expected a domain such as example.com, or *, got "${value.slice(0, 80)}".`);
  return found;
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
