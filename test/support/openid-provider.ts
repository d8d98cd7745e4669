import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

/** The package has no types. */
type Configuration = {
  clients: object[];
  claims: Record<string, string[]>;
  cookies: { keys: string[] };
  jwks: { keys: object[] };
  ttl: Record<string, number>;
  findAccount(context: unknown, id: string): { accountId: string; claims(): Promise<Record<string, unknown>> };
};
type ProviderClass = new (
  issuer: string,
  configuration: Configuration,
) => { callback(): Parameters<typeof createServer>[1] };
const { default: Provider } = createRequire(import.meta.url)("oidc-provider") as { default: ProviderClass };

/**
 * `oidc-provider`, a certified implementation of OpenID Connect, on loopback. People sign in on its pages by any name; their
 * address is that name at `domain`, verified.
 */
export async function startProvider({ redirectUri, domain }: { redirectUri: string; domain: string }) {
  const client = { clientId: "outreachd", clientSecret: "provider:secret+!%" };
  const algorithm = {
    ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    ...{ modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  // It publishes the public part with all other fields, where the operation "sign" would be wrong.
  const { key_ops: _, ...key } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(url, {
    clients: [
      {
        ...{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] },
        ...{ response_types: ["code"], grant_types: ["authorization_code"] },
      },
    ],
    // Only in the userinfo, unless a client asks for more.
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    cookies: { keys: ["a key of this test"] },
    jwks: { keys: [{ ...key, use: "sig" }] },
    ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@${domain}`, email_verified: true, name: `Name of ${id}` }),
    }),
  });
  server.on("request", provider.callback()!);
  return { url, ...client, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A browser with the cookies of a provider, in which one person signs in and agrees. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();
  /** Pages of the provider on which the person had to do something. */
  readonly prompts: string[] = [];

  /** Follows the provider from `address` until it sends the browser back to the client. Returns that address. */
  async signIn(address: URL, name: string): Promise<URL> {
    let at = address;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 20; step++) {
      const response = await this.#fetch(at, form);
      form = undefined;
      const location = response.headers.get("location");
      if (location !== null) {
        at = new URL(location, at);
        if (at.origin !== address.origin) return at;
        continue;
      }
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined)
        throw new Error(`The provider responded with ${response.status}: ${page.replace(/<style>[^]*<\/style>/, "")}`);
      this.prompts.push(prompt);
      form = new URLSearchParams({ prompt, ...(prompt === "login" && { login: name, password: "any" }) });
    }
    throw new Error("The provider never sent the browser back.");
  }

  async #fetch(url: URL, form: URLSearchParams | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const init = { redirect: "manual" as const, headers: { cookie } };
    const response = await fetch(url, form === undefined ? init : { ...init, method: "POST", body: form });
    for (const each of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
