/** `__Host-`: browsers accept the cookie only over HTTPS and send it only to this host (RFC 6265bis). */
const names = { plain: "outreachd_session", secure: "__Host-outreachd_session" };

/** The session token of the browser; null if it has none. */
export function sessionTokenOf({ headers }: Request): string | null {
  const cookies = headers.get("cookie");
  if (cookies === null) return null;
  const pairs = cookies.split(";").map((pair) => pair.trim().split("=", 2));
  for (const name of [names.secure, names.plain]) {
    const value = pairs.find(([key]) => key === name)?.[1];
    if (value !== undefined && /^[\w-]{20,200}$/.test(value)) return value;
  }
  return null;
}

/** The Set-Cookie header for a session. Scripts on pages cannot read the cookie. */
export function sessionCookie(token: string, maxAgeSeconds: number, isSecure: boolean): string {
  const name = isSecure ? names.secure : names.plain;
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** Whether the browser uses HTTPS, according to the public URL, the request itself, or a trusted proxy. */
export function isSecureRequest(request: Request, publicUrl: string | null, trustedProxies: number): boolean {
  if (publicUrl?.startsWith("https:")) return true;
  if (request.url.startsWith("https:")) return true;
  return trustedProxies > 0 && request.headers.get("x-forwarded-proto")?.split(",").at(-1)?.trim() === "https";
}
