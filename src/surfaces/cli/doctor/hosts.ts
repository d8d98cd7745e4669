import { systemClock } from "../../../platform/base/clock.ts";
import type { Config } from "../../../app/config/config.ts";
import { apolloUrl } from "../../../adapters/providers/enrichment/apollo.ts";
import { fullenrichUrl } from "../../../adapters/providers/enrichment/fullenrich.ts";
import { githubUrl } from "../../../adapters/providers/enrichment/github.ts";
import { gravatarUrl } from "../../../adapters/providers/enrichment/gravatar.ts";
import { hunterUrl } from "../../../adapters/providers/enrichment/hunter.ts";
import { pdlUrl } from "../../../adapters/providers/enrichment/pdl.ts";
import { createHttpClient } from "../../../adapters/providers/http.ts";
import { ok, problem, type Finding } from "./finding.ts";

/** `own`: only the operator can set the URL, so it may be private. */
type Host = { what: string; url: string; own: boolean };

const timeoutMs = 5_000;

/** Default URLs of vendors. */
const vendorUrls: Readonly<Record<string, string>> = {
  pdl: pdlUrl,
  hunter: hunterUrl,
  apollo: apolloUrl,
  fullenrich: fullenrichUrl,
  github: githubUrl,
  gravatar: gravatarUrl,
};

/** Checks whether configured hosts respond. Sends no key, and contacts no other host. */
export async function examineHosts(config: Config, webhooks: readonly string[], offline: boolean): Promise<Finding[]> {
  const check = "hosts";
  const hosts = hostsOf(config, webhooks);
  if (hosts.length === 0) return [ok(check, "No external host is configured.")];
  if (offline) return [];
  return await Promise.all(
    hosts.map(async ({ what, url, own }) => {
      const allowed = [...config.allowPrivateHosts, ...config.connectors.privateHosts];
      const allowPrivate = own ? [...allowed, new URL(url).hostname.replace(/^\[|\]$/g, "")] : allowed;
      const http = createHttpClient({ clock: systemClock, allowPrivate });
      const outcome = await http.send({ method: "HEAD", url, timeoutMs, maxBytes: 65_536 });
      if (outcome.kind === "answered" || outcome.kind === "tooLarge") return ok(check, `${what} responds at ${url}.`);
      const reason = "reason" in outcome ? outcome.reason : `no response within ${timeoutMs / 1000} seconds`;
      const hint = "Check the URL, and the DNS and firewall settings of this machine.";
      return problem(check, `${what} is unreachable at ${url}: ${reason}.`, hint);
    }),
  );
}

function hostsOf(config: Config, webhooks: readonly string[]): Host[] {
  const { connectors, voiceVendors: voice, enrichmentUrls, prospectUrls } = config;
  const hosts: Host[] = [];
  const add = (what: string, url: string | null | undefined, own: boolean): void => {
    if (url && !hosts.some((host) => host.url === url)) hosts.push({ what, url, own });
  };
  if (connectors.unipileApiKey !== null) add("Unipile", connectors.unipileUrl, true);
  if (connectors.linkedapiToken !== null) add("Linked API", connectors.linkedapiUrl, true);
  for (const name of config.enrichmentProviders)
    add(`The enrichment provider ${name}`, enrichmentUrls[name] ?? vendorUrls[name], false);
  for (const [name, key] of [
    ["pdl", config.pdlKey],
    ["apollo", config.apolloKey],
    ["fullenrich", config.fullenrichKey],
  ] as const)
    if (key !== null) add(`The prospect source ${name}`, prospectUrls[name] ?? vendorUrls[name], false);
  if (voice.elevenlabsApiKey !== null) add("ElevenLabs", voice.elevenlabsUrl, true);
  if (voice.cartesiaApiKey !== null) add("Cartesia", voice.cartesiaUrl, true);
  add("The voice engine chatterbox", voice.chatterboxUrl, true);
  add("The voice engine chatterbox-devnen", voice.chatterboxDevnenUrl, true);
  add("The voice engine pocket-tts", voice.pocketTtsUrl, true);
  add("The voice engine xtts", voice.xttsUrl, true);
  add("The voice engine openai-speech", voice.openaiSpeechUrl, true);
  for (const url of webhooks) add("The webhook of an account", url, false);
  return hosts;
}
