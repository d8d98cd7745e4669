import type { Clock } from "../../../platform/base/clock.ts";
import type { ConnectorName } from "../../../features/network/account-model.ts";
import type { Connector } from "../../../features/network/connector.ts";
import type { Simulation } from "../../../features/network/simulation.ts";
import { createHttpClient } from "../http.ts";
import { type HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { createLinkedapiConnector } from "./linkedapi.ts";
import { createManualConnector } from "./manual.ts";
import { createSimulatedConnector } from "./simulated.ts";
import { createUnipileConnector } from "./unipile.ts";
import { createWebhookConnector } from "./webhook.ts";
import { createWorkerConnector } from "./worker.ts";

/** Settings of the operator. Null = not set, so the connector of that name only reports what it requires. */
export type ConnectorConfig = Readonly<{
  webhookSecret: string | null;
  /** The operator's own hosts and networks (CIDR) that the webhook connector may call. */
  privateHosts: readonly string[];
  unipileUrl: string | null;
  unipileApiKey: string | null;
  linkedapiUrl: string;
  linkedapiToken: string | null;
  linkedapiIdentifications: Readonly<Record<string, string>> | null;
  simulation: Simulation;
}>;

/** Creates all connectors, without sending requests or opening anything. */
export function createConnectors(config: ConnectorConfig, clock: Clock): Record<ConnectorName, Connector> {
  const { webhookSecret: secret, privateHosts, unipileUrl, unipileApiKey: apiKey } = config;
  const { linkedapiUrl: url, linkedapiToken: token, linkedapiIdentifications: identifications } = config;
  const clientFor = (...allowPrivate: string[]): HttpClient => createHttpClient({ clock, allowPrivate });
  return {
    manual: createManualConnector(),
    worker: createWorkerConnector(),
    webhook: createWebhookConnector({ secret, privateHosts }, clientFor(...privateHosts), clock),
    unipile: createUnipileConnector({ url: unipileUrl, apiKey }, clientFor(...hostOf(unipileUrl)), clock),
    linkedapi: createLinkedapiConnector({ url, token, identifications }, clientFor(...hostOf(url)), clock),
    simulated: createSimulatedConnector(config.simulation, clock),
  };
}

/** A URL set by the operator may be private; one set by a user may not. */
function hostOf(url: string | null): string[] {
  const host = URL.parse(url ?? "")?.hostname.replace(/^\[|\]$/g, "");
  return host ? [host] : [];
}
