/**
 * Makes requests to this URL's host bypass the proxy set in the environment (HTTP_PROXY). Required for servers on this
 * machine: a proxy cannot reach them and must not see the local key.
 */
export function bypassProxy(url: string): void {
  const { hostname } = new URL(url);
  for (const name of ["NO_PROXY", "no_proxy"])
    process.env[name] = [process.env[name], hostname].filter((entry) => entry).join(",");
}
