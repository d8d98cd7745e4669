import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Connector, ConnectorOutcome } from "../../src/features/network/connector.ts";
import type { AccountUpdate, AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { Answer, Client } from "./client.ts";
import { FakeClock } from "./clock.ts";
import { calmed, startService, succeeded, type ServiceOptions } from "./service.ts";

export type Scheduled = {
  jobId: string;
  scheduledFor: string;
  delay: number;
  reason: string;
  isNew: boolean;
  dryRun: boolean;
  action: ActionView;
};

export type Task = {
  personName: string | null;
  jobId: string;
  actionType: string;
  profileUrl: string;
  message: string | null;
  leadId: string | null;
  since: string;
};

export type Tasks = { tasks: Task[]; total: number; limit: number; nextCursor: string | null };

export const minute = 60_000;

export const hour = 60 * minute;

export const path = "/api/v2/network/scheduleNetworkAction";

export function request(name: string, change: object = {}) {
  return { actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}`, ...change };
}

export async function schedule(client: Client, name: string, change: object = {}): Promise<Scheduled> {
  return succeeded(await client.post<Scheduled>(path, request(name, change))).data;
}

export async function jobOf(client: Client, jobId: string): Promise<JobView> {
  return succeeded(await client.get<JobView>(`/api/v2/users/jobs/${jobId}`)).data;
}

export async function accountOf(client: Client): Promise<AccountView> {
  const { data } = succeeded(await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts"));
  return data.accounts[0] as AccountView;
}

export async function changeAccount(client: Client, change: AccountUpdate): Promise<Answer<AccountView>> {
  return client.patch<AccountView>(`/api/v2/network/accounts/${(await accountOf(client)).id}`, change);
}

export async function tasksOf(client: Client, query: Record<string, number> = {}): Promise<Tasks> {
  return succeeded(await client.get<Tasks>("/api/v2/network/tasks", { query })).data;
}

export function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

/** A service whose clock stands at ten o'clock on a Monday, with a user whose account works from nine to six. */
export async function atWork(options: Omit<ServiceOptions, "clock"> = {}, now?: number) {
  const clock = new FakeClock(now);
  const service = await startService({ settings: { CONNECTOR: "simulated" }, ...options, clock });
  const user = await calmed(await service.user());
  async function pass(ms: number): Promise<void> {
    await service.idle();
    for (const step of [ms, 0]) {
      clock.advance(step);
      await service.idle();
    }
  }
  return {
    clock,
    service,
    user,
    /** Moves time forward and lets everything that becomes due happen. */
    pass,
    /** As `pass`, minute by minute, so that what waits for its turn gets it. */
    async passMinutes(minutes: number): Promise<void> {
      for (let passed = 0; passed < minutes; passed++) await pass(minute);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A connector that answers what it is told to, and remembers what it was asked. */
export function scripted(...outcomes: (ConnectorOutcome | Error | Promise<ConnectorOutcome>)[]) {
  const asked: { profileUrl: string; message: string | null; actionType: string }[] = [];
  const connector: Connector = {
    async carryOut({ profileUrl, message, actionType }) {
      asked.push({ profileUrl, message, actionType });
      const outcome = outcomes.shift() ?? { kind: "completed", reference: null };
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  return { asked, connectors: { simulated: connector } };
}

export const monday = Date.UTC(2026, 0, 5);

export const hours = [
  ["before the working day", monday + 8 * hour, "UTC", "2026-01-05T09:00:00.000Z"],
  ["after the working day", monday + 18 * hour, "UTC", "2026-01-06T09:00:00.000Z"],
  ["on a weekend", monday + 5 * 24 * hour, "UTC", "2026-01-12T09:00:00.000Z"],
  ["in the evening of an account further east", monday + 10 * hour, "Asia/Tokyo", "2026-01-06T00:00:00.000Z"],
  ["in the night of an account further west", monday + 10 * hour, "America/Los_Angeles", "2026-01-05T17:00:00.000Z"],
  ["over the weekend on which clocks go forward", Date.UTC(2026, 2, 28), "Europe/Berlin", "2026-03-30T07:00:00.000Z"],
] as const;

export const never = new Promise<ConnectorOutcome>(() => {});
