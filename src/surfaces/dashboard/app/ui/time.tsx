import { signal } from "@preact/signals";
import { now as serverNow, simulatedNow } from "../clock.ts";
import { dateTime, relativeTime } from "../format.ts";

/** One clock for all relative times. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 20_000);

/** "in 3 hours", with the exact time in the user's time zone as the tooltip. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTime(at)}>
      {relativeTime(at, simulatedNow.value === null ? Math.max(now.value, Date.now() - 20_000) : serverNow())}
    </time>
  );
}

export function DateTime({ at }: { at: string }) {
  return <time dateTime={at}>{dateTime(at)}</time>;
}
