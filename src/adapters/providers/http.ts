import { createGuardedClient, type HttpClient, type HttpWorld } from "../../lib/guarded-http/http-client.ts";
import { version } from "../../platform/base/version.ts";

/** The guarded way out of every adapter, under the name of this program. */
export function createHttpClient(world: Omit<HttpWorld, "userAgent">): HttpClient {
  return createGuardedClient({ ...world, userAgent: `outreachd/${version}` });
}
