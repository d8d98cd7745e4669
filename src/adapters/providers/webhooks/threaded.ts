import { startThread, type Thread } from "../../../threads.ts";
import type { PostOutcome, WebhookConnector } from "../../../features/webhooks/connector.ts";
import { problemOfReceiver } from "./http.ts";
import type { Order, Report } from "./sending-thread.ts";

/** The way to receivers, with an end. */
export type WebhookSender = WebhookConnector & {
  /** Ends the thread; what is under way has failed. Safe to call twice. */
  stop(): Promise<void>;
};

/**
 * Posts from a thread of its own, because a thousand requests a second would keep the event loop, and with it every
 * client, waiting. The thread starts with the first post.
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
    // The next post starts another thread. Whether the receiver got what was under way nobody knows: it is posted again.
    void fresh.closed.then(() => {
      if (thread === fresh) thread = null;
      for (const id of waiting.keys()) settle(id, { kind: "failed", reason: "The server stopped posting." });
    });
    return fresh;
  }

  /** What is posted in one turn of the event loop goes over together. */
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
