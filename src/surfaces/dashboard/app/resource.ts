import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "./api.ts";
import { isConnected, returns } from "./connection.ts";
import { isLive, useEvents } from "./events.ts";

export type Resource<T> = {
  /** Result of the latest successful load. Stays while reloading. */
  data: T | undefined;
  error: RequestError | null;
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
const whileLive = 6;
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

  useEffect(() => {
    const abort = new AbortController();
    setIsLoading(true);
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
    const look = () => {
      if (document.hidden || !isConnected.value) return;
      if (Date.now() - since < pollMs * (isLive.value ? whileLive : 1)) return;
      since = Date.now();
      reload();
    };
    const timer = setInterval(look, Math.min(pollMs, 5000));
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
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

  const returnsSeen = useRef(returns.peek());
  useSignalEffect(() => {
    if (returns.value === returnsSeen.current) return;
    returnsSeen.current = returns.value;
    reload();
  });

  return { data, error, isLoading, reload, replace: (known) => setData(() => known) };
}
