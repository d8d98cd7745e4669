import { signal } from "@preact/signals";
import { now as serverNow, simulatedNow } from "../clock.ts";
import { dateTime, relativeTime } from "../format.ts";

/** One clock for all that tells how long ago something was. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 20_000);

/** "in 3 hours", with the exact moment in the person's time zone behind it. */
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
