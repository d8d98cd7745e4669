import { signal } from "@preact/signals";

/** False from the first request that got no answer until the server answers again. */
export const isConnected = signal(true);
/** Grows each time the server is back, so that what is shown can be read again. */
export const returns = signal(0);

const lookAgainMs = 2000;
let isLooking = false;

/** A request got no answer: the page says so and looks until the server is back. */
export function connectionLost(): void {
  isConnected.value = false;
  if (isLooking) return;
  isLooking = true;
  setTimeout(() => void look(), lookAgainMs);
}

export function connectionFound(): void {
  if (isConnected.value) return;
  isConnected.value = true;
  returns.value++;
}

async function look(): Promise<void> {
  const isBack = await fetch("/readyz", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isBack) return void setTimeout(() => void look(), lookAgainMs);
  isLooking = false;
  connectionFound();
}
