import type { AccountView } from "../../../../../features/network/account-model.ts";
import type { ActionView } from "../../../../../features/network/action-model.ts";
import type { PlanView, UsageView } from "../../../../../features/network/forecast-model.ts";
import { meterLabels } from "../../account-labels.ts";
import { api } from "../../api.ts";
import { now } from "../../clock.ts";
import { count, counted, isoDay, timeOfDay } from "../../format.ts";
import { actionLabels, reasonLabels, useAccounts } from "../../network.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { shortTime } from "../../short-time.ts";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";

/** More than any account sends in a day, so that the day is complete. */
const planLimit = 300;
/** The longest page of actions. An account that has done more today shows the latest ones. */
const doneLimit = 100;

/** What each account does today and when, and which of its caps are used up. */
export function Timeline() {
  const accounts = useAccounts();
  return (
    <div class="card full">
      <Section title="Today by account" actions={<Link to="/queue?view=calendar">View calendar</Link>}>
        <Loaded resource={accounts} lines={4}>
          {({ accounts }) =>
            accounts.length === 0 ? (
              <EmptyState icon="settings" title="No network account yet">
                <p>Add the account that sends your requests and messages.</p>
                <Link to="/settings?part=accounts" class="button primary">
                  Add an account
                </Link>
              </EmptyState>
            ) : (
              <>
                <ul class="day-lanes">
                  {accounts.map((account) => (
                    <Lane key={account.id} account={account} />
                  ))}
                </ul>
                <ul class="legend day-legend" aria-hidden="true">
                  <li>
                    <span class="swatch day-invite" />
                    Connection requests
                  </li>
                  <li>
                    <span class="swatch day-other" />
                    Other actions
                  </li>
                  <li>
                    <span class="swatch day-done" />
                    Done
                  </li>
                </ul>
              </>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}

type Mark = { jobId: string; at: string; actionType: ActionView["actionType"] };
type Day = { plan: PlanView; usage: UsageView; done: readonly Mark[] };

function Lane({ account }: { account: AccountView }) {
  const path = `/network/accounts/${account.id}`;
  const day = useResource(
    async (signal): Promise<Day> => {
      const [plan, usage, done] = await Promise.all([
        api.get<PlanView>(`${path}/plan`, { query: { limit: planLimit }, signal }),
        api.get<UsageView>(`${path}/usage`, { signal }),
        loadDone(account.id, signal),
      ]);
      return { plan, usage, done };
    },
    [account.id],
    { pollMs: 30_000, events: ["action.", "account."] },
  );
  return (
    <li class="day-lane">
      <div class="day-lane-head">
        <Link to={`/settings/accounts/${account.id}`}>{account.name}</Link>
        {account.state === "paused" && <Badge tone="warn">Paused</Badge>}
        {account.state === "needsReconnect" && <Badge tone="bad">Needs reconnecting</Badge>}
      </div>
      <Loaded resource={day} lines={2}>
        {(found) => <LaneDay account={account} day={found} />}
      </Loaded>
    </li>
  );
}

/** What the account has done since midnight, latest first. */
async function loadDone(accountId: string, signal: AbortSignal): Promise<Mark[]> {
  const query = { accountId, state: "completed", order: "latest", limit: doneLimit };
  const { actions } = await api.get<{ actions: ActionView[] }>("/network/actions", { query, signal });
  const today = isoDay(now());
  return actions
    .map(({ jobId, actionType, carriedOutAt, updatedAt }) => ({ jobId, actionType, at: carriedOutAt ?? updatedAt }))
    .filter(({ at }) => isoDay(at) === today);
}

function LaneDay({ account, day: { plan, usage, done } }: { account: AccountView; day: Day }) {
  const today = isoDay(now());
  const actions = plan.actions.filter(({ scheduledFor }) => isoDay(scheduledFor) === today);
  const next = plan.actions[0];
  const full = usage.meters.filter(({ windows }) => windows.some(({ remaining }) => remaining === 0));
  return (
    <>
      <Strip done={done} planned={actions.map(({ scheduledFor, ...action }) => ({ ...action, at: scheduledFor }))} />
      <p class="small">
        {done.length > 0 && (
          <>{done.length < doneLimit ? `${count(done.length)} done` : `${count(doneLimit)} or more done`}. </>
        )}
        {actions.length > 0 ? (
          <>
            {counted(actions.length, "action")} left today, next at{" "}
            <strong class="number">{timeOfDay(actions[0]!.scheduledFor)}</strong>: {kindsOf(actions)}
          </>
        ) : (
          <span class="faint">{nothingToday(account, next)}</span>
        )}
      </p>
      {full.length > 0 && (
        <p class="small day-full">
          <span class="bad-text">Full:</span>{" "}
          {full
            .map(({ meter, windows }) => {
              const window = windows.find(({ remaining }) => remaining === 0);
              const until = window?.resetsAt ? `, more from ${shortTime(window.resetsAt)}` : "";
              return `${meterLabels[meter] ?? meter} ${count(window?.used ?? 0)} of ${count(window?.limit ?? 0)}${until}`;
            })
            .join("; ")}
        </p>
      )}
    </>
  );
}

/** The day from midnight to midnight, with a mark for each action and a line for now. The text below says the same. */
function Strip({ done, planned }: { done: readonly Mark[]; planned: readonly Mark[] }) {
  const current = now();
  const marks = [
    ...done.map((mark) => ({ ...mark, isDone: true })),
    ...planned.map((mark) => ({ ...mark, isDone: false })),
  ];
  return (
    <div class="day-strip" aria-hidden="true">
      <svg viewBox="0 0 1440 36" preserveAspectRatio="none">
        {[6, 12, 18].map((hour) => (
          <line key={hour} class="day-hour" x1={hour * 60} x2={hour * 60} y1="0" y2="36" />
        ))}
        <rect class="day-past" x="0" y="0" width={minutesOf(current)} height="36" />
        {marks.map(({ jobId, at, actionType, isDone }) => (
          <rect
            key={jobId}
            class={`day-mark ${actionType === "sendConnectionRequest" ? "invite" : "other"} ${isDone ? "done" : ""}`}
            x={minutesOf(Date.parse(at)) - 2}
            y="6"
            width="5"
            height="24"
          >
            <title>{`${timeOfDay(at)} ${actionLabels[actionType].label}${isDone ? ", done" : ""}`}</title>
          </rect>
        ))}
        <line class="day-now" x1={minutesOf(current)} x2={minutesOf(current)} y1="0" y2="36" />
      </svg>
      <div class="day-hours faint number">
        {["00", "06", "12", "18", "24"].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
    </div>
  );
}

function minutesOf(at: number): number {
  const [hours = 0, minutes = 0] = timeOfDay(at).split(":").map(Number);
  return hours * 60 + minutes;
}

/** "8 connection requests, 2 messages". */
function kindsOf(actions: PlanView["actions"]): string {
  const counts = new Map<PlanView["actions"][number]["actionType"], number>();
  for (const { actionType } of actions) counts.set(actionType, (counts.get(actionType) ?? 0) + 1);
  return [...counts].map(([type, n]) => counted(n, actionLabels[type].label.toLowerCase())).join(", ");
}

function nothingToday({ state, stateReason }: AccountView, next: PlanView["actions"][number] | undefined): string {
  if (state !== "active") return stateReason ?? "Nothing is sent until the account is active again.";
  if (next === undefined) return "Nothing is scheduled.";
  return `Nothing more today. ${reasonLabels[next.reason]}; next ${shortTime(next.scheduledFor)}.`;
}
