import { useState } from "preact/hooks";
import type { CampaignView, PreviewView } from "../../../../../features/campaigns/model.ts";
import { api } from "../../api.ts";
import { count, counted, date } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Field } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { DateTime } from "../../ui/time.tsx";
import { stepName } from "./labels.ts";

/** When each step would run, given the current caps, hours, and queues of the accounts. */
export function CampaignPreview({ campaign, path }: { campaign: CampaignView; path: string }) {
  const [leads, setLeads] = useState(20);
  const [connected, setConnected] = useState(true);
  const [replied, setReplied] = useState(false);
  const preview = useResource(
    (signal) => api.post<PreviewView>(`${path}/preview`, { leads, assume: { connected, replied } }, { signal }),
    [path, campaign.updatedAt, leads, connected, replied],
  );
  return (
    <>
      <div class="filter-row">
        <Field label="Number of leads">
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              max={1000}
              value={leads}
              onChange={(event) => {
                const wanted = Math.round(Number(event.currentTarget.value));
                if (wanted >= 1) setLeads(Math.min(1000, wanted));
              }}
            />
          )}
        </Field>
        <label class="inline-check">
          <input type="checkbox" checked={connected} onChange={(event) => setConnected(event.currentTarget.checked)} />
          Leads accept the request
        </label>
        <label class="inline-check">
          <input type="checkbox" checked={replied} onChange={(event) => setReplied(event.currentTarget.checked)} />
          Leads reply
        </label>
      </div>
      <Loaded resource={preview} lines={8}>
        {(loaded) => <Timeline campaign={campaign} preview={loaded} />}
      </Loaded>
    </>
  );
}

function Timeline({ campaign, preview }: { campaign: CampaignView; preview: PreviewView }) {
  const { problems, first, days, finishedAt, leads } = preview;
  const sum = preview.steps.reduce((total, step) => total + step.count, 0);
  return (
    <>
      {problems.map((problem) => (
        <p key={problem} class="notice warn">
          {problem}
        </p>
      ))}
      <p>
        {counted(sum, "action")} for {counted(leads, "lead")}
        {finishedAt !== null && (
          <>
            , the last at <DateTime at={finishedAt} />
          </>
        )}
        .
      </p>
      {first.length > 0 && (
        <Section title="Steps for the first lead">
          <ol class="timeline">
            {first.map(({ step, at }) => (
              <li key={step}>
                <strong>{stepName(campaign, step)}</strong>{" "}
                <span class="faint small">
                  <DateTime at={at} />
                </span>
              </li>
            ))}
          </ol>
        </Section>
      )}
      {preview.steps.length > 0 && (
        <Section title="All steps">
          <div class="table-frame" tabIndex={0} role="region" aria-label="When each step would run">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Step</th>
                  <th scope="col" class="right">
                    Actions
                  </th>
                  <th scope="col">First</th>
                  <th scope="col" class="hide-small">
                    Last
                  </th>
                </tr>
              </thead>
              <tbody>
                {preview.steps.map((step) => (
                  <tr key={step.step}>
                    <td class="step-name">{stepName(campaign, step.step)}</td>
                    <td class="right number">{count(step.count)}</td>
                    <td>{step.firstAt === null ? "–" : <DateTime at={step.firstAt} />}</td>
                    <td class="hide-small">{step.lastAt === null ? "–" : <DateTime at={step.lastAt} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Section>
      )}
      {days.length > 0 && (
        <Section title="By day">
          <DayBars days={days} />
        </Section>
      )}
    </>
  );
}

/** A bar for each day, with its number, so that the length is not the only indication. */
function DayBars({ days }: { days: PreviewView["days"] }) {
  const most = Math.max(...days.map(({ actions }) => actions));
  return (
    <ul class="day-bars" tabIndex={0} aria-label="Actions by day">
      {days.map(({ date: day, actions }) => (
        <li key={day}>
          <span class="faint small">{date(`${day}T12:00:00Z`)}</span>
          <span class="day-bar" style={{ width: `${(actions / most) * 100}%` }} aria-hidden="true" />
          <span class="number small">{count(actions)}</span>
        </li>
      ))}
    </ul>
  );
}
