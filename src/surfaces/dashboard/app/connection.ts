import { signal } from "@preact/signals";
import { basePath } from "./base-path.ts";

/** False from the first request without a response until the server responds again. */
export const isConnected = signal(true);
/** Incremented when everything on the page must be reloaded: the server is back, or the simulated time has changed. */
export const reloadCount = signal(0);

const retryMs = 2000;
let isChecking = false;

/** Call when a request got no response: shows the banner and checks until the server is back. */
export function connectionLost(): void {
  isConnected.value = false;
  if (isChecking) return;
  isChecking = true;
  setTimeout(() => void checkServer(), retryMs);
}

export function connectionFound(): void {
  if (isConnected.value) return;
  isConnected.value = true;
  reloadAll();
}

/** Reloads everything on the page. */
export function reloadAll(): void {
  reloadCount.value++;
}

async function checkServer(): Promise<void> {
  // Pages work without the bucket.
  const isBack = await fetch(`${basePath}/readyz?exclude=files`, { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isBack) return void setTimeout(() => void checkServer(), retryMs);
  isChecking = false;
  connectionFound();
}
