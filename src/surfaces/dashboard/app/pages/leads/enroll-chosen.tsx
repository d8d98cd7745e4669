import { useState } from "preact/hooks";
import type { CampaignView, EnrollAnswer } from "../../../../../features/campaigns/model.ts";
import { api, getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { session } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { EnrollmentForecast } from "../campaigns/enroll-dialog.tsx";
import { campaignStateLabels } from "../campaigns/labels.ts";

type EnrollChosenProps = {
  ids: readonly string[];
  /** Enrolls all leads that match the filters, in place of those with the IDs. */
  all?: { size: number; enroll: (campaignId: string) => void };
  onClose: () => void;
  onEnrolled: () => void;
};

/** Enrolls the selected leads in an existing campaign. First shows how many can be enrolled. */
export function EnrollChosenDialog({ all, ...rest }: EnrollChosenProps) {
  const { ids, onClose } = rest;
  const campaigns = useResource(
    async (signal) => ({ campaigns: await getAll<CampaignView>("/campaigns", "campaigns", { signal }) }),
    [],
  );
  return (
    <Dialog title={`Enroll ${counted(all?.size ?? ids.length, "lead")}`} onClose={onClose}>
      <Loaded resource={campaigns} lines={2}>
        {({ campaigns }) => {
          const open = campaigns.filter(isOpen);
          return open.length === 0 ? (
            <>
              <p>
                No open campaign found. <Link to="/campaigns/new">Create one</Link> first. You can also enroll leads
                there by tag.
              </p>
              <footer class="buttons">
                <Button onClick={onClose}>Close</Button>
              </footer>
            </>
          ) : all === undefined ? (
            <ChooseCampaign campaigns={open} {...rest} />
          ) : (
            <ChooseForAll campaigns={open} {...all} onClose={onClose} />
          );
        }}
      </Loaded>
    </Dialog>
  );
}

/** A key that requires approval cannot enroll leads in a campaign that has started. */
function isOpen({ state }: CampaignView): boolean {
  return state === "draft" || (state !== "canceled" && session.value?.key.requiresApproval !== true);
}

function ChooseCampaign({ campaigns, ids, onClose, onEnrolled }: EnrollChosenProps & { campaigns: CampaignView[] }) {
  const [chosenId, setChosenId] = useState(campaigns.length === 1 ? (campaigns[0]?.id ?? "") : "");
  const [isBusy, setIsBusy] = useState(false);
  const chosen = campaigns.find(({ id }) => id === chosenId);
  const forecast = useResource(
    async (signal) => (chosen === undefined ? null : { of: chosen, answer: await enroll(chosen, ids, true, signal) }),
    [chosenId],
  );
  // Ignores the result for a campaign that is no longer selected.
  const answer = forecast.data?.of === chosen ? forecast.data?.answer : undefined;

  async function run(campaign: CampaignView) {
    setIsBusy(true);
    try {
      const { enrolled } = await enroll(campaign, ids, false);
      showSuccess(`${counted(enrolled, "lead")} enrolled in ${campaign.name}.`);
      onEnrolled();
      onClose();
    } catch (error) {
      showError(error);
      setIsBusy(false);
    }
  }

  return (
    <>
      <CampaignField campaigns={campaigns} chosenId={chosenId} onChoose={setChosenId} />
      {chosen && (
        <Loaded resource={forecast} lines={2}>
          {() => answer && <EnrollmentForecast answer={answer} isRunning={chosen.state === "running"} />}
        </Loaded>
      )}
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          isBusy={isBusy}
          disabled={answer === undefined || answer.enrolled === 0}
          onClick={() => chosen && void run(chosen)}
        >
          {answer === undefined ? "Enroll" : `Enroll ${counted(answer.enrolled, "lead")}`}
        </Button>
      </footer>
    </>
  );
}

/** Without a forecast: the job reports how many were skipped, and why. */
function ChooseForAll({
  campaigns,
  size,
  enroll,
  onClose,
}: {
  campaigns: CampaignView[];
  size: number;
  enroll: (campaignId: string) => void;
  onClose: () => void;
}) {
  const [chosenId, setChosenId] = useState(campaigns.length === 1 ? (campaigns[0]?.id ?? "") : "");
  return (
    <>
      <CampaignField campaigns={campaigns} chosenId={chosenId} onChoose={setChosenId} />
      <p class="faint">Leads that cannot be enrolled are skipped and counted by reason.</p>
      <footer class="buttons">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={chosenId === ""} onClick={() => enroll(chosenId)}>
          Enroll {counted(size, "lead")}
        </Button>
      </footer>
    </>
  );
}

function CampaignField({
  campaigns,
  chosenId,
  onChoose,
}: {
  campaigns: CampaignView[];
  chosenId: string;
  onChoose: (id: string) => void;
}) {
  return (
    <Field label="Campaign">
      {(control) => (
        <select {...control} value={chosenId} onChange={(event) => onChoose(event.currentTarget.value)}>
          {campaigns.length > 1 && <option value="">Select…</option>}
          {campaigns.map(({ id, name, state }) => (
            <option key={id} value={id}>
              {name} ({campaignStateLabels[state].label.toLowerCase()})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Limit of the API per request. */
const idsAtOnce = 10_000;

async function enroll(
  { id }: CampaignView,
  ids: readonly string[],
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<EnrollAnswer> {
  const sum: EnrollAnswer = { enrolled: 0, skipped: 0, hasMore: false, dryRun, results: [] };
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    const leadIds = ids.slice(at, at + idsAtOnce);
    const answer = await api.post<EnrollAnswer>(
      `/campaigns/${id}/enroll`,
      { leadIds, dryRun },
      { ...(signal && { signal }) },
    );
    sum.enrolled += answer.enrolled;
    sum.skipped += answer.skipped;
    sum.results.push(...answer.results);
  }
  return sum;
}
