import { createGuardedClient, type HttpClient, type HttpWorld } from "../../lib/guarded-http/http-client.ts";
import { version } from "../../platform/base/version.ts";

/** Creates the guarded HTTP client of all adapters, with this program's user agent. */
export function createHttpClient(world: Omit<HttpWorld, "userAgent">): HttpClient {
  return createGuardedClient({ ...world, userAgent: `outreachd/${version}` });
}
