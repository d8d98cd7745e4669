import { signal } from "@preact/signals";

/** As the server says of itself. */
export type ServerStatus = "healthy" | "degraded" | "maintenance";

export const serverStatus = signal<ServerStatus>("healthy");

/** Every answer of a server says when it is not healthy. */
export function heardStatus({ headers }: Response): void {
  const status = headers.get("x-server-status");
  serverStatus.value = status === "maintenance" || status === "degraded" ? status : "healthy";
}
