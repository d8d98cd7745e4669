import { isoTime } from "../../platform/base/clock.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import type { EmailVerification, Finding, Subject, Verdict } from "./model.ts";

/** As little sure, an address is refuted: no mail arrives there, or it is one for a day. */
const refutedUpTo = 0.1;
const validFrom = 0.8;

/**
 * What verifiers say of addresses. Of several the surest verdict counts, which is the one that is farthest from a coin's
 * toss, and among equals the newest: so a plain "invalid" stands against a "valid", since mail that bounces harms the
 * sender more than one that is not sent.
 */
export class Verdicts {
  readonly #byAddress = new Map<string, Verdict[]>();

  /** Takes the place of what the same provider said before. */
  add(verdict: Verdict): void {
    const address = canonicalEmail(verdict.email);
    const others = (this.#byAddress.get(address) ?? []).filter(({ provider }) => provider !== verdict.provider);
    this.#byAddress.set(address, [...others, verdict]);
  }

  /** The one that counts; null where nobody was asked. */
  of(email: string): Verdict | null {
    const all = this.#byAddress.get(canonicalEmail(email)) ?? [];
    return all.toSorted((a, b) => certainty(b) - certainty(a) || b.at - a.at)[0] ?? null;
  }

  isRefuted(email: string): boolean {
    const verdict = this.of(email);
    return verdict !== null && refutes(verdict);
  }

  /** All that are known; those on addresses that `newer` knows too count no more. */
  replacedBy(newer: Verdicts): Verdicts {
    const all = new Verdicts();
    for (const [address, verdicts] of [...this.#byAddress, ...newer.#byAddress]) all.#byAddress.set(address, verdicts);
    return all;
  }

  isBy(provider: string, email: string): boolean {
    return (this.#byAddress.get(canonicalEmail(email)) ?? []).some((verdict) => verdict.provider === provider);
  }
}

/** The address that a verifier is asked about; null where there is none in doubt. */
export function addressInDoubt({ email, emailIsRefuted = false, candidateEmail }: Subject): string | null {
  return email === null || emailIsRefuted ? candidateEmail : email;
}

export function refutes({ confidence }: Pick<Verdict, "confidence">): boolean {
  return confidence <= refutedUpTo;
}

/** Those that a provider gives, as findings that decide; clean ones. */
export function verdictsIn(findings: readonly Finding[], provider: string, at: number): Verdict[] {
  return findings.flatMap(({ value, confidence, verifies }) =>
    verifies === true && typeof value === "string" ? [{ email: value, provider, confidence, at }] : [],
  );
}

/** As a client sees it. */
export function verificationOf({ email, provider, confidence, at }: Verdict): EmailVerification {
  const verdict = confidence >= validFrom ? "valid" : refutes({ confidence }) ? "invalid" : "uncertain";
  return { email, verdict, confidence: Math.round(confidence * 100) / 100, provider, at: isoTime(at) };
}

function certainty({ confidence }: Verdict): number {
  return Math.abs(confidence - 0.5);
}
