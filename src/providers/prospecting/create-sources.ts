import type { Clock } from "../../clock.ts";
import type { ProspectProvider } from "../../prospecting/provider.ts";
import { createHttpClient } from "../http-client.ts";
import { createApolloSearch } from "./apollo.ts";
import { createFullenrichSearch } from "./fullenrich.ts";
import { createPdlSearch } from "./pdl.ts";

/** What an operator has set; names as in the options. */
export type SourceConfig = Readonly<{
  prospectUrls: Readonly<Record<string, string>>;
  allowPrivateHosts: readonly string[];
  pdlKey: string | null;
  apolloKey: string | null;
  fullenrichKey: string | null;
}>;

const creators = { apollo: createApolloSearch, pdl: createPdlSearch, fullenrich: createFullenrichSearch };

/** The live sources whose keys are set. */
export function createSources(config: SourceConfig, clock: Clock): ProspectProvider[] {
  const { prospectUrls: urls, apolloKey, pdlKey, fullenrichKey } = config;
  const keys = { apollo: apolloKey, pdl: pdlKey, fullenrich: fullenrichKey };
  const world = { http: createHttpClient({ clock, allowPrivate: config.allowPrivateHosts }), clock };
  return (Object.keys(creators) as (keyof typeof creators)[]).flatMap((name) => {
    const key = keys[name];
    const url = urls[name];
    return key === null ? [] : [creators[name](world, { key, ...(url !== undefined && { url }) })];
  });
}
