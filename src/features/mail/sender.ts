import type { Clock } from "../../platform/base/clock.ts";
import type { Log } from "../../platform/base/log.ts";
import { outcomeOf } from "./decisions.ts";
import type { MailProvider } from "./mail-provider.ts";
import type { MailStore } from "./store.ts";

type Parts = { store: MailStore; provider: MailProvider; clock: Clock; log: Log };

const batchSize = 20;
const maxMailsPerRun = 500;
/** Longer than all attempts of a batch, each of which gives up after 30 s. */
const leaseMs = 15 * 60_000;
/** For finding out later what was sent, and so that nothing is queued again. */
const retentionMs = 30 * 86_400_000;
const sweepBatchSize = 1000;

/** Sends what is queued, one mail after the other. */
export class MailSender {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends what is due. */
  async run(): Promise<void> {
    const { store, provider, clock, log } = this.#parts;
    for (let sent = 0; sent < maxMailsPerRun;) {
      const mails = await store.claim(clock.now(), clock.now() + leaseMs, batchSize);
      for (const { id, kind, recipient, subject, body, tries } of mails) {
        const result = await provider.send({ id, recipient, subject, body: body ?? "" });
        const outcome = outcomeOf(result, tries, clock.now());
        await store.settle(id, outcome, clock.now());
        if (outcome.kind !== "sent")
          log.warn({ mail: id, kind, tries, reason: outcome.reason }, `mail ${wordOf(outcome.kind)}`);
      }
      sent += mails.length;
      if (mails.length < batchSize) return;
    }
  }

  async sweep(): Promise<void> {
    const { store, clock } = this.#parts;
    while ((await store.sweep(clock.now() - retentionMs, sweepBatchSize)) >= sweepBatchSize);
  }
}

function wordOf(kind: "retry" | "failed"): string {
  return kind === "retry" ? "not sent yet" : "not sent";
}
