/**
 * Requests that arrive during the start are handled before the first check for due jobs, whose preparation is a large
 * part of the work of a start.
 */
const delayMs = 50;

/** Work that starts shortly after the server. All methods are safe to call twice. */
export type DeferredStart = {
  start(): void;
  readonly isStarted: boolean;
  /** Runs the work now, unless it has run, was stopped, or was never started. */
  runNow(): void;
  stop(): void;
};

export function runAfterStart(run: () => void): DeferredStart {
  let timer: Timer | null = null;
  let isOver = false;
  function runNow(): void {
    if (timer === null || isOver) return;
    stop();
    run();
  }
  function stop(): void {
    if (timer !== null) clearTimeout(timer);
    isOver = true;
  }
  return {
    start: () => void (timer ??= setTimeout(runNow, delayMs)),
    get isStarted() {
      return timer !== null;
    },
    runNow,
    stop,
  };
}
