import type { EnrichField } from "../../../features/enrichment/fields.ts";
import type { EnrichmentProvider } from "../../../features/enrichment/provider.ts";
import { addressInDoubt } from "../../../features/enrichment/verdicts.ts";
import { textAt, valueAt } from "../json-path.ts";
import { askVendor, usualRefusal, type VendorWorld } from "./vendor.ts";

const sureness: Record<string, number> = { safe: 0.97, risky: 0.6, unknown: 0.4, invalid: 0 };
const disposableSureness = 0.1;

const fields: readonly EnrichField[] = ["email"];

/** Reacher, which is self-hosted: asks the mail server of an address whether it accepts mail for it. */
export function createReacher(
  world: VendorWorld,
  { url, secret }: { url: string; secret: string | null },
): EnrichmentProvider {
  return {
    name: "reacher",
    fields,
    fieldsFor: (subject) => (addressInDoubt(subject) === null ? [] : fields),
    verifies: addressInDoubt,

    async lookUp(subject, { signal }) {
      const email = addressInDoubt(subject);
      if (email === null) return { kind: "none", spent: 0 };
      const answer = await askVendor(world, {
        url: `${url}/v0/check_email`,
        headers: { ...(secret !== null && { "x-reacher-secret": secret }) },
        body: { json: { to_email: email } },
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const confidence = surenessOf(answer.body);
      if (confidence === null) return { kind: "failed", reason: "The response has an unknown verdict" };
      return { kind: "found", findings: [{ field: "email", value: email, confidence, verifies: true }], spent: 0 };
    },
  };
}

function surenessOf(body: unknown): number | null {
  const verdict = sureness[textAt(body, "is_reachable") ?? ""];
  if (verdict === undefined) return null;
  if (valueAt(body, "mx.accepts_mail") === false) return 0;
  // A server that accepts mail for every address says nothing about this one.
  if (valueAt(body, "smtp.is_catch_all") === true) return Math.min(verdict, sureness["risky"] ?? 0);
  return valueAt(body, "misc.is_disposable") === true ? Math.min(verdict, disposableSureness) : verdict;
}
