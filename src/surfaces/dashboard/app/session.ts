import { signal } from "@preact/signals";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { SessionView } from "../../../features/workspaces/sessions/model.ts";

/** loading: not asked yet. expired: the person was signed in, and what they do waits until they are again. */
export const sessionState = signal<"loading" | "signedOut" | "signedIn" | "expired">("loading");
export const session = signal<SessionView | null>(null);

let renewal: { promise: Promise<void>; resolve: () => void } | null = null;

export function signedIn(view: SessionView): void {
  const before = session.value;
  session.value = view;
  sessionState.value = "signedIn";
  renewal?.resolve();
  renewal = null;
  // What is on the screen belongs to the person of before.
  if (before !== null && before.user.id !== view.user.id) location.assign("/");
}

/** The session has ended under the person's hands. Resolves when they are signed in again. */
export function sessionRenewed(): Promise<void> {
  sessionState.value = session.value === null ? "signedOut" : "expired";
  renewal ??= Promise.withResolvers<void>();
  return renewal.promise;
}

/** Whether the session's key may do this; null asks for nothing. */
export function may(permission: Permission | null): boolean {
  const held = session.value?.permissions ?? [];
  return permission === null || held.includes(permission) || held.includes("*");
}

/** The time zone that instants are shown in. */
export function timeZone(): string {
  return session.value?.user.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
