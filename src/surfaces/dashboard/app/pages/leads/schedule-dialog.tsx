import { useRef, useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api, longPatienceSeconds, RequestError } from "../../api.ts";
import { count, counted, dateTime, instantOf } from "../../format.ts";
import { actionLabels, useAccounts, type ActionType } from "../../network.ts";
import { nameOf } from "../../person.ts";
import { Link } from "../../router.tsx";
import { timeZone } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, FormError, SelectField, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showSuccess } from "../../ui/toast.tsx";

/** Action types that need only a profile and a text. */
const offered = ["sendConnectionRequest", "sendMessage", "visitProfile", "followProfile", "likePost"] as const;

type ScheduleDialogProps = {
  leads: readonly LeadView[];
  /** IDs of leads that are not loaded yet. */
  others?: readonly string[];
  onClose: () => void;
  onDone?: () => void;
};

type Outcome = { name: string; problem: string | null };
type ScheduleAnswer = { isNew: boolean; scheduledFor: string | null };

/** Schedules an action of the same type for one or more leads. The server chooses the times. */
export function ScheduleDialog({ leads, others = [], onClose, onDone }: ScheduleDialogProps) {
  const accounts = useAccounts();
  const [outcomes, setOutcomes] = useState<Outcome[] | null>(null);
  const [percent, setPercent] = useState<number | null>(null);
  const stopped = useRef(false);
  const size = leads.length + others.length;
  const [only] = size === 1 ? leads : [];

  const form = useForm(
    { actionType: "sendConnectionRequest", message: "", accountId: "", notBefore: "", requireApproval: false },
    async ({ actionType, message, accountId, notBefore, requireApproval }) => {
      const input = {
        actionType,
        ...(takesText(actionType) && message.trim() !== "" && { message }),
        ...(accountId !== "" && { accountId }),
        ...(notBefore !== "" && { notBefore: instantOf(notBefore) }),
        ...(requireApproval ? { requireApproval } : {}),
      };
      if (only !== undefined) {
        const { isNew, scheduledFor } = await scheduleFor(only, input);
        const when = scheduledFor === null ? "" : ` Planned for ${dateTime(scheduledFor)}.`;
        showSuccess(isNew ? `Scheduled for ${nameOf(only)}.${when}` : `The same action is already scheduled.${when}`);
        onDone?.();
        return onClose();
      }
      await scheduleAll(input);
    },
  );

  async function scheduleAll(input: object) {
    stopped.current = false;
    const found: Outcome[] = [];
    for (let at = 0; at < size && !stopped.current; at++) {
      setPercent((at / size) * 100);
      const known = leads[at];
      try {
        const lead = known ?? (await api.get<LeadView>(`/leads/${others[at - leads.length]}`, patient));
        found.push({ name: nameOf(lead), problem: await problemOf(lead, input) });
      } catch (error) {
        found.push({ name: known ? nameOf(known) : "A lead", problem: messageOf(error) });
      }
    }
    setPercent(null);
    setOutcomes(found);
  }

  if (outcomes !== null)
    return (
      <ReportDialog
        outcomes={outcomes}
        onClose={() => {
          onDone?.();
          onClose();
        }}
      />
    );
  if (percent !== null)
    return (
      <Dialog title="Scheduling" onClose={() => (stopped.current = true)}>
        <Progress label={`For ${counted(size, "lead")}`} percent={percent} />
        <footer class="buttons">
          <Button onClick={() => (stopped.current = true)}>Stop</Button>
        </footer>
      </Dialog>
    );

  const unreachable = leads.filter(({ networkUrl }) => !networkUrl).length;
  const list = accounts.data?.accounts ?? [];
  const { actionType } = form.values;
  return (
    <Dialog title={only ? `Schedule for ${nameOf(only)}` : `Schedule for ${counted(size, "lead")}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        {unreachable > 0 && (
          <div class="notice warn">
            <p>
              {size === 1 ? "This lead has" : `${count(unreachable)} of ${counted(size, "lead")} have`} no profile URL,
              so nothing can be sent. Edit the lead to add it, or{" "}
              <Link to={only ? `/enrichment?lead=${only.id}` : "/enrichment"}>find it by enrichment</Link>.
            </p>
          </div>
        )}
        <SelectField
          form={form}
          name="actionType"
          label="Action"
          choices={offered.map((type) => ({ value: type, label: actionLabels[type].label }))}
        />
        {takesText(actionType) && (
          <TextArea
            form={form}
            name="message"
            label={actionLabels[actionType as ActionType].textLabel ?? "Text"}
            isOptional={actionLabels[actionType as ActionType].text === "optional"}
            hint={
              <>
                Variables are replaced for each lead: <code>{"{{firstName|there}}"}</code>, <code>{"{{company}}"}</code>
                .
              </>
            }
          />
        )}
        {list.length > 1 && (
          <SelectField
            form={form}
            name="accountId"
            label="Account"
            choices={list.map(({ id, name }, index) => ({ value: index === 0 ? "" : id, label: name }))}
          />
        )}
        <TextField
          form={form}
          name="notBefore"
          label="Not before"
          type="datetime-local"
          isOptional
          hint={`In your time zone, ${timeZone()}. If empty, as soon as the working hours, caps, and pace of the account allow.`}
        />
        <CheckField
          form={form}
          name="requireApproval"
          label="Require approval"
          hint="The action stays in the queue until it is approved."
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={unreachable === size}>
            Schedule
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function ReportDialog({ outcomes, onClose }: { outcomes: readonly Outcome[]; onClose: () => void }) {
  const failed = outcomes.filter(({ problem }) => problem !== null);
  return (
    <Dialog title={`Scheduled for ${counted(outcomes.length - failed.length, "lead")}`} onClose={onClose}>
      {failed.length > 0 && (
        <>
          <p>Failed for {counted(failed.length, "lead")}:</p>
          <ul class="problems">
            {failed.slice(0, shownProblems).map(({ name, problem }, index) => (
              <li key={index}>
                <strong>{name}</strong> <span class="faint">{problem}</span>
              </li>
            ))}
          </ul>
          {failed.length > shownProblems && <p class="faint">And {failed.length - shownProblems} more.</p>}
        </>
      )}
      <footer class="buttons">
        <Link to="/queue" class="button plain">
          View queue
        </Link>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

const shownProblems = 50;
const patient = { patienceSeconds: longPatienceSeconds };

async function problemOf(lead: LeadView, input: object): Promise<string | null> {
  try {
    const { isNew } = await scheduleFor(lead, input);
    return isNew ? null : "The same action is already scheduled.";
  } catch (error) {
    // The caller reports errors without a response.
    if (error instanceof RequestError && error.status === 0) throw error;
    return messageOf(error);
  }
}

async function scheduleFor(lead: LeadView, input: object): Promise<ScheduleAnswer> {
  const { networkUrl, id } = lead;
  if (!networkUrl) throw new RequestError(`${nameOf(lead)} has no profile URL. Add it to the lead first.`);
  const action = { ...input, profileUrl: networkUrl, leadId: id };
  return api.post<ScheduleAnswer>("/network/scheduleNetworkAction", action, patient);
}

function takesText(actionType: string): boolean {
  return actionLabels[actionType as ActionType].text !== "none";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
