import { signal } from "@preact/signals";

/** False from the first request that got no answer until the server answers again. */
export const isConnected = signal(true);
/** Grows each time when what is shown must be read again: the server is back, or its time has moved. */
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
  readAgain();
}

/** Everything that is shown is read again. */
export function readAgain(): void {
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
