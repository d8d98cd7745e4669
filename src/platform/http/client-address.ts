/**
 * The address of the client: the peer's, or, behind `trustedProxies` reverse proxies of our own, the one that the
 * outermost of them wrote into X-Forwarded-For. Entries further to the left come from the client and prove nothing.
 */
export function clientAddress(request: Request, peer: string, trustedProxies: number): string {
  if (trustedProxies === 0) return peer;
  const hops = (request.headers.get("x-forwarded-for") ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return hops.at(-trustedProxies) ?? hops[0] ?? peer;
}
