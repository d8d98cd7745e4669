/**
 * Who waits for a start is answered before what is due is looked for: to prepare what this needs is a good part
 * of the work of a start.
 */
const settleInMs = 50;

/** Work that begins a moment after a start. All is safe to call twice. */
export type SettlingIn = {
  start(): void;
  readonly isStarted: boolean;
  /** At once, unless it has begun, was stopped, or was never started. */
  begin(): void;
  stop(): void;
};

export function settleIn(run: () => void): SettlingIn {
  let timer: Timer | null = null;
  let isOver = false;
  function begin(): void {
    if (timer === null || isOver) return;
    stop();
    run();
  }
  function stop(): void {
    if (timer !== null) clearTimeout(timer);
    isOver = true;
  }
  return {
    start: () => void (timer ??= setTimeout(begin, settleInMs)),
    get isStarted() {
      return timer !== null;
    },
    begin,
    stop,
  };
}
