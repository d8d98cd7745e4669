import { useState } from "preact/hooks";
import type { CampaignView, EnrollAnswer } from "../../../../../features/campaigns/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { reasonLabel } from "./labels.ts";

type EnrollProps = { campaign: CampaignView; path: string; onClose: () => void; onEnrolled: () => void };

/** Enrolls all leads with a tag. First shows how many can be enrolled, and why the others cannot. */
export function EnrollDialog({ campaign, path, onClose, onEnrolled }: EnrollProps) {
  const [forecast, setForecast] = useState<{ tag: string; answer: EnrollAnswer } | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const form = useForm({ tag: "" }, async ({ tag }) => {
    const wanted = tag.trim();
    setForecast({ tag: wanted, answer: await api.post<EnrollAnswer>(`${path}/enroll`, { tag: wanted, dryRun: true }) });
  });
  const isCurrent = forecast !== null && forecast.tag === form.values.tag.trim();

  async function enroll(tag: string) {
    setIsBusy(true);
    try {
      let enrolled = 0;
      for (;;) {
        const answer = await api.post<EnrollAnswer>(`${path}/enroll`, { tag });
        enrolled += answer.enrolled;
        // Enrolled leads are skipped, so a round without new enrollments is the last.
        if (!answer.hasMore || answer.enrolled === 0) break;
      }
      showSuccess(`${counted(enrolled, "lead")} enrolled.`);
      onEnrolled();
      onClose();
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Dialog title="Enroll leads" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField
          form={form}
          name="tag"
          label="All leads with the tag"
          maxLength={100}
          hint="To tag leads, select them on the Leads page, then choose Add tag."
          autofocus
          required
        />
        {isCurrent && <EnrollmentForecast answer={forecast.answer} isRunning={campaign.state === "running"} />}
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          {isCurrent ? (
            <Button
              kind="primary"
              isBusy={isBusy}
              disabled={forecast.answer.enrolled === 0}
              onClick={() => void enroll(forecast.tag)}
            >
              Enroll {counted(forecast.answer.enrolled, "lead")}
            </Button>
          ) : (
            <Button kind="primary" type="submit" isBusy={form.isBusy}>
              Check leads
            </Button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

/** How many leads can be enrolled, and why the others cannot. */
export function EnrollmentForecast({
  answer: { enrolled, skipped, hasMore, results },
  isRunning,
}: {
  answer: EnrollAnswer;
  isRunning: boolean;
}) {
  const reasons = new Map<string, number>();
  for (const { outcome } of results) if (outcome !== "enrolled") reasons.set(outcome, (reasons.get(outcome) ?? 0) + 1);
  return (
    <div role="status" class="form">
      <p>
        {counted(enrolled, "lead")} can be enrolled{hasMore && ", and more in further batches"}
        {isRunning && ", starting immediately"}.{skipped > 0 && ` ${counted(skipped, "lead")} cannot:`}
      </p>
      {reasons.size > 0 && (
        <ul class="results" tabIndex={0} aria-label="Why leads cannot be enrolled">
          {[...reasons].map(([reason, n]) => (
            <li key={reason}>
              {reasonLabel(reason)}: {n}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
