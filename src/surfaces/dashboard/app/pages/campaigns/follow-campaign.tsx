import { useState } from "preact/hooks";
import type { CampaignStatistics, CampaignView, EnrollmentView } from "../../../../../features/campaigns/model.ts";
import { api } from "../../api.ts";
import { count, dateTime } from "../../format.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { useResource } from "../../resource.ts";
import { here, Link, setQuery } from "../../router.tsx";
import { can } from "../../session.ts";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Field } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { outcomes, percentText, stageLabels } from "./insight/stages.ts";
import { enrollmentStateLabels, reasonLabel, stepName } from "./labels.ts";
import { NoEnrollments } from "./no-enrollments.tsx";

type FollowProps = { campaign: CampaignView; path: string };
const live = { pollMs: 15_000, events: ["campaign.", "action.", "connection.", "message."] };

/** Progress of a campaign: totals, by step, and by lead. */
export function FollowCampaign({ campaign, path }: FollowProps) {
  const statistics = useResource(
    (signal) => api.get<CampaignStatistics>(`${path}/statistics`, { signal }),
    [path],
    live,
  );
  return (
    <>
      <Loaded resource={statistics} lines={4}>
        {(loaded) =>
          loaded.enrolled === 0 ? (
            <NoEnrollments campaign={campaign} path={path} onEnrolled={statistics.reload} />
          ) : (
            <Statistics campaign={campaign} statistics={loaded} />
          )
        }
      </Loaded>
      {statistics.data !== undefined && statistics.data.enrolled > 0 && <Enrollments campaign={campaign} path={path} />}
    </>
  );
}

