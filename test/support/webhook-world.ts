import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/platform/base/log.ts";
import { openSqliteStorage } from "../../src/adapters/storage/sqlite/sqlite-storage.ts";
import type { Message, PostOutcome } from "../../src/features/webhooks/connector.ts";
import { Deliverer } from "../../src/features/webhooks/deliverer.ts";
import { WebhookService } from "../../src/features/webhooks/service.ts";
import { FakeClock } from "./clock.ts";
import { createFactories } from "./factories.ts";

type Receiver = (message: Message) => PostOutcome | Promise<PostOutcome>;
type Hanging = { message: Message; answer: (outcome: PostOutcome) => void };

export const answered = (status: number, retryAt: number | null = null): PostOutcome => ({
  kind: "answered",
  status,
  retryAt,
  excerpt: `status ${status}`,
});

/** The service and the deliverer of webhooks on a real database, with receivers by their URL. `await using` ends it. */
export async function createWebhookWorld({ disableDays = 5 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "outreachd-webhooks-"));
  const clock = new FakeClock();
  const storage = openSqliteStorage(join(directory, "outreachd.db"), clock);
  const make = createFactories();
  const receivers = new Map<string, Receiver>();
  const posted: { url: string; at: number; message: Message }[] = [];
  const hanging: Hanging[] = [];
  const connector = {
    problem: () => null,
    async post(message: Message, signal: AbortSignal): Promise<PostOutcome> {
      posted.push({ url: message.url, at: clock.now(), message });
      const receiver = receivers.get(message.url) ?? (() => answered(200));
      const aborted = new Promise<PostOutcome>((resolve) =>
        signal.addEventListener("abort", () => resolve({ kind: "failed", reason: "aborted" })),
      );
      return Promise.race([receiver(message), aborted]);
    },
  };
  const launch = () =>
    new Deliverer({
      store: storage.webhooks,
      connector,
      onNewEvents: (tell) => storage.events.onNew(tell),
      disableAfterMs: disableDays * 86_400_000,
      clock,
      ids: make.ids,
      log: createLog("silent"),
    });
  let deliverer = launch();
  const dead: Deliverer[] = [];
  const service = new WebhookService({
    store: storage.webhooks,
    connector,
    clock,
    ids: make.ids,
    wake: () => deliverer.wake(),
    onChanged: (id) => deliverer.endpointChanged(id),
  });
  const { user } = await make.storedUser(storage);
  deliverer.start();
  return {
    clock,
    storage,
    make,
    service,
    workspaceId: user.id,
    posted,
    hanging,
    get deliverer() {
      return deliverer;
    },
    /** The receiver at this URL does so from now on. */
    at: (url: string, receiver: Receiver) => void receivers.set(url, receiver),
    /** A receiver that answers when the test says so. */
    hangs: (url: string) =>
      void receivers.set(url, (message) => new Promise((answer) => hanging.push({ message, answer }))),
    lead: () => make.storedLead(storage, user.id, { createdAt: clock.now(), updatedAt: clock.now() }),
    urls: () => posted.map(({ url }) => url),
    /** Lets everything happen that is due, but for what hangs. */
    async settle(): Promise<void> {
      for (let rounds = 0; rounds < 60; rounds++) {
        clock.advance(50);
        // A commit takes a turn of the event loop, what follows from it another.
        for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** Lets time pass, a step at a time, as a running server would see it. */
    async pass(ms: number, stepMs = ms): Promise<void> {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(stepMs);
        await deliverer.idle();
      }
    },
    /** The process is killed in the middle of what it does, and another begins. */
    restart(): void {
      dead.push(deliverer);
      deliverer = launch();
      deliverer.start();
    },
    async [Symbol.asyncDispose]() {
      let isStopped = false;
      const stopped = Promise.all([...dead, deliverer].map((each) => each.stop(0))).then(() => (isStopped = true));
      while (!isStopped) {
        clock.advance(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await stopped;
      await storage.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
