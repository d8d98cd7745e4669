import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import type { SuppressionTarget } from "../suppression/model.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import type { Merged } from "./model.ts";
import type { Person } from "./people.ts";
import { textsAt } from "./waterfall.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Checks people against the do-not-contact list before and after enrichment. */
export class DoNotContact {
  readonly #suppressions: SuppressionStore;

  constructor(suppressions: SuppressionStore) {
    this.#suppressions = suppressions;
  }

  /** Whether a person is on the list and therefore must not be enriched. */
  isSuppressed(workspaceId: WorkspaceId, { identity, texts }: Person): Promise<boolean> {
    return this.#isListed(workspaceId, {
      email: identity.email,
      profileKey: identity.network,
      phone: texts.phone ?? null,
    });
  }

  /** Whether the findings reveal that a person is on the list, although the input did not. */
  async areFindingsSuppressed(workspaceId: WorkspaceId, merged: Merged): Promise<boolean> {
    const profiles = textsAt(merged, "networkUrl").map((url) => ({ profileKey: canonicalProfileUrl(url) }));
    const emails = [...textsAt(merged, "email"), ...textsAt(merged, "alternativeEmails")].map((email) => ({ email }));
    for (const target of [...emails, ...profiles, ...textsAt(merged, "phone").map((phone) => ({ phone }))])
      if (await this.#isListed(workspaceId, target)) return true;
    return false;
  }

  async #isListed(workspaceId: WorkspaceId, target: SuppressionTarget): Promise<boolean> {
    return (await this.#suppressions.matches(workspaceId, target)).length > 0;
  }
}
