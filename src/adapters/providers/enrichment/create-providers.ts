import type { Clock } from "../../../platform/base/clock.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import type { ProviderConfig } from "./provider-config.ts";

const defaultTimeoutSeconds: Readonly<Record<string, number>> = { fullenrich: 120 };
const timeoutSeconds = 15;

/** Creates the enabled providers, in order, with their limits. Rejects with `StartError` for invalid settings. */
export async function createProviders(local: EnrichmentProvider, config: ProviderConfig, clock: Clock) {
  const { enrichmentProviders, enrichmentTimeouts: timeouts, enrichmentSpendCaps: caps } = config;
  const names = [...new Set(enrichmentProviders)];
  const stray = [timeouts, caps, config.enrichmentUrls].flatMap(Object.keys).find((name) => !names.includes(name));
  if (stray !== undefined)
    throw new StartError(`The enrichment provider ${stray} has settings but is not enabled.`, {
      hint: `Add ${stray} to enrichment-providers, or remove its settings.`,
    });
  const others = names.filter((name) => name !== "local");
  // Loaded only if an outside provider is enabled, because it takes a third of the start.
  const created =
    others.length === 0 ? new Map<string, EnrichmentProvider>() : await createOthers(others, config, clock);
  return names.map((name) => ({
    provider: created.get(name) ?? local,
    timeoutMs: (timeouts[name] ?? defaultTimeoutSeconds[name] ?? timeoutSeconds) * 1000,
    spendCap: caps[name] ?? null,
  }));
}

async function createOthers(names: readonly string[], config: ProviderConfig, clock: Clock) {
  const { createOutsideProviders } = await import("./outside-providers.ts");
  return createOutsideProviders(names, config, clock);
}
