/**
 * Requests that arrive during the start are handled before the first check for due jobs, whose preparation is a large
 * part of the work of a start.
 */
const settleInMs = 50;

/** Work that starts shortly after the server. All methods are safe to call twice. */
export type SettlingIn = {
  start(): void;
  readonly isStarted: boolean;
  /** Runs the work now, unless it has run, was stopped, or was never started. */
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
