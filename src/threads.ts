export const threadTasks = [
  "lead-file",
  "workbook-csv",
  "sqlite-reader",
  "prospect-index",
  "prospect-file",
  "voice-analysis",
  "voice-fitting",
  "voice-speaking",
  "webhook-sending",
  "backup",
] as const;
/** Tasks of worker threads; `worker.ts` has a case for each. */
export type ThreadTask = (typeof threadTasks)[number];

/** A running worker thread, as seen by the thread that started it. `In` is sent to it, `Out` comes back. */
export type Thread<In, Out> = {
  /** `transfer` lists buffers that are moved instead of copied; this side loses them. */
  post(message: In, transfer?: ArrayBuffer[]): void;
  /** Sets the only listener. Messages that arrived earlier are delivered to it first, in order. */
  onMessage(listener: (message: Out) => void): void;
  /** Resolves when the thread has ended: null after `stop`, otherwise the reason why it ended. Never rejects. */
  closed: Promise<Error | null>;
  /**
   * Ends the thread immediately, even in the middle of a long computation in JavaScript. Native code, such as a step of
   * SQLite, cannot be interrupted; the wait for it is limited to a few seconds. Safe to call twice.
   */
  stop(): void;
};

const longestEndMs = 3_000;

/** The same channel, as seen from inside the thread. */
export type ThreadPort<In, Out> = {
  /** `transfer` lists buffers that are moved instead of copied; this side loses them. */
  post(message: Out, transfer?: ArrayBuffer[]): void;
  onMessage(listener: (message: In) => void): void;
};

/**
 * For a thread that may send as many messages as it was allowed: `allowed` at first, and one more for each message that
 * arrives. Sets the listener of the port. The returned function resolves when one more may be sent, and counts it.
 */
export function allowance(port: Pick<ThreadPort<"next", never>, "onMessage">, allowed: number): () => Promise<void> {
  let left = allowed;
  let wake = (): void => {};
  port.onMessage(() => {
    left++;
    wake();
  });
  return async () => {
    while (left === 0) await new Promise<void>((resolve) => (wake = resolve));
    left--;
  };
}

/** First message to a thread: its task, the task's input, and the channel to the thread that started it. */
export type ThreadStart = { task: ThreadTask; init: unknown; port: object };

/**
 * Starts a worker thread for one task. `init` and all messages are copied (structured clone). An uncaught error ends
 * only the thread and is reported by `closed`. `smol`: the thread creates little garbage, so its heap can stay small.
 */
export function startThread<In, Out>(task: ThreadTask, init: unknown, { smol = false } = {}): Thread<In, Out> {
  // Next to main.ts and by import.meta.url: the only form that works from source, under `bun test`, and compiled.
  const worker = new Worker(new URL("./worker.ts", import.meta.url).href, { smol });
  const inbox = mailbox<Out>();
  let stopped = false;
  let failure: Error | null = null;
  worker.addEventListener("message", (event: MessageEvent<Out>) => inbox.deliver(event.data));
  worker.addEventListener("error", (event: ErrorEvent) => {
    event.preventDefault();
    failure ??= new Error(`The ${task} thread failed: ${event.message}`);
  });
  const { promise: closed, resolve } = Promise.withResolvers<Error | null>();
  worker.addEventListener("close", () => {
    resolve(stopped ? null : (failure ?? new Error(`The ${task} thread ended before it had finished.`)));
  });
  try {
    worker.postMessage({ task, init } satisfies Omit<ThreadStart, "port">);
  } catch (error) {
    // Nobody else could end it.
    worker.terminate();
    throw error;
  }
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    onMessage: inbox.listen,
    closed,
    stop() {
      if (stopped) return;
      stopped = true;
      worker.terminate();
      setTimeout(() => resolve(null), longestEndMs).unref();
    },
  };
}

/**
 * Inside a worker thread: waits for the first message and runs its task. `Start` is what the caller declares each task
 * to receive. It is not validated, because this program is on both ends. A rejection of `run` ends the thread.
 */
export function onThreadStart<Start extends ThreadStart>(run: (start: Start) => void | Promise<void>): void {
  // Not imported statically: it would add 2 ms to each start of a process that only starts threads.
  const main = process.getBuiltinModule("node:worker_threads").parentPort;
  if (main === null) throw new Error("This is the entry point of worker threads; it cannot be run directly.");
  const inbox = mailbox<unknown>();
  const port: ThreadPort<unknown, unknown> = {
    post: (message, transfer) => main.postMessage(message, transfer),
    onMessage: inbox.listen,
  };
  main.once("message", (start: Omit<Start, "port">) => {
    main.on("message", inbox.deliver);
    void run({ ...start, port } as Start);
  });
}

/**
 * Next to threads that would each use a full core, this leaves a quarter of one: enough for the work to finish in time.
 */
const backgroundPriority = 5;

/**
 * Inside a worker thread, for long work that is not urgent: requests come first. On Linux, the priority applies to this
 * thread only (setpriority(2)); elsewhere, it would apply to the whole process.
 */
export function giveWay(): void {
  if (process.platform !== "linux") return;
  try {
    // Not imported statically: the main thread does not need it.
    const { getPriority, setPriority } = process.getBuiltinModule("node:os");
    setPriority(0, Math.max(getPriority(0), backgroundPriority));
  } catch {
    // If that is forbidden, the work runs at normal priority.
  }
}

/** Buffers messages until there is a listener. */
function mailbox<T>(): { deliver: (message: T) => void; listen: (listener: (message: T) => void) => void } {
  const waiting: T[] = [];
  let deliver = (message: T): void => void waiting.push(message);
  return {
    deliver: (message) => deliver(message),
    listen(listener) {
      deliver = listener;
      for (const message of waiting.splice(0)) listener(message);
    },
  };
}

/** Yields the messages of a thread. Throws if the thread ends on its own, and the signal's reason if it is aborted. */
export async function* messagesOf<Out>(
  thread: Thread<never, Out>,
  signal: AbortSignal,
): AsyncGenerator<Out, void, void> {
  const waiting: Out[] = [];
  const end: { failure: Error | null } = { failure: null };
  let wake = (): void => {};
  const wakeUp = () => wake();
  thread.onMessage((message) => {
    waiting.push(message);
    wakeUp();
  });
  void thread.closed.then((failure) => {
    end.failure = failure ?? new Error("The thread was stopped.");
    wakeUp();
  });
  signal.addEventListener("abort", wakeUp);
  try {
    for (;;) {
      signal.throwIfAborted();
      const message = waiting.shift();
      if (message !== undefined) yield message;
      else if (end.failure !== null) throw end.failure;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    signal.removeEventListener("abort", wakeUp);
  }
}
