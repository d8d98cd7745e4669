import { useSignalEffect } from "@preact/signals";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { RequestError } from "./api.ts";
import { isConnected, returns } from "./connection.ts";
import { isLive, useEvents } from "./events.ts";

export type Resource<T> = {
  /** Of the latest load that succeeded; stays while it is loaded again. */
  data: T | undefined;
  error: RequestError | null;
  isLoading: boolean;
  reload(): void;
  /** Shows this until the next load, for an answer that is known already. */
  replace(data: T): void;
};

type Options = {
  /** Loads again after so long while no event stream is open, and now and then while one is. */
  pollMs?: number;
  /** Types of events (or their beginnings) after which it is loaded again. */
  events?: readonly string[];
};

/** A missed event is made up for after so many times the usual interval. */
const whileLive = 6;
const settleMs = 300;

/**
 * Something that is read from the server: loaded when the component comes, again when `inputs` change, and by the
 * options. What is loaded for inputs of before is dropped. Nothing is asked for while the page is hidden.
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

  // Events come in bursts; one load answers them all.
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
