import { signal } from "@preact/signals";

/** Status that the server reports. */
export type ServerStatus = "healthy" | "degraded" | "maintenance";

export const serverStatus = signal<ServerStatus>("healthy");

/** Reads the status, which a server that is not healthy sends with every response. */
export function readServerStatus({ headers }: Response): void {
  const status = headers.get("x-server-status");
  serverStatus.value = status === "maintenance" || status === "degraded" ? status : "healthy";
}
