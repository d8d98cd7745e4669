import { useEffect, useState } from "preact/hooks";
import { api } from "./api.ts";
import { serverStatus } from "./server-status.ts";

type Health = { message: string | null };

const titles = { maintenance: "Maintenance.", degraded: "The server needs attention." } as const;
/** The message can change while the status stays the same. */
const pollMs = 60_000;

/** Shows that the server is in maintenance or degraded, and why. Stays mounted for screen readers. */
export function StatusBanner() {
  const status = serverStatus.value;
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => {
    if (status === "healthy") return undefined;
    const load = () =>
      void api.get<Health>("/health").then(
        (health) => setMessage(health.message),
        () => {},
      );
    load();
    const timer = setInterval(load, pollMs);
    return () => clearInterval(timer);
  }, [status]);
  return (
    <div class="server-status" role="status">
      {status !== "healthy" && (
        <p>
          <strong>{titles[status]}</strong> {message}
        </p>
      )}
    </div>
  );
}
