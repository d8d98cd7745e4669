import { useEffect, useState } from "preact/hooks";
import { api } from "./api.ts";
import { serverStatus } from "./server-status.ts";

type Health = { message: string | null };

const titles = { maintenance: "Maintenance.", degraded: "The server needs attention." } as const;
/** The message may change while the status stays. */
const betweenLooksMs = 60_000;

/** While the server is in maintenance or sends nothing: that it does, and why. Stays in the tree for screen readers. */
export function StatusBanner() {
  const status = serverStatus.value;
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => {
    if (status === "healthy") return undefined;
    const look = () =>
      void api.get<Health>("/health").then(
        (health) => setMessage(health.message),
        () => {},
      );
    look();
    const timer = setInterval(look, betweenLooksMs);
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
