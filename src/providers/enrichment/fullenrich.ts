import type { EnrichField } from "../../enrichment/fields.ts";
import type { Finding } from "../../enrichment/model.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../enrichment/provider.ts";
import { numberAt, textAt } from "../json-path.ts";
import { askVendor, findingsOf, pause, usualRefusal, type VendorAnswer, type VendorWorld } from "./vendor.ts";

export const fullenrichUrl = "https://app.fullenrich.com/api/v2";

const sureness: Record<string, number> = { DELIVERABLE: 0.97, HIGH_PROBABILITY: 0.85, CATCH_ALL: 0.6 };
const profileSureness = 0.8;
/** It tells a profile of those only whose profile URL it gets. */
const ofProfile: readonly EnrichField[] = ["firstName", "lastName", "title", "company", "networkUrl", "location"];
/** It works through many vendors itself, which takes half a minute and more. */
const askAgainMs = 3_000;

/**
 * FullEnrich (v2), work addresses. A request is started, then asked for until it has finished. One that is given up in
 * between costs nothing twice: the same person within three months is free there.
 */
export function createFullenrich(world: VendorWorld, { url, key }: { url: string; key: string }): EnrichmentProvider {
  const headers = { authorization: `Bearer ${key}` };

  async function follow(id: string, signal: AbortSignal): Promise<LookUpOutcome> {
    while (await pause(world.clock, askAgainMs, signal)) {
      const answer = await askVendor(world, {
        url: `${url}/contact/enrich/bulk/${encodeURIComponent(id)}`,
        headers,
        signal,
      });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const outcome = outcomeOf(answer, world.clock.now());
      if (outcome !== null) return outcome;
    }
    return { kind: "failed", reason: "It took too long" };
  }

  return {
    name: "fullenrich",
    gives: ["email", ...ofProfile],
    brings({ email, networkUrl, firstName, lastName, company, domain }) {
      const address: EnrichField[] = email === null ? ["email"] : [];
      if (networkUrl !== null) return [...address, ...ofProfile];
      return firstName !== null && lastName !== null && (domain ?? company) !== null ? address : [];
    },

    async lookUp({ firstName, lastName, company, domain, networkUrl }, { signal }) {
      const person = {
        ...(firstName !== null && { first_name: firstName }),
        ...(lastName !== null && { last_name: lastName }),
        ...(domain !== null && { domain }),
        ...(company !== null && { company_name: company }),
        ...(networkUrl !== null && { linkedin_url: networkUrl }),
        enrich_fields: ["contact.work_emails"],
      };
      const body = { json: { name: "outreachd", data: [person] } };
      const answer = await askVendor(world, { url: `${url}/contact/enrich/bulk`, headers, body, signal });
      if (answer.kind !== "json") return answer;
      const refusal = usualRefusal(answer, world.clock);
      if (refusal !== null) return refusal;
      const id = textAt(answer.body, "enrichment_id");
      return id === null ? { kind: "failed", reason: "It did not name the enrichment" } : follow(id, signal);
    },
  };
}

/** Null while it works. */
function outcomeOf({ body }: VendorAnswer, now: number): LookUpOutcome | null {
  const status = textAt(body, "status");
  switch (status) {
    case "CREATED":
    case "IN_PROGRESS":
      return null;
    case "FINISHED": {
      const findings = findingsIn(body);
      const spent = numberAt(body, "cost.credits") ?? 0;
      return findings.length === 0 ? { kind: "none", spent } : { kind: "found", findings, spent };
    }
    case "CREDITS_INSUFFICIENT":
      return { kind: "exhausted", reason: "Our account there has no credits left" };
    case "RATE_LIMIT":
      return { kind: "paused", until: now + 60_000, reason: "Too many requests" };
    default:
      return { kind: "failed", reason: `It ended as ${status?.slice(0, 40) ?? "nothing"}` };
  }
}

function findingsIn(body: unknown): Finding[] {
  const text = (path: string) => textAt(body, `data.0.${path}`);
  const found = "contact_info.most_probable_work_email";
  return [
    ...findingsOf({ email: text(`${found}.email`) }, sureness[text(`${found}.status`) ?? ""] ?? 0),
    ...findingsOf(
      {
        firstName: text("profile.first_name"),
        lastName: text("profile.last_name"),
        title: text("profile.headline"),
        location: text("profile.location"),
        networkUrl: text("profile.linkedin_url"),
        company: text("profile.company.name"),
      },
      profileSureness,
    ),
  ].filter(({ confidence }) => confidence > 0);
}
