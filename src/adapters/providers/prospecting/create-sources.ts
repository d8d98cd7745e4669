import type { Clock } from "../../../platform/base/clock.ts";
import type { ProspectProvider } from "../../../features/prospecting/provider.ts";
import type { VendorWorld } from "../enrichment/vendor.ts";

/** Settings of the operator; names as in the options. */
export type SourceConfig = Readonly<{
  prospectUrls: Readonly<Record<string, string>>;
  allowPrivateHosts: readonly string[];
  pdlKey: string | null;
  apolloKey: string | null;
  fullenrichKey: string | null;
}>;

/** Creates the live sources whose keys are set. Without any, none of their code is loaded. */
export async function createSources(config: SourceConfig, clock: Clock): Promise<ProspectProvider[]> {
  const { apolloKey, pdlKey, fullenrichKey, prospectUrls: urls } = config;
  if (apolloKey === null && pdlKey === null && fullenrichKey === null) return [];
  const { createHttpClient } = await import("../http.ts");
  const { createApolloSearch } = await import("./apollo.ts");
  const { createPdlSearch } = await import("./pdl.ts");
  const { createFullenrichSearch } = await import("./fullenrich.ts");
  const world: VendorWorld = { http: createHttpClient({ clock, allowPrivate: config.allowPrivateHosts }), clock };
  const at = (url: string | undefined, key: string) => (url === undefined ? { key } : { key, url });
  return [
    apolloKey === null ? [] : createApolloSearch(world, at(urls["apollo"], apolloKey)),
    pdlKey === null ? [] : createPdlSearch(world, at(urls["pdl"], pdlKey)),
    fullenrichKey === null ? [] : createFullenrichSearch(world, at(urls["fullenrich"], fullenrichKey)),
  ].flat();
}
