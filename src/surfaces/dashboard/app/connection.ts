import { signal } from "@preact/signals";

/** False from the first request without a response until the server responds again. */
export const isConnected = signal(true);
/** Incremented when everything on the page must be reloaded: the server is back, or the simulated time has changed. */
export const returns = signal(0);

const lookAgainMs = 2000;
let isLooking = false;

/** Call when a request got no response: shows the banner and checks until the server is back. */
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

/** Reloads everything on the page. */
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
