export const threadTasks = [
  "lead-file",
  "sqlite-reader",
  "prospect-index",
  "prospect-file",
  "voice-analysis",
  "voice-fitting",
  "voice-speaking",
  "webhook-sending",
  "backup",
] as const;
/** What a worker thread can be started for; `worker.ts` has a case for each. */
export type ThreadTask = (typeof threadTasks)[number];

/** A running worker thread, seen from the one who started it: `In` goes to the thread, `Out` comes back. */
export type Thread<In, Out> = {
  /** What is in `moved` is not copied, and gone from here. */
  post(message: In, moved?: ArrayBuffer[]): void;
  /** Names the one listener; what came before it is delivered to it first, in order. */
  onMessage(listener: (message: Out) => void): void;
  /** Resolves when the thread is gone: null after `stop`, else the reason why it ended by itself. Never rejects. */
  closed: Promise<Error | null>;
  /**
   * Ends the thread at once, even in the middle of a long computation in JavaScript. What is native, such as a step of
   * SQLite, can't be interrupted: nobody waits for it longer than some seconds. Safe to call twice.
   */
  stop(): void;
};

const longestEndMs = 3_000;

/** The same line of messages, seen from inside the thread. */
export type ThreadPort<In, Out> = {
  /** What is in `moved` is not copied, and gone from here. */
  post(message: Out, moved?: ArrayBuffer[]): void;
  onMessage(listener: (message: In) => void): void;
};

/** What a thread begins with: its task, what that task needs, and its line to the one who started it. */
export type ThreadStart = { task: ThreadTask; init: unknown; port: object };

/**
 * Starts a worker thread for one task. `init` and all messages are copied (structured clone).
 * An error inside, even one that nobody caught there, ends only the thread and is told by `closed`.
 * `smol`: the thread makes little garbage, and its heap need not grow as those of a whole program do.
 */
export function startThread<In, Out>(task: ThreadTask, init: unknown, { smol = false } = {}): Thread<In, Out> {
  // Beside main.ts and by import.meta.url: the one form that works from source, under `bun test` and compiled.
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
    resolve(stopped ? null : (failure ?? new Error(`The ${task} thread ended before its work was done.`)));
  });
  worker.postMessage({ task, init } satisfies Omit<ThreadStart, "port">);
  return {
    post: (message, moved = []) => worker.postMessage(message, moved),
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
 * Inside a worker thread: waits for the first message and runs its task. `Start` is the caller's word on what each
 * task is sent; nothing checks it, because both ends are this program. A rejection of `run` ends the thread.
 */
export function onThreadStart<Start extends ThreadStart>(run: (start: Start) => void | Promise<void>): void {
  // Not imported: where threads are only started it would cost 2 ms of each start.
  const main = process.getBuiltinModule("node:worker_threads").parentPort;
  if (main === null) throw new Error("This is the entry point of worker threads; it can't be run by itself.");
  const inbox = mailbox<unknown>();
  const port: ThreadPort<unknown, unknown> = {
    post: (message, moved) => main.postMessage(message, moved),
    onMessage: inbox.listen,
  };
  main.once("message", (start: Omit<Start, "port">) => {
    main.on("message", inbox.deliver);
    void run({ ...start, port } as Start);
  });
}

/** Beside others who want a core for themselves this leaves a quarter of it: enough for the work to end in its time. */
const backgroundPriority = 5;

/**
 * Inside a worker thread, for long work that nobody waits for by the second: who waits for an answer comes first. On
 * Linux the priority is this thread's alone (setpriority(2)); elsewhere it would be everybody's.
 */
export function giveWay(): void {
  if (process.platform !== "linux") return;
  try {
    // Not imported: the main thread has no use for it.
    const { getPriority, setPriority } = process.getBuiltinModule("node:os");
    setPriority(0, Math.max(getPriority(0), backgroundPriority));
  } catch {
    // Where that is forbidden the work is done as well.
  }
}

/** Keeps messages until somebody listens. */
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

/** The messages of a thread as they come. Throws when the thread ends by itself, and the signal's reason when it is aborted. */
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