function Statistics({ campaign, statistics }: { campaign: CampaignView; statistics: CampaignStatistics }) {
  const { enrolled, active, completed, stopped, failed, connected, replied, connectionRate, replyRate } = statistics;
  const tiles = [
    ["Enrolled", enrolled],
    ["In progress", active],
    ["Completed", completed],
    ["Stopped", stopped],
    ["Failed", failed],
    ["Connected", connected, connectionRate],
    ["Replied", replied, replyRate],
  ] as const;
  const reasons = Object.entries(statistics.reasons).toSorted(([, a], [, b]) => b - a);
  return (
    <>
      <dl class="tiles">
        {tiles.map(([label, leads, rate]) => (
          <div key={label} class="card tile">
            <dt>{label}</dt>
            <dd class="number">
              {count(leads)} {rate !== undefined && <span class="faint small">{percentText(rate)}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <Section title="By step">
        <div class="table-frame" tabIndex={0} role="region" aria-label="By step">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Step</th>
                {["Waiting", "Completed", "Skipped", "Canceled", "Failed", "Unknown"].map((label) => (
                  <th key={label} scope="col" class="right">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {statistics.steps.map((row) => (
                <tr key={row.step}>
                  <td class="step-name">{stepName(campaign, row.step)}</td>
                  {[row.waiting, row.completed, row.skipped, row.canceled, row.failed, row.unknown].map((n, index) => (
                    <td key={index} class={`right number ${n === 0 ? "faint" : ""}`}>
                      {count(n)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      {reasons.length > 0 && (
        <Section title="Why leads stopped">
          <dl class="facts">
            {reasons.map(([reason, n]) => (
              <>
                <dt>{reasonLabel(reason)}</dt>
                <dd class="number">{count(n)}</dd>
              </>
            ))}
          </dl>
        </Section>
      )}
    </>
  );
}

function Enrollments({ campaign, path }: FollowProps) {
  const state = here.value.query.get("state");
  const outcome = here.value.query.get("outcome");
  const { cursor, paging } = useCursorPages("enrollments", [path, state, outcome]);
  const list = useResource(
    (signal) =>
      api.get<{ enrollments: EnrollmentView[]; nextCursor: string | null }>(`${path}/enrollments`, {
        query: { state, outcome, cursor, limit: 50 },
        signal,
      }),
    [path, state, outcome, cursor],
    live,
  );
  const columns: readonly Column<EnrollmentView>[] = [
    {
      id: "lead",
      header: "Lead",
      cell: ({ leadId, leadName }) =>
        leadName === null ? <span class="faint">Deleted</span> : <Link to={`/leads/${leadId}`}>{leadName}</Link>,
    },
    {
      id: "state",
      header: "State",
      cell: ({ state, reason }) => (
        <span class="two-lines">
          <span>
            <StateBadge words={enrollmentStateLabels} state={state} />
          </span>
          {reason !== null && <span>{reasonLabel(reason)}</span>}
        </span>
      ),
    },
    { id: "results", header: "Results", cell: (enrollment) => <Results enrollment={enrollment} /> },
    {
      id: "step",
      header: "Step",
      hideBelow: "small",
      cell: ({ step }) => (step === null ? <span class="faint">Finished</span> : stepName(campaign, step)),
    },
    {
      id: "next",
      header: "Continues",
      hideBelow: "medium",
      cell: ({ state, nextCheckAt, jobId }) =>
        state !== "active" ? null : nextCheckAt === null ? (
          <span class="faint">{jobId === null ? "–" : "After its action"}</span>
        ) : campaign.state === "paused" ? (
          <span class="faint">When resumed</span>
        ) : (
          <RelativeTime at={nextCheckAt} />
        ),
    },
    {
      id: "stop",
      header: "",
      align: "right",
      cell: (enrollment) =>
        enrollment.state === "active" && can("network:schedule") ? (
          <StopButton enrollment={enrollment} path={path} onStopped={list.reload} />
        ) : null,
    },
  ];
  return (
    <Section
      title="Leads"
      actions={
        <div class="enrollment-filters">
          <Filter label="State" parameter="state" value={state} options={stateOptions} />
          <Filter label="Result" parameter="outcome" value={outcome} options={outcomeOptions} />
        </div>
      }
    >
      <DataTable
        label="Enrolled leads"
        isStacked
        columns={columns}
        rows={list.data?.enrollments}
        rowKey={({ id }) => id}
        error={list.error}
        retry={list.reload}
        isLoading={list.isLoading}
        paging={paging(list.data?.nextCursor)}
        empty={
          <EmptyState icon="leads" title="No leads match these filters">
            <Button onClick={() => setQuery({ state: null, outcome: null })}>Show all</Button>
          </EmptyState>
        }
      />
    </Section>
  );
}

const stateOptions = Object.entries(enrollmentStateLabels).map(([value, { label }]) => ({ value, label }));
const outcomeOptions = outcomes.map((value) => ({ value, label: stageLabels[value] }));

type FilterProps = {
  label: string;
  parameter: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
};

function Filter({ label, parameter, value, options }: FilterProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value={value ?? ""}
          onChange={(event) => setQuery({ [parameter]: event.currentTarget.value })}
        >
          <option value="">All</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What the lead has done so far, each with its time. */
function Results({ enrollment }: { enrollment: EnrollmentView }) {
  const { connectedAt, repliedAt, interestedAt } = enrollment;
  const times = { connected: connectedAt, replied: repliedAt, interested: interestedAt };
  const reached = outcomes.flatMap((outcome) => {
    const at = times[outcome];
    return at === null ? [] : [{ outcome, at }];
  });
  if (reached.length === 0) return <span class="faint">–</span>;
  return (
    <span class="result-marks">
      {reached.map(({ outcome, at }) => (
        <span key={outcome} title={dateTime(at)}>
          <Badge tone={outcome === "connected" ? "info" : "good"}>{stageLabels[outcome]}</Badge>
        </span>
      ))}
    </span>
  );
}

function StopButton({
  enrollment,
  path,
  onStopped,
}: {
  enrollment: EnrollmentView;
  path: string;
  onStopped: () => void;
}) {
  const [isBusy, setIsBusy] = useState(false);
  async function stop() {
    setIsBusy(true);
    try {
      await api.post(`${path}/enrollments/${enrollment.id}/stop`);
      showSuccess(`${enrollment.leadName ?? "The lead"} was removed.`);
      onStopped();
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <Button
      kind="quiet"
      isBusy={isBusy}
      aria-label={`Remove ${enrollment.leadName ?? "the lead"}`}
      onClick={() => void stop()}
    >
      Remove
    </Button>
  );
}
