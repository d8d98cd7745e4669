import { readFileSync } from "node:fs";
import type { Clock } from "../../../platform/base/clock.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { StartError } from "../../../platform/base/start-error.ts";
import { createHttpClient } from "../http.ts";
import { type HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { apolloUrl, createApollo } from "./apollo.ts";
import { createFullenrich, fullenrichUrl } from "./fullenrich.ts";
import { createGithub, githubUrl } from "./github.ts";
import { createGravatar, gravatarUrl } from "./gravatar.ts";
import { createHttpVendor, readVendorMappings, type VendorMapping } from "./http-vendor.ts";
import { createHunter, hunterUrl } from "./hunter.ts";
import { createPdl, pdlUrl } from "./pdl.ts";
import { createReacher } from "./reacher.ts";
import type { VendorWorld } from "./vendor.ts";
import { createWeb, systemMailCheck } from "./web.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** Creates the providers that send requests, by name. Throws `StartError` for invalid settings. */
export function createOutsideProviders(
  names: readonly string[],
  config: ProviderConfig,
  clock: Clock,
): Map<string, EnrichmentProvider> {
  const vendors = { http: vendorClient(config, clock), clock };
  const mappings = readMappings(config.enrichmentVendors);
  return new Map(names.map((name) => [name, createProvider(name, vendors, config, mappings)]));
}

function vendorClient({ allowPrivateHosts }: ProviderConfig, clock: Clock): HttpClient {
  try {
    return createHttpClient({ clock, allowPrivate: allowPrivateHosts });
  } catch (error) {
    throw new StartError(`allow-private-hosts: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readMappings(path: string | null): VendorMapping[] {
  if (path === null) return [];
  try {
    return readVendorMappings(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`Could not read the enrichment vendors in ${path}: ${reason}`, { cause: error });
  }
}

function createProvider(
  name: string,
  vendor: VendorWorld,
  config: ProviderConfig,
  mappings: readonly VendorMapping[],
): EnrichmentProvider {
  const urls = config.enrichmentUrls;
  const { clock } = vendor;
  switch (name) {
    case "web":
      // Not the vendors' client, because the domains come from untrusted input.
      return createWeb({ http: createHttpClient({ clock }), clock, takesMail: systemMailCheck });
    case "gravatar":
      return createGravatar(vendor, { url: urls[name] ?? gravatarUrl, key: config.gravatarKey });
    case "github":
      return createGithub(vendor, { url: urls[name] ?? githubUrl, token: config.githubKey });
    case "pdl":
      return createPdl(vendor, { url: urls[name] ?? pdlUrl, key: required(name, config.pdlKey) });
    case "hunter":
      return createHunter(vendor, { url: urls[name] ?? hunterUrl, key: required(name, config.hunterKey) });
    case "apollo":
      return createApollo(vendor, { url: urls[name] ?? apolloUrl, key: required(name, config.apolloKey) });
    case "fullenrich":
      return createFullenrich(vendor, { url: urls[name] ?? fullenrichUrl, key: required(name, config.fullenrichKey) });
    case "reacher":
      return createReacher(vendor, { url: reacherUrl(urls[name]), secret: config.reacherKey });
    default:
      return createMapped(name, mappings, vendor);
  }
}

const ownNames = "local, web, gravatar, github, pdl, hunter, apollo, fullenrich, reacher";

function required(name: string, key: string | null): string {
  if (key !== null) return key;
  const variable = `OUTREACHD_${name.toUpperCase()}_KEY`;
  throw new StartError(`The enrichment provider ${name} requires an API key.`, {
    hint: `Set ${variable} or ${variable}_FILE, or remove ${name} from enrichment-providers.`,
  });
}

function reacherUrl(url: string | undefined): string {
  if (url !== undefined) return url;
  throw new StartError("The enrichment provider reacher requires the URL of your Reacher server.", {
    hint: "Set enrichment-urls to reacher=http://HOST:PORT, and allow-private-hosts to HOST.",
  });
}

function createMapped(name: string, mappings: readonly VendorMapping[], vendor: VendorWorld): EnrichmentProvider {
  const mapping = mappings.find((each) => each.name === name);
  const own = mappings.map((each) => each.name).join(", ");
  if (mapping === undefined)
    throw new StartError(`Enrichment provider ${name} not found.`, {
      hint: `Available: ${ownNames}${own && `, and your own ${own}`}.`,
    });
  const variable = mapping["secret-env"];
  // Only the vendor file contains its name, so it is not one of our options.
  const secret = variable === undefined ? null : (process.env[variable] ?? null);
  if (variable !== undefined && secret === null)
    throw new StartError(
      `The enrichment provider ${name} requires the environment variable ${variable}, which is not set.`,
      {
        hint: `Set ${variable}, or remove ${name} from enrichment-providers.`,
      },
    );
  return createHttpVendor(vendor, mapping, secret);
}
