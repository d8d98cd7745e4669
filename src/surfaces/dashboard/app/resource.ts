import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "./api.ts";
import { isConnected, reloadCount } from "./connection.ts";
import { isLive, useEvents } from "./events.ts";

export type Resource<T> = {
  /** Result of the latest successful load. Stays while reloading. */
  data: T | undefined;
  error: RequestError | null;
  /** Whether the data is not there yet, or belongs to previous inputs. Not while the same data is refreshed. */
  isLoading: boolean;
  reload(): void;
  /** Sets the data until the next load, for a response that is already available. */
  replace(data: T): void;
};

type Options = {
  /** Polling interval while no event stream is open. Polls less often while one is. */
  pollMs?: number;
  /** Event types, or prefixes of them, that trigger a reload. */
  events?: readonly string[];
};

/** Factor for the polling interval while the stream is open, which makes up for missed events. */
const liveFactor = 6;
const settleMs = 300;

/**
 * Data read from the server: loaded when the component mounts, when `inputs` change, and as the options say. Results
 * for previous inputs are dropped. A hidden page does not poll.
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { pollMs, events = [] }: Options = {},
): Resource<T> {
  const [data, setData] = useState<T>();
  const [error, setError] = useState<RequestError | null>(null);
  const [isLoading, setIsLoading] = useState(true);
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  loader.current = load;

  const reload = useCallback(() => setRound((n) => n + 1), []);

  const loadedRound = useRef(round);
  useEffect(() => {
    const abort = new AbortController();
    // A table that dims with each event would flicker while campaigns run.
    if (round === loadedRound.current) setIsLoading(true);
    loadedRound.current = round;
    loader.current(abort.signal).then(
      (loaded) => {
        if (abort.signal.aborted) return;
        setData(() => loaded);
        setError(null);
        setIsLoading(false);
      },
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        setError(thrown instanceof RequestError ? thrown : new RequestError(String(thrown)));
        setIsLoading(false);
      },
    );
    return () => abort.abort();
  }, [...inputs, round]);

  useEffect(() => {
    if (pollMs === undefined) return undefined;
    let since = Date.now();
    const poll = () => {
      if (document.hidden || !isConnected.value) return;
      if (Date.now() - since < pollMs * (isLive.value ? liveFactor : 1)) return;
      since = Date.now();
      reload();
    };
    const timer = setInterval(poll, Math.min(pollMs, 5000));
    document.addEventListener("visibilitychange", poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", poll);
    };
  }, [pollMs, reload]);

  // Events come in bursts; one load covers them all.
  const settling = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEvents(events, () => {
    settling.current ??= setTimeout(() => {
      settling.current = null;
      reload();
    }, settleMs);
  });
  useEffect(() => () => clearTimeout(settling.current ?? undefined), []);

  const seenReloadCount = useRef(reloadCount.peek());
  useSignalEffect(() => {
    if (reloadCount.value === seenReloadCount.current) return;
    seenReloadCount.current = reloadCount.value;
    reload();
  });

  return { data, error, isLoading, reload, replace: (known) => setData(() => known) };
}
