/** The key in x-api-key, else in Authorization as a Bearer token; where there is one, a cookie does not count. */
export function keyIn(headers: Headers): string | null {
  const key = headers.get("x-api-key")?.trim();
  return key ?? /^Bearer +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;
}
