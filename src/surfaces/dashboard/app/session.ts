import { signal } from "@preact/signals";
import { basePath } from "./base-path.ts";
import type { Permission } from "../../../platform/auth/key-model.ts";
import type { SessionView } from "../../../features/workspaces/sessions/model.ts";

/** loading: not known yet. expired: the session has ended, and requests wait until the user signs in again. */
export const sessionState = signal<"loading" | "signedOut" | "signedIn" | "expired">("loading");
export const session = signal<SessionView | null>(null);

let renewal: { promise: Promise<void>; resolve: () => void } | null = null;

export function signedIn(view: SessionView): void {
  const before = session.value;
  session.value = view;
  sessionState.value = "signedIn";
  renewal?.resolve();
  renewal = null;
  // The page still shows data of the previous user.
  if (before !== null && before.user.id !== view.user.id) location.assign(`${basePath}/`);
}

/** Call when the session has ended while the user was working. Resolves when the user has signed in again. */
export function sessionRenewed(): Promise<void> {
  sessionState.value = session.value === null ? "signedOut" : "expired";
  renewal ??= Promise.withResolvers<void>();
  return renewal.promise;
}

/** Whether the key of the session has the permission; true for null. */
export function can(permission: Permission | null): boolean {
  const held = session.value?.permissions ?? [];
  return permission === null || held.includes(permission) || held.includes("*");
}

/** Time zone in which times are shown. */
export function timeZone(): string {
  return session.value?.user.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
