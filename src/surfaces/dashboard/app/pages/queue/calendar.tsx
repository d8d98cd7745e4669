import { useState } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import type { PlanView } from "../../../../../features/network/forecast-model.ts";
import { api, getAll } from "../../api.ts";
import { now } from "../../clock.ts";
import { count, isoDay, timeOfDay } from "../../format.ts";
import { actionLabels } from "../../network.ts";
import { handleOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { weekdayOf } from "../../short-time.ts";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { reasonInFull } from "./reason.ts";

type Planned = PlanView["actions"][number];
type Row = { account: AccountView; byDay: Map<string, Planned[]>; waiting: number };

const days = 7;
const dayMs = 86_400_000;
/** The most that the API returns of an account. */
const planLimit = 1000;

/** The next seven days of each account: how much is planned on each, and on selection what and when. */
export function Calendar({ accountId }: { accountId: string | null }) {
  const plans = useResource((signal) => loadRows(accountId, signal), [accountId], {
    pollMs: 30_000,
    events: ["action.", "account.", "campaign."],
  });
  const [chosen, setChosen] = useState<{ accountId: string; day: string } | null>(null);
  const dates = Array.from({ length: days }, (_, index) => isoDay(now() + index * dayMs));
  return (
    <Loaded resource={plans} lines={6}>
      {(rows) => {
        const row = rows.find(({ account }) => account.id === chosen?.accountId);
        const actions = (chosen && row?.byDay.get(chosen.day)) ?? [];
        if (rows.every(({ waiting }) => waiting === 0))
          return (
            <EmptyState icon="queue" title="Nothing is planned">
              <p>Select leads and schedule an action for them, or start a campaign.</p>
              <Link to="/leads" class="button primary">
                Select leads
              </Link>
            </EmptyState>
          );
        return (
          <>
            <CalendarTable rows={rows} dates={dates} chosen={chosen} choose={setChosen} />
            {chosen !== null && row !== undefined && (
              <Section title={`${row.account.name}, ${dayLabel(chosen.day)}`}>
                <DayList actions={actions} />
              </Section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

async function loadRows(accountId: string | null, signal: AbortSignal): Promise<Row[]> {
  const accounts = await getAll<AccountView>("/network/accounts", "accounts", { signal });
  const shown = accounts.filter(({ id }) => accountId === null || id === accountId);
  return Promise.all(
    shown.map(async (account) => {
      const options = { query: { limit: planLimit }, signal };
      const plan = await api.get<PlanView>(`/network/accounts/${account.id}/plan`, options);
      return {
        account,
        byDay: Map.groupBy(plan.actions, ({ scheduledFor }) => isoDay(scheduledFor)),
        waiting: plan.waiting,
      };
    }),
  );
}

type TableProps = {
  rows: readonly Row[];
  dates: readonly string[];
  chosen: { accountId: string; day: string } | null;
  choose: (chosen: { accountId: string; day: string }) => void;
};

function CalendarTable({ rows, dates, chosen, choose }: TableProps) {
  const most = Math.max(1, ...rows.flatMap(({ byDay }) => [...byDay.values()].map(({ length }) => length)));
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Calendar">
      <table class="table calendar">
        <thead>
          <tr>
            <th scope="col">Account</th>
            {dates.map((day, index) => (
              <th key={day} scope="col">
                {index === 0 ? "Today" : weekdayOf(day)} <span class="number">{Number(day.slice(8))}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ account, byDay }) => (
            <tr key={account.id}>
              <th scope="row">
                {account.name}
                {account.state !== "active" && (
                  <Badge tone={account.state === "paused" ? "warn" : "bad"}>
                    {account.state === "paused" ? "Paused" : "Needs reconnecting"}
                  </Badge>
                )}
              </th>
              {dates.map((day) => {
                const actions = byDay.get(day) ?? [];
                const isChosen = chosen?.accountId === account.id && chosen.day === day;
                return (
                  <td key={day}>
                    {actions.length === 0 ? (
                      <span class="faint">–</span>
                    ) : (
                      <button
                        type="button"
                        class="calendar-day"
                        aria-pressed={isChosen}
                        onClick={() => choose({ accountId: account.id, day })}
                      >
                        <span class="visually-hidden">{`${account.name}, ${dayLabel(day)}: `}</span>
                        <strong class="number">{count(actions.length)}</strong>
                        <span class="calendar-share" style={{ width: `${(actions.length / most) * 100}%` }} />
                        <span class="faint small number">{spanOf(actions)}</span>
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DayList({ actions }: { actions: readonly Planned[] }) {
  return (
    <ol class="feed card">
      {actions.map(({ jobId, scheduledFor, actionType, profileUrl, reason }) => (
        <li key={jobId}>
          <time class="calendar-time number" dateTime={scheduledFor}>
            {timeOfDay(scheduledFor)}
          </time>
          <span>
            {actionLabels[actionType].label} to <strong>{handleOf(profileUrl)}</strong>
            <span class="faint small block">{reasonInFull({ pendingReason: reason, scheduledFor }, null)}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function dayLabel(day: string): string {
  return day === isoDay(now()) ? "today" : `${weekdayOf(day)} ${Number(day.slice(8))}`;
}

/** "09:12–16:40", or one time if that is all. */
function spanOf(actions: readonly Planned[]): string {
  const [first, last] = [timeOfDay(actions[0]!.scheduledFor), timeOfDay(actions.at(-1)!.scheduledFor)];
  return first === last ? first : `${first}–${last}`;
}
