import { callApi } from "./server-api.ts";
import { live } from "./screenshots-world.ts";

type Server = { url: string; firstRun: { key: string } | null };

const longName = "Maximiliane-Theodora Schwarzenberger-Papadopoulos";

/** IDs of what has a page of its own. */
export type DashboardWorld = {
  campaignId: string;
  draftId: string;
  leadId: string;
  importId: string;
  voiceId: string;
  accountId: string;
  endpointId: string;
};

/** Fills a new server of the simulation, so that every list of the dashboard has entries. */
export async function fillDashboard(server: Server): Promise<DashboardWorld> {
  const { campaignId, draftId } = await live(server);
  const ask = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);
  const [accountId, endpointId, importId] = [
    await addActions(ask),
    await addEndpoint(ask),
    await addLeads(ask, "Hamburg"),
  ];
  await addPeople(ask);
  await ask("POST", "/prospecting/searches", {
    name: "Operations in logistics",
    filters: { company: { industry: ["Logistics"] } },
  });
  await ask("POST", "/suppressions", { values: ["grace@example.com", "example.org"], reason: "Asked us to stop" });
  await ask("POST", "/enrich", { leads: [{ email: "amara.okafor@northwind-logistics.example" }] });
  await ask("POST", "/backups").catch(() => null);
  await ask("POST", "/simulation/clock", { advance: "PT1M" });
  const { leads } = await ask<{ leads: { id: string }[] }>("GET", "/leads?sort=-updatedAt&status=qualified");
  const { voiceClones } = await ask<{ voiceClones: { voiceId: string }[] }>("GET", "/voice-clones");
  return {
    ...{ campaignId, draftId, importId, accountId, endpointId },
    ...{ leadId: leads[0]!.id, voiceId: voiceClones[0]!.voiceId },
  };
}

type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Actions that need approval, wait for a person, failed, or have an unknown outcome. Returns the ID of their account. */
async function addActions(ask: Ask): Promise<string> {
  const hours = [{ from: "00:00", to: "24:00" }];
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const account = {
    ...{ workingHours: Object.fromEntries(days.map((day) => [day, hours])), warmUp: null, sessions: null },
    ...{ jitterPercent: 0, spacing: { medianSeconds: 0, minSeconds: 0 } },
  };
  const create = async (name: string, connector: string) =>
    (await ask<{ id: string }>("POST", "/network/accounts", { ...account, name, connector })).id;
  const manual = await create("Martin Vogel (Sales Navigator, Germany, Austria, and Switzerland)", "manual");
  const simulated = await create("Lena Fischer", "simulated");
  const act = (accountId: string, handle: string, more: object = {}) =>
    ask("POST", "/network/scheduleNetworkAction", {
      ...{ accountId, actionType: "sendMessage", profileUrl: `https://network.example/in/${handle}` },
      ...{ message: "Thanks for connecting. Is planning a topic for you this quarter?" },
      ...more,
    });
  for (const handle of ["greta-olsen", "tom-baker", "yuki-mori"]) await act(manual, handle);
  for (const handle of ["refused-one", "unknown-two"]) await act(simulated, handle);
  for (const handle of ["ada-approval", "bo-approval"]) await act(manual, handle, { requireApproval: true });
  await ask("POST", "/simulation/clock", { advance: "PT10M" });
  return manual;
}

/** An endpoint that nothing listens at, with deliveries that failed. */
async function addEndpoint(ask: Ask): Promise<string> {
  const { id } = await ask<{ id: string }>("POST", "/webhooks", {
    ...{ url: "http://127.0.0.1:9/hooks/outreachd", description: "CRM" },
  });
  await ask("POST", `/webhooks/${id}/test`);
  return id;
}

/** Rows with errors, and a person who is already a lead under another address. Returns the ID of the import. */
async function addLeads(ask: Ask, location: string): Promise<string> {
  const { id } = await ask<{ id: string }>(
    "POST",
    "/leads/import",
    `First name,Last name,Company,Email,Location\nAmara,Okafor,Northwind Logistics,a@example.com,${location}\nNo,Mail,X,nothing,\n`,
  );
  await ask("POST", "/leads", {
    ...{ firstName: longName, lastName: "von und zu Hohenstein", company: `${longName} Beteiligungsgesellschaft mbH` },
    ...{
      title: "Head of international business development and strategic partnerships",
      email: `m@${"long".repeat(9)}.example`,
    },
    ...{ tags: ["a-tag-that-somebody-made-far-too-long-to-fit", "vip"], notes: "Met at the fair.\nCall in May." },
    customFields: { "Number of seats": 50, "Current tool": "Spreadsheets" },
  });
  await ask("POST", "/leads/views", { name: "Qualified this spring", filters: { status: "qualified" } });
  return id;
}

async function addPeople(ask: Ask): Promise<void> {
  await ask("POST", "/users", { email: "martin.vogel@example.com", name: "Martin Vogel" });
  await ask("POST", "/invitations", { email: "lena.fischer@example.com", role: "member" });
  await ask("POST", "/keys", { name: "CRM synchronization", permissions: ["leads:read", "leads:write"] });
}
