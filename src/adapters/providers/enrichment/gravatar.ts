import { fieldGroups, type EnrichField } from "../../../features/enrichment/fields.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { textAt, valueAt } from "../json-path.ts";
import { askVendor, findingsOf, usualRefusal, type VendorWorld } from "./vendor.ts";

export const gravatarUrl = "https://api.gravatar.com/v3";
/** What people publish about themselves, under an address that they have proved to own. */
const sureness = 0.75;

const { social } = fieldGroups;
const fields: readonly EnrichField[] = [
  "firstName",
  "lastName",
  "title",
  "location",
  "bio",
  "company",
  "email",
  ...social,
];

/** Gravatar (v3), profiles by the SHA-256 of an address. Free: 100 per hour without a key, 1,000 with one. */
export function createGravatar(
  world: VendorWorld,
  { url, key }: { url: string; key: string | null },
): EnrichmentProvider {
  return {
    name: "gravatar",
    fields,
    fieldsFor: ({ email }) => (email === null ? [] : fields),

    async lookUp({ email }, { signal }) {
      if (email === null) return { kind: "none", spent: 0 };
      const hash = new Bun.CryptoHasher("sha256").update(email.trim().toLowerCase()).digest("hex");
      const answer = await askVendor(world, {
        url: `${url}/profiles/${hash}`,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }) },
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const text = (path: string) => textAt(answer.body, path);
      const [first, ...rest] = (text("display_name") ?? "").split(/\s+/);
      // A display name of one word is often a nickname.
      const isFullName = rest.length > 0;
      const findings = findingsOf(
        {
          email,
          firstName: text("first_name") ?? (isFullName ? first : null),
          lastName: text("last_name") ?? (isFullName ? rest.join(" ") : null),
          title: text("job_title"),
          company: text("company"),
          location: text("location"),
          bio: text("description"),
          networkUrl: accountOf(answer.body, "linkedin"),
          "socialProfiles.twitter": accountOf(answer.body, "twitter"),
          "socialProfiles.github": accountOf(answer.body, "github"),
        },
        sureness,
      );
      return { kind: "found", findings, spent: 0 };
    },
  };
}

function accountOf(profile: unknown, service: string): string | null {
  const accounts = valueAt(profile, "verified_accounts");
  const account: unknown = (Array.isArray(accounts) ? accounts : []).find(
    (each: unknown) => textAt(each, "service_type") === service,
  );
  return textAt(account, "url");
}
