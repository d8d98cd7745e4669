/**
 * Lets requests to this URL's host pass by the proxy of the environment (HTTP_PROXY). Needed for servers on this
 * machine: a proxy can't reach them, and must not see the local key.
 */
export function bypassProxy(url: string): void {
  const { hostname } = new URL(url);
  for (const name of ["NO_PROXY", "no_proxy"])
    process.env[name] = [process.env[name], hostname].filter((entry) => entry).join(",");
}
