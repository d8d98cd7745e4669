import { domainsOfEmail } from "../../platform/identity/email-domain.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import { phoneNumber, type PhoneRegion } from "../../platform/identity/phone.ts";
import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import type { Reachable, SuppressionKind, SuppressionMatch, SuppressionTarget } from "./model.ts";
import { identifiersOfPerson, type Identifier, type StoredBeside } from "./person-identifiers.ts";

/** An entry as stored. `owner` null: it applies to every user. */
export type StoredEntry = { id: string; owner: number | null; kind: SuppressionKind; reason: string | null };

/** What the search for entries asks of the store. */
export type SuppressionFacts = {
  beside: StoredBeside;
  /** Entries for this value in normal form, the user's own first: that is the one the user can remove. */
  entries(kind: SuppressionKind, value: string): readonly StoredEntry[];
};

/** The entries that block a person with these identifiers, each once, those for the identifiers themselves first. Lazy. */
export function* matchesOf(
  own: readonly Identifier[],
  { beside, entries }: SuppressionFacts,
): Generator<SuppressionMatch, void, void> {
  const isOwn = ({ kind, value }: Identifier) => own.some((each) => each.kind === kind && each.value === value);
  const seen = new Set<string>();
  for (const identifier of identifiersOfPerson(own, beside))
    for (const entry of entriesFor(identifier, entries)) {
      if (seen.has(entry.id)) continue;
      seen.add(entry.id);
      const match = matchOf(entry);
      if (isOwn(identifier)) yield match;
      else yield identifier.kind === "formerEmail" ? { ...match, isOfFormerJob: true } : { ...match, isLinked: true };
    }
}

/** The entries for an identifier itself: its value and, for an email address, the domains that it belongs to. */
function* entriesFor(
  { kind, value }: Identifier,
  entries: SuppressionFacts["entries"],
): Generator<StoredEntry, void, void> {
  const [first] = entries(kind === "formerEmail" ? "email" : kind, value);
  if (first !== undefined) yield first;
  for (const domain of kind === "email" ? domainsOfEmail(value) : []) {
    const [entry] = entries("domain", domain);
    if (entry !== undefined) yield entry;
  }
}

/** The entries for exactly this address or its domain, no matter who else the address belongs to. */
export function* entriesOfAddress(
  email: string,
  entries: SuppressionFacts["entries"],
): Generator<SuppressionMatch, void, void> {
  for (const entry of entriesFor({ kind: "email", value: canonicalEmail(email) }, entries)) yield matchOf(entry);
}

function matchOf({ id, owner, kind, reason }: StoredEntry): SuppressionMatch {
  return { entryId: id, kind, scope: owner === null ? "team" : "user", reason };
}

/** What a target says about its person directly. Numbers without a country code are read as those of the region. */
export function identifiersOf(
  { email, profileKey, phone }: Omit<SuppressionTarget, "leadId">,
  region: PhoneRegion | null,
): Identifier[] {
  const number = phone ? phoneNumber(phone, region) : null;
  return [
    ...(email ? [{ kind: "email", value: canonicalEmail(email) } as const] : []),
    ...(profileKey ? [{ kind: "profile", value: profileKey } as const] : []),
    ...(number === null ? [] : [{ kind: "phone", value: number } as const]),
  ];
}

/** How a stored record says that its person is reached. */
export function identifiersOfRecord(
  { email, networkUrl, phone }: { email: string | null; networkUrl: string | null; phone: string | null },
  region: PhoneRegion | null,
): Identifier[] {
  return identifiersOf(
    { email, phone, profileKey: networkUrl === null ? null : canonicalProfileUrl(networkUrl) },
    region,
  );
}

/** What a person is called in a decision about contact. */
export function targetOfReachable({ email, networkUrl, phone }: Reachable): SuppressionTarget {
  return { email, profileKey: networkUrl === null ? null : canonicalProfileUrl(networkUrl), phone };
}

/** Whether an entry blocks a person. Of addresses from former jobs, only entries for the address itself apply. */
export function isSuppressed(
  person: Reachable,
  entries: {
    suppression(target: SuppressionTarget): SuppressionMatch | null;
    addressSuppressions(email: string): readonly SuppressionMatch[];
  },
): boolean {
  if (entries.suppression(targetOfReachable(person)) !== null) return true;
  return (person.formerEmails ?? []).some((former) =>
    entries.addressSuppressions(former).some(({ kind }) => kind === "email"),
  );
}
