import { basePathOf } from "../base/base-path.ts";

/** `__Host-`: browsers accept the cookie only over HTTPS and send it only to this host (RFC 6265bis). */
const securePrefix = "__Host-";
/** For a path on a host that others use: `__Host-` would require the path `/`. */
const securePathPrefix = "__Secure-";
const commonName = "outreachd_session";
const pendingName = "outreachd_pending";

/**
 * The cookies of this installation. Browsers send the cookies of a host to all its ports, so installations that share a
 * host need different names: otherwise, signing in to one would sign out of the other.
 */
export class SessionCookies {
  readonly #name: string;
  readonly #installation: string;
  readonly #path: string;
  readonly #securePrefix: string;

  /** `installation`: the ID of the data directory. If the public URL has a path, browsers send the cookies only there. */
  constructor(installation: string, publicUrl: string | null) {
    const basePath = basePathOf(publicUrl);
    this.#path = `${basePath}/`;
    this.#securePrefix = basePath === "" ? securePrefix : securePathPrefix;
    this.#name = `${commonName}_${installation}`;
    this.#installation = installation;
  }

  /** The session token of the browser; null if it has none. */
  tokenIn({ headers }: Request): string | null {
    const cookies = headers.get("cookie");
    if (cookies === null) return null;
    const pairs = cookies.split(";").map((pair) => pair.trim().split("=", 2));
    // The common name is that of version 0.1.0, whose sessions go on.
    for (const name of [this.#securePrefix + this.#name, this.#name, securePrefix + commonName, commonName]) {
      const value = pairs.find(([key]) => key === name)?.[1];
      if (value !== undefined && /^[\w-]{20,200}$/.test(value)) return value;
    }
    return null;
  }

  /** The Set-Cookie header for a session. Scripts on pages cannot read the cookie. */
  header(token: string, maxAgeSeconds: number, isSecure: boolean): string {
    const name = isSecure ? this.#securePrefix + this.#name : this.#name;
    const secure = isSecure ? "; Secure" : "";
    return `${name}=${token}; Path=${this.#path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** What a browser was given before it left to sign in elsewhere; null if there is nothing. */
  pendingIn({ headers }: Request, isSecure: boolean): string | null {
    const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim().split("=", 2));
    const value = pairs.find(([key]) => key === this.#pendingName(isSecure))?.[1];
    return value !== undefined && /^[\w-]{100,2000}$/.test(value) ? value : null;
  }

  /** The Set-Cookie header for it. Lax: the browser returns by a link of another site. */
  pendingHeader(value: string, maxAgeSeconds: number, isSecure: boolean): string {
    const secure = isSecure ? "; Secure" : "";
    return `${this.#pendingName(isSecure)}=${value}; Path=${this.#path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
  }

  #pendingName(isSecure: boolean): string {
    return `${isSecure ? this.#securePrefix : ""}${pendingName}_${this.#installation}`;
  }
}

/** Whether a request has the session cookie of any installation. */
export function hasSessionCookie({ headers }: Request): boolean {
  return headers.get("cookie")?.includes(commonName) ?? false;
}

/** Whether the browser uses HTTPS, according to the public URL, the request itself, or a trusted proxy. */
export function isSecureRequest(request: Request, publicUrl: string | null, trustedProxies: number): boolean {
  if (publicUrl?.startsWith("https:")) return true;
  if (request.url.startsWith("https:")) return true;
  return trustedProxies > 0 && request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https";
}
