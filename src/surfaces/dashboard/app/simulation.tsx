import { useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { JobView } from "../../../platform/jobs/model.ts";
import type { Advanced } from "../../../features/simulation/model.ts";
import { api } from "./api.ts";
import { simulatedNow } from "./clock.ts";
import { reloadAll } from "./connection.ts";
import { counted, dateTime } from "./format.ts";
import { actionLabels, type ActionType } from "./network.ts";
import { jobLabels } from "./pages/home/attention.tsx";
import { can, session } from "./session.ts";
import { Button } from "./ui/button.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Facts, type Fact } from "./ui/facts.tsx";
import { showError } from "./ui/toast.tsx";

const steps = [
  { advance: "PT1H", label: "Advance 1 hour" },
  { advance: "P1D", label: "1 day" },
  { advance: "P7D", label: "1 week" },
  { advance: "P30D", label: "30 days" },
] as const;

/** Shown while the server runs a simulation: the simulated time, and buttons to advance it. */
export function SimulationBar() {
  const [report, setReport] = useState<Advanced | null>(null);
  const isAdvancing = useSignal(false);
  const request = useRef<AbortController | null>(null);
  const at = simulatedNow.value;
  if (at === null) return null;

  async function advanceBy(advance: string) {
    isAdvancing.value = true;
    request.current = new AbortController();
    const from = simulatedNow.peek();
    try {
      setReport(await api.post<Advanced>("/simulation/clock", { advance }, { signal: request.current.signal }));
    } catch (error) {
      // Stopped by the user: the clock stays at the time it has reached.
      if (!request.current.signal.aborted) showError(error);
    } finally {
      isAdvancing.value = false;
      if (from !== null) reloadAll();
    }
  }

  const canAdvance = session.value?.isAdmin === true && can("users:write");
  return (
    <section class="simulation" aria-label="Simulation">
      <p>
        <strong>Simulation.</strong> Nothing here is real. The clock is stopped at{" "}
        <time dateTime={at} role="status">
          {dateTime(at)}
        </time>
        .
      </p>
      {canAdvance && (
        <div class="buttons" role="group" aria-label="Advance the clock">
          {isAdvancing.value ? (
            <>
              <span class="spinner" aria-hidden="true" />
              <Button onClick={() => request.current?.abort()}>Stop the clock</Button>
            </>
          ) : (
            steps.map(({ advance, label }) => (
              <Button key={advance} onClick={() => void advanceBy(advance)}>
                {label}
              </Button>
            ))
          )}
        </div>
      )}
      {report !== null && <AdvanceReport report={report} onClose={() => setReport(null)} />}
    </section>
  );
}

function AdvanceReport({ report, onClose }: { report: Advanced; onClose: () => void }) {
  const { from, to, actions, accepted, replied, enrollments, jobs, total } = report;
  const facts: Fact[] = [
    ...Object.entries(actions).map(([type, outcomes]): Fact => [
      actionLabels[type as ActionType]?.label ?? type,
      formatOutcomes(outcomes),
    ]),
    ["Requests accepted", accepted > 0 && `${accepted}`],
    ["Replies", replied > 0 && `${replied}`],
    ["Campaign progress", formatOutcomes(enrollments)],
    ...Object.entries(jobs).map(([type, outcomes]): Fact => [
      jobLabels[type as JobView["type"]] ?? type,
      formatOutcomes(outcomes),
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
function formatOutcomes(outcomes: Record<string, number>): string {
  return Object.entries(outcomes)
    .map(([outcome, times]) => `${times} ${outcome}`)
    .join(", ");
}
