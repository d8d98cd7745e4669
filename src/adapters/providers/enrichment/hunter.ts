import type { EnrichField } from "../../../features/enrichment/fields.ts";
import type { Subject } from "../../../features/enrichment/model.ts";
import type { EnrichmentProvider, LookUpOutcome } from "../../../features/enrichment/provider.ts";
import { addressInDoubt } from "../../../features/enrichment/verdicts.ts";
import { numberAt, textAt } from "../json-path.ts";
import {
  askVendor,
  asUrl,
  findingsOf,
  pause,
  pauseEnd,
  queryOf,
  usualRefusal,
  type VendorAnswer,
  type VendorWorld,
} from "./vendor.ts";

export const hunterUrl = "https://api.hunter.io/v2";

/** Confidence by the status of a verification. */
const sureness: Record<string, number> = {
  valid: 0.97,
  webmail: 0.8,
  accept_all: 0.6,
  unknown: 0.4,
  disposable: 0.1,
  invalid: 0,
};
/** Its credits. */
const findingCost = 1;
const verificationCost = 0.5;
/** 202: still running, poll again. */
const againAfterMs = 2_000;

const fields: readonly EnrichField[] = ["email", "title", "company", "networkUrl", "phone"];

/** Hunter (v2): finds the address of a person at a domain, or verifies a known one. */
export function createHunter(world: VendorWorld, { url, key }: { url: string; key: string }): EnrichmentProvider {
  async function ask(path: string, query: string, signal: AbortSignal): Promise<VendorAnswer | LookUpOutcome> {
    for (;;) {
      const answer = await askVendor(world, { url: `${url}/${path}?${query}`, headers: { "x-api-key": key }, signal });
      if (answer.kind !== "json" || answer.status !== 202) return answer.kind === "json" ? refused(answer) : answer;
      if (!(await pause(world.clock, againAfterMs, signal))) return { kind: "failed", reason: "Timed out" };
    }
  }

  /** Hunter swaps these two: 403 is the rate limit, 429 the limit of the plan. */
  function refused(answer: VendorAnswer): VendorAnswer | LookUpOutcome {
    const { status, headers } = answer;
    if (status === 403)
      return { kind: "paused", until: pauseEnd(headers, world.clock.now()), reason: "Too many requests" };
    if (status === 429) return { kind: "exhausted", reason: "The limit of the provider plan is used up" };
    return usualRefusal(answer, world.clock) ?? answer;
  }

  async function find({ firstName, lastName, company, domain, networkUrl }: Subject, signal: AbortSignal) {
    const handle = networkUrl === null ? null : (/\/in\/([^/]+)$/.exec(networkUrl)?.[1] ?? null);
    const isNamed = firstName !== null && lastName !== null;
    const who = {
      first_name: isNamed ? firstName : null,
      last_name: isNamed ? lastName : null,
      domain: isNamed ? domain : null,
      company: isNamed && domain === null ? company : null,
      linkedin_handle: isNamed ? null : handle,
    };
    const answer = await ask("email-finder", queryOf(who), signal);
    if (answer.kind !== "json") return answer;
    const text = (path: string) => textAt(answer.body, `data.${path}`);
    const email = text("email");
    if (email === null) return { kind: "none", spent: 0 } as const;
    const score = (numberAt(answer.body, "data.score") ?? 0) / 100;
    const status = text("verification.status");
    const findings = [
      isRefuted(status)
        ? ({ field: "email", value: email, confidence: sureness[status ?? ""] ?? 0, verifies: true } as const)
        : ({ field: "email", value: email, confidence: surenessOf(score, status) } as const),
      ...findingsOf(
        {
          title: text("position"),
          company: text("company"),
          networkUrl: asUrl(text("linkedin_url")),
          phone: text("phone_number"),
          firstName: text("first_name"),
          lastName: text("last_name"),
        },
        score,
      ),
    ];
    return { kind: "found", findings, spent: findingCost } as const;
  }

  async function verify(email: string, signal: AbortSignal): Promise<LookUpOutcome> {
    const answer = await ask("email-verifier", queryOf({ email }), signal);
    if (answer.kind !== "json") return answer;
    const confidence = sureness[textAt(answer.body, "data.status") ?? ""];
    if (confidence === undefined) return { kind: "failed", reason: "The response has an unknown status" };
    const finding = { field: "email", value: email, confidence, verifies: true } as const;
    return { kind: "found", findings: [finding], spent: verificationCost };
  }

  return {
    name: "hunter",
    spends: { minimum: verificationCost, on: (subject) => (isToFind(subject) ? findingCost : verificationCost) },
    fields,
    fieldsFor(subject) {
      if (isToFind(subject)) return fields;
      return addressInDoubt(subject) === null ? [] : ["email"];
    },
    verifies: (subject) => (isToFind(subject) ? null : addressInDoubt(subject)),
    // Searches for an address if possible, even if one was guessed, because the result is verified.
    lookUp(subject, { signal }) {
      if (isToFind(subject)) return find(subject, signal);
      return verify(addressInDoubt(subject) ?? "", signal);
    },
  };
}

/** A verdict against an address outweighs how it was found; an inconclusive one does not reduce its confidence. */
function isRefuted(status: string | null): boolean {
  return status === "invalid" || status === "disposable";
}

function surenessOf(score: number, status: string | null): number {
  return Math.max(sureness[status ?? ""] ?? 0, Math.min(score, sureness["valid"]!));
}

/** If an address is known, it is only verified, until it turns out to be invalid. */
function isToFind({ email, emailIsRefuted = false, ...known }: Subject): boolean {
  const { firstName, lastName, company, domain, networkUrl } = known;
  if (email !== null && !emailIsRefuted) return false;
  const isNamed = firstName !== null && lastName !== null;
  return isNamed ? (domain ?? company) !== null : networkUrl?.includes("/in/") === true;
}
