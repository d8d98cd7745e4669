import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import type { SuppressionTarget } from "../suppression/model.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import type { Merged } from "./model.ts";
import type { Person } from "./people.ts";
import { textsAt } from "./waterfall.ts";

/** Whom the do-not-contact list keeps from being enriched. */
export class DoNotContact {
  readonly #suppressions: SuppressionStore;

  constructor(suppressions: SuppressionStore) {
    this.#suppressions = suppressions;
  }

  /** Nobody is to learn more about a person who is on the list. */
  isBarred(userId: string, { identity, texts }: Person): Promise<boolean> {
    return this.#isListed(userId, { email: identity.email, profileKey: identity.network, phone: texts.phone ?? null });
  }

  /** Whether what was found of somebody shows that they are on the list, which what was known did not. */
  async isUnmasked(userId: string, merged: Merged): Promise<boolean> {
    const profiles = textsAt(merged, "networkUrl").map((url) => ({ profileKey: canonicalProfileUrl(url) }));
    const emails = [...textsAt(merged, "email"), ...textsAt(merged, "alternativeEmails")].map((email) => ({ email }));
    for (const target of [...emails, ...profiles, ...textsAt(merged, "phone").map((phone) => ({ phone }))])
      if (await this.#isListed(userId, target)) return true;
    return false;
  }

  async #isListed(userId: string, target: SuppressionTarget): Promise<boolean> {
    return (await this.#suppressions.matches(userId, target)).length > 0;
  }
}
