import type { Clock } from "../../../platform/base/clock.ts";
import type { EnrichField } from "../../../features/enrichment/fields.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../../features/enrichment/provider.ts";
import { numberAt, textAt } from "../json-path.ts";
import { askVendor, findingsOf, pauseEnd, usualRefusal, type VendorAnswer, type VendorWorld } from "./vendor.ts";

export const githubUrl = "https://api.github.com";
/** What people publish about themselves, under an address that they show there. */
const sureness = 0.7;

const fields: readonly EnrichField[] = [
  "firstName",
  "lastName",
  "location",
  "bio",
  "company",
  "email",
  "socialProfiles.twitter",
  "socialProfiles.github",
];

/** GitHub, users who show an address. Free: 10 searches per minute without a token, 30 with one. */
export function createGithub(
  world: VendorWorld,
  { url, token }: { url: string; token: string | null },
): EnrichmentProvider {
  const headers = {
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  async function ask(path: string, signal: AbortSignal): Promise<VendorAnswer | LookUpOutcome> {
    const answer = await askVendor(world, { url: `${url}/${path}`, headers, signal });
    return answer.kind === "json" ? (refusalOf(answer, world.clock) ?? answer) : answer;
  }

  return {
    name: "github",
    fields,
    fieldsFor: ({ email }) => (email === null ? [] : fields),

    async lookUp({ email }, { signal }) {
      if (email === null) return { kind: "none", spent: 0 };
      const search = await ask(`search/users?q=${encodeURIComponent(`${email} in:email`)}`, signal);
      if (search.kind !== "json") return search;
      const login = textAt(search.body, "items.0.login");
      // With several matches, the right one is unknown.
      if (login === null || numberAt(search.body, "total_count") !== 1) return { kind: "none", spent: 0 };
      const found = await ask(`users/${encodeURIComponent(login)}`, signal);
      if (found.kind !== "json") return found;
      const text = (path: string) => textAt(found.body, path);
      const [first, ...rest] = (text("name") ?? "").split(/\s+/);
      const twitter = text("twitter_username");
      const findings = findingsOf(
        {
          email,
          firstName: rest.length > 0 ? first : null,
          lastName: rest.length > 0 ? rest.join(" ") : null,
          location: text("location"),
          bio: text("bio"),
          company: text("company")?.replace(/^@/, ""),
          "socialProfiles.github": text("html_url"),
          "socialProfiles.twitter": twitter === null ? null : `https://twitter.com/${twitter}`,
        },
        sureness,
      );
      return { kind: "found", findings, spent: 0 };
    },
  };
}

/** 403 is a rate limit too, if nothing remains or a pause is requested. */
function refusalOf(answer: VendorAnswer, clock: Clock): LookUpOutcome | null {
  const { status, headers } = answer;
  const isLimit = headers.get("x-ratelimit-remaining") === "0" || headers.has("retry-after");
  if (status === 403 && isLimit)
    return { kind: "paused", until: pauseEnd(headers, clock.now()), reason: "Too many requests" };
  return usualRefusal(answer, clock);
}
