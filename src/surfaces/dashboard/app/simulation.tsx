import { useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { JobView } from "../../../platform/jobs/model.ts";
import type { Advanced } from "../../../features/simulation/model.ts";
import { api } from "./api.ts";
import { simulatedNow } from "./clock.ts";
import { readAgain } from "./connection.ts";
import { counted, dateTime } from "./format.ts";
import { actionWords, type ActionType } from "./network.ts";
import { jobWords } from "./pages/home/attention.tsx";
import { may, session } from "./session.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Facts, type Fact } from "./ui/facts.tsx";
import { tellError } from "./ui/toast.tsx";

const steps = [
  { advance: "PT1H", label: "Advance 1 hour" },
  { advance: "P1D", label: "1 day" },
  { advance: "P7D", label: "1 week" },
  { advance: "P30D", label: "30 days" },
] as const;

/** Shown while the server runs a simulation: the simulated time, and buttons to advance it. */
export function SimulationBar() {
  const [happened, setHappened] = useState<Advanced | null>(null);
  const moving = useSignal(false);
  const going = useRef<AbortController | null>(null);
  const at = simulatedNow.value;
  if (at === null) return null;

  async function move(advance: string) {
    moving.value = true;
    going.current = new AbortController();
    const from = simulatedNow.peek();
    try {
      setHappened(await api.post<Advanced>("/simulation/clock", { advance }, { signal: going.current.signal }));
    } catch (error) {
      // Stopped by the user: the clock stays at the time it has reached.
      if (!going.current.signal.aborted) tellError(error);
    } finally {
      moving.value = false;
      if (from !== null) readAgain();
    }
  }

  const mayMove = session.value?.isAdmin === true && may("users:write");
  return (
    <section class="simulation" aria-label="Simulation">
      <p>
        <strong>Simulation.</strong> Nothing here is real. The clock is stopped at{" "}
        <time dateTime={at} role="status">
          {dateTime(at)}
        </time>
        .
      </p>
      {mayMove && (
        <div class="buttons" role="group" aria-label="Advance the clock">
          {moving.value ? (
            <>
              <span class="spinner" aria-hidden="true" />
              <Button onClick={() => going.current?.abort()}>Stop the clock</Button>
            </>
          ) : (
            steps.map(({ advance, label }) => (
              <Button key={advance} onClick={() => void move(advance)}>
                {label}
              </Button>
            ))
          )}
        </div>
      )}
      {happened !== null && <HappenedDialog happened={happened} onClose={() => setHappened(null)} />}
    </section>
  );
}

function HappenedDialog({ happened, onClose }: { happened: Advanced; onClose: () => void }) {
  const { from, to, actions, accepted, replied, enrollments, jobs, total } = happened;
  const facts: Fact[] = [
    ...Object.entries(actions).map(([type, outcomes]): Fact => [
      actionWords[type as ActionType]?.label ?? type,
      outcomesInWords(outcomes),
    ]),
    ["Requests accepted", accepted > 0 && `${accepted}`],
    ["Replies", replied > 0 && `${replied}`],
    ["Campaign progress", outcomesInWords(enrollments)],
    ...Object.entries(jobs).map(([type, outcomes]): Fact => [
      jobWords[type as JobView["type"]] ?? type,
      outcomesInWords(outcomes),
    ]),
  ];
  return (
    <Dialog title={total === 0 ? "Nothing happened" : counted(total, "event")} onClose={onClose}>
      <p class="faint">
        From {dateTime(from)} to {dateTime(to)}.
      </p>
      <Facts facts={facts} />
      <footer class="buttons">
        <Button kind="primary" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}

/** "3 completed, 1 failed". */
function outcomesInWords(outcomes: Record<string, number>): string {
  return Object.entries(outcomes)
    .map(([outcome, times]) => `${times} ${outcome}`)
    .join(", ");
}
