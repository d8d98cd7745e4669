import { startThread, type Thread } from "../../../threads.ts";
import type { PostOutcome, WebhookConnector } from "../../../features/webhooks/connector.ts";
import { problemOfReceiver } from "./http.ts";
import type { Order, Report } from "./sending-thread.ts";

/** A sender that can be stopped. */
export type WebhookSender = WebhookConnector & {
  /** Ends the thread. Posts in progress fail. Safe to call twice. */
  stop(): Promise<void>;
};

/**
 * Posts from a separate thread, because a thousand requests per second would block the event loop and thereby every
 * client. The thread starts with the first post.
 */
export function createWebhookSender(privateHosts: readonly string[]): WebhookSender {
  const waiting = new Map<number, (outcome: PostOutcome) => void>();
  let thread: Thread<Order[], Report[]> | null = null;
  let orders: Order[] = [];
  let lastId = 0;

  function settle(id: number, outcome: PostOutcome): void {
    waiting.get(id)?.(outcome);
    waiting.delete(id);
  }

  function started(): Thread<Order[], Report[]> {
    if (thread !== null) return thread;
    const fresh = startThread<Order[], Report[]>("webhook-sending", { privateHosts });
    thread = fresh;
    fresh.onMessage((reports) => {
      for (const { id, outcome } of reports) settle(id, outcome);
    });
    // The next post starts another thread. Whether receivers got the posts in progress is unknown, so they are posted
    // again.
    void fresh.closed.then(() => {
      if (thread === fresh) thread = null;
      for (const id of waiting.keys()) settle(id, { kind: "failed", reason: "The server stopped posting." });
    });
    return fresh;
  }

  /** Posts in the same turn of the event loop are sent to the thread together. */
  function order(message: Order["message"]): number {
    const id = ++lastId;
    if (orders.push({ id, message }) === 1)
      setImmediate(() => {
        started().post(orders);
        orders = [];
      });
    return id;
  }

  return {
    problem: (url) => problemOfReceiver(url, privateHosts),
    post(message, signal) {
      const id = order(message);
      const stop = (): void => settle(id, { kind: "failed", reason: "The server stopped." });
      return new Promise<PostOutcome>((resolve) => {
        waiting.set(id, resolve);
        signal.addEventListener("abort", stop);
      }).finally(() => signal.removeEventListener("abort", stop));
    },
    async stop() {
      thread?.stop();
      await thread?.closed;
    },
  };
}
