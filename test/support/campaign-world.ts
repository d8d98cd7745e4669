import type {
  CampaignInput,
  CampaignStep,
  CampaignView,
  EnrollAnswer,
  EnrollmentView,
} from "../../src/features/campaigns/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { AccountView } from "../../src/features/network/account-model.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import type { Client } from "./client.ts";
import { FakeClock } from "./clock.ts";
import { startService, succeeded, type Service } from "./service.ts";

const hourMs = 3_600_000;
const stepHours = 4;
const allDay = [{ from: "00:00", to: "24:00" }];
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const always = Object.fromEntries(weekdays.map((day) => [day, allDay]));

export const campaignsPath = "/api/v2/campaigns";

/** A user whose simulated account works around the clock, on a clock that is moved by hand. */
export type CampaignWorld = Awaited<ReturnType<typeof createCampaignWorld>>;

/** `rates`: how people on the simulated network react. */
export async function createCampaignWorld(rates: string) {
  const clock = new FakeClock();
  const service: Service = await startService({ clock, settings: { CONNECTOR: "simulated", SIMULATED_RATES: rates } });
  const client = await service.user();
  const { data } = succeeded(await client.get<{ accounts: AccountView[] }>("/api/v2/network/accounts"));
  const accountId = data.accounts[0]!.id;
  const spacing = { medianSeconds: 0, minSeconds: 0 };
  const change = { workingHours: always, warmUp: null, sessions: null, spacing };
  succeeded(await client.patch(`/api/v2/network/accounts/${accountId}`, change));
  await service.idle();
  return {
    ...{ service, client, clock, accountId, campaignsOf: campaignsOf(client) },
    /** Lets time pass, with everything that happens meanwhile. */
    async pass(hours: number): Promise<void> {
      for (let hour = 0; hour < hours; hour += stepHours) {
        clock.advance(stepHours * hourMs);
        await service.idle();
        await service.watch();
        await service.idle();
      }
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function campaignsOf(client: Client) {
  return {
    async create(steps: CampaignStep[], more: Partial<CampaignInput> = {}): Promise<CampaignView> {
      return succeeded(await client.post<CampaignView>(campaignsPath, { name: "Spring", steps, ...more })).data;
    },
    async lead(name: string): Promise<LeadView> {
      const lead = { firstName: name, networkUrl: `https://network.example/in/${name.toLowerCase()}` };
      return succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
    },
    async enroll({ id }: { id: string }, leads: { id: string }[]): Promise<EnrollAnswer> {
      const leadIds = leads.map((lead) => lead.id);
      return succeeded(await client.post<EnrollAnswer>(`${campaignsPath}/${id}/enroll`, { leadIds })).data;
    },
    async change({ id }: { id: string }, to: "start" | "pause" | "cancel"): Promise<CampaignView> {
      return succeeded(await client.post<CampaignView>(`${campaignsPath}/${id}/${to}`)).data;
    },
    async enrollments({ id }: { id: string }): Promise<EnrollmentView[]> {
      const path = `${campaignsPath}/${id}/enrollments?limit=100`;
      return succeeded(await client.get<{ enrollments: EnrollmentView[] }>(path)).data.enrollments;
    },
    /** Oldest first. */
    async actions(): Promise<ActionView[]> {
      const { data } = succeeded(await client.get<{ actions: ActionView[] }>("/api/v2/network/actions"));
      return data.actions.toReversed();
    },
    async reply({ networkUrl }: LeadView, text = "Yes, please."): Promise<void> {
      const news = { profileUrl: networkUrl, event: "replied", text };
      succeeded(await client.post("/api/v2/network/contacts/events", news));
    },
  };
}
