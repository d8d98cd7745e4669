import { isoTime } from "../../platform/base/clock.ts";
import { canonicalEmail } from "../../platform/identity/email.ts";
import type { EmailVerification, Finding, Subject, Verdict } from "./model.ts";

/** At or below this confidence, an address is refuted: mail does not arrive there, or the address is disposable. */
const maxRefutedConfidence = 0.1;
const minValidConfidence = 0.8;

/**
 * Verdicts on addresses by verifiers. If there are several, the most decisive one (farthest from 0.5) applies, or the
 * newest in a tie. A definite "invalid" therefore outweighs "valid": a bounce harms the sender more than an email that
 * is not sent.
 */
export class Verdicts {
  readonly #byAddress = new Map<string, Verdict[]>();

  /** Replaces an earlier verdict by the same provider. */
  add(verdict: Verdict): void {
    const address = canonicalEmail(verdict.email);
    const others = (this.#byAddress.get(address) ?? []).filter(({ provider }) => provider !== verdict.provider);
    this.#byAddress.set(address, [...others, verdict]);
  }

  /** The verdict that applies; null if there is none. */
  of(email: string): Verdict | null {
    const all = this.#byAddress.get(canonicalEmail(email)) ?? [];
    return all.toSorted((a, b) => certainty(b) - certainty(a) || b.at - a.at)[0] ?? null;
  }

  isRefuted(email: string): boolean {
    const verdict = this.of(email);
    return verdict !== null && isRefutation(verdict);
  }

  /** All verdicts, where `newer` takes precedence for each address. */
  overriddenBy(newer: Verdicts): Verdicts {
    const all = new Verdicts();
    for (const [address, verdicts] of [...this.#byAddress, ...newer.#byAddress]) all.#byAddress.set(address, verdicts);
    return all;
  }

  hasVerdictFrom(provider: string, email: string): boolean {
    return (this.#byAddress.get(canonicalEmail(email)) ?? []).some((verdict) => verdict.provider === provider);
  }
}

/** The address to verify; null if there is none. */
export function addressInDoubt({ email, emailIsRefuted = false, candidateEmail }: Subject): string | null {
  return email === null || emailIsRefuted ? candidateEmail : email;
}

export function isRefutation({ confidence }: Pick<Verdict, "confidence">): boolean {
  return confidence <= maxRefutedConfidence;
}

/** The verdicts among a provider's findings, which must be cleaned. */
export function verdictsIn(findings: readonly Finding[], provider: string, at: number): Verdict[] {
  return findings.flatMap(({ value, confidence, verifies }) =>
    verifies === true && typeof value === "string" ? [{ email: value, provider, confidence, at }] : [],
  );
}

/** The API view of a verdict. */
export function verificationOf({ email, provider, confidence, at }: Verdict): EmailVerification {
  const verdict = confidence >= minValidConfidence ? "valid" : isRefutation({ confidence }) ? "invalid" : "uncertain";
  return { email, verdict, confidence: Math.round(confidence * 100) / 100, provider, at: isoTime(at) };
}

function certainty({ confidence }: Verdict): number {
  return Math.abs(confidence - 0.5);
}
