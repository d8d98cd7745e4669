import { systemClock } from "../../../platform/base/clock.ts";
import type { ThreadPort } from "../../../threads.ts";
import type { Message, PostOutcome } from "../../../features/webhooks/connector.ts";
import { createWebhookPoster } from "./http.ts";

export type Order = { id: number; message: Message };
export type Report = { id: number; outcome: PostOutcome };

export type SendingThread = {
  task: "webhook-sending";
  init: { privateHosts: readonly string[] };
  port: ThreadPort<Order[], Report[]>;
};

/** Posts each message on arrival. Posts that end in the same turn of the event loop are reported together. */
export function runSendingThread(port: SendingThread["port"], { privateHosts }: SendingThread["init"]): void {
  const poster = createWebhookPoster(privateHosts, systemClock);
  const never = new AbortController().signal;
  let reports: Report[] = [];
  const report = (id: number, outcome: PostOutcome): void => {
    if (reports.push({ id, outcome }) > 1) return;
    setImmediate(() => {
      port.post(reports);
      reports = [];
    });
  };
  port.onMessage((orders) => {
    for (const { id, message } of orders)
      void poster.post(message, never).then(
        (outcome) => report(id, outcome),
        (error: unknown) => report(id, { kind: "failed", reason: `Could not be posted: ${String(error)}` }),
      );
  });
}
