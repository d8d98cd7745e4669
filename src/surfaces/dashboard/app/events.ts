import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { basePath } from "./base-path.ts";
import { createParser, type LiveEvent } from "./event-stream.ts";
import { sessionState } from "./session.ts";

type Listener = (event: LiveEvent) => void;

/** True while the event stream is open. Otherwise, pages poll. */
export const isLive = signal(false);

const path = `${basePath}/api/v2/events/stream`;
const listeners = new Set<Listener>();
const minWaitMs = 1000;
const maxWaitMs = 60_000;
let lastId: string | null = null;
let isRunning = false;

/** Calls `listener` for every event whose type starts with one of `types`, while the component is mounted. */
export function useEvents(types: readonly string[], listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  const wanted = types.join(" ");
  useEffect(() => {
    const prefixes = wanted.split(" ").filter(Boolean);
    if (prefixes.length === 0) return undefined;
    const deliver: Listener = (event) => {
      if (prefixes.some((prefix) => event.type.startsWith(prefix))) latest.current(event);
    };
    listeners.add(deliver);
    return () => void listeners.delete(deliver);
  }, [wanted]);
}

/**
 * Keeps the event stream open and resumes it after the last event received. `EventSource` is not enough: it delivers
 * only registered types and cannot distinguish a server without a stream from one that is down.
 */
export async function followEvents(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  let waitMs = minWaitMs;
  while (sessionState.value === "signedIn") {
    const ended = await readStream().catch(() => "broken" as const);
    isLive.value = false;
    if (ended === "absent") waitMs = maxWaitMs;
    else waitMs = ended === "closed" ? minWaitMs : Math.min(waitMs * 2, maxWaitMs);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  isRunning = false;
}

async function readStream(): Promise<"closed" | "absent"> {
  const response = await fetch(path, {
    headers: {
      accept: "text/event-stream",
      "x-outreachd-page": "1",
      ...(lastId !== null && { "last-event-id": lastId }),
    },
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!response.ok || !isStream || response.body === null) {
    // An unread body would occupy one of the six connections that a browser opens to a server.
    await response.body?.cancel();
    return "absent";
  }
  isLive.value = true;
  const parser = createParser((event) => {
    lastId = event.id ?? lastId;
    for (const listener of listeners) listener(event);
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return "closed";
    parser(value);
  }
}
