import { callApi } from "./server-api.ts";
import { spokenWav } from "./voices.ts";

type Server = { url: string; firstRun: { key: string } | null };

/** The simulation starts on a Monday morning. */
export const start = "2026-03-02T07:30:00Z";

const firstNames =
  "Amara,Benedikt,Carmen,Dmitri,Elif,Fabian,Grace,Hiroshi,Ingrid,Jonas,Keiko,Lucía,Mateus,Nadia,Oskar,Priya".split(",");
const lastNames =
  "Okafor,Lindqvist,Herrera,Novak,Yildiz,Brandt,Whitfield,Tanaka,Solberg,Meyer,Mori,Santos,Almeida,Haddad,Kowalski,Fournier,Bianchi,Larsen,Moreau".split(
    ",",
  );
const companies = [
  ["Northwind Logistics", "Logistics", "Hamburg, Germany", "201-500"],
  ["Helio Energy", "Renewable energy", "Madrid, Spain", "51-200"],
  ["Brightwater Health", "Healthcare", "Boston, United States", "501-1000"],
  ["Tessera Software", "Software", "Vienna, Austria", "11-50"],
  ["Aldgate Insurance", "Insurance", "London, United Kingdom", "1001-5000"],
  ["Fjord Robotics", "Robotics", "Oslo, Norway", "51-200"],
  ["Kite & Co", "Marketing", "Amsterdam, Netherlands", "11-50"],
] as const;
const jobTitles = [
  "Head of Operations",
  "VP Sales",
  "Chief Operating Officer",
  "Revenue Operations Lead",
  "Sales Director",
];

type Person = { firstName: string; lastName: string; title: string; company: string } & Record<string, string>;

/** The same people in every run: no two have the same name, and colleagues share a company. */
function people(from: number, count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    const [firstName, lastName] = [firstNames[n % firstNames.length]!, lastNames[n % lastNames.length]!];
    const [company, industry, location, companySize] = companies[(n * 3) % companies.length]!;
    const domain = `${company.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.example`;
    const slug = `${firstName}-${lastName}`
      .normalize("NFD")
      .replaceAll(/[^\w-]/g, "")
      .toLowerCase();
    const address = { email: `${slug.replace("-", ".")}@${domain}`, networkUrl: `https://network.example/in/${slug}` };
    return {
      firstName,
      lastName,
      title: jobTitles[n % jobTitles.length]!,
      company,
      industry,
      location,
      companySize,
      ...address,
    };
  });
}

function csv(rows: readonly Record<string, string>[]): string {
  const columns = Object.keys(rows[0]!);
  const line = (cells: string[]) => cells.map((cell) => `"${cell}"`).join(",");
  return [line(columns), ...rows.map((row) => line(columns.map((column) => row[column] ?? "")))].join("\n");
}

const steps = [
  { type: "action", actionType: "visitProfile" },
  { type: "wait", days: 1 },
  {
    ...{ type: "action", actionType: "sendConnectionRequest" },
    variants: [
      { name: "Question", weight: 1, message: "Hi {{firstName}}, how does {{company}} plan its routes today?" },
      {
        name: "Reference",
        weight: 1,
        message: "Hi {{firstName}}, we help three teams like yours at {{company}} plan faster.",
      },
    ],
  },
  {
    ...{ type: "branch", condition: "connected", withinDays: 7 },
    yes: [
      { type: "wait", days: 1 },
      {
        type: "action",
        actionType: "sendMessage",
        message: "Thanks for connecting, {{firstName}}. Is planning a topic for you this quarter?",
      },
    ],
    no: [{ type: "action", actionType: "withdrawConnectionRequest" }],
  },
];

/** Fills a new server of the simulation with three weeks of a small sales team. Returns the IDs of what is shown. */
export async function live(server: Server): Promise<{ campaignId: string; draftId: string }> {
  const ask = <T>(method: string, path: string, body?: unknown) => callApi<T>(server, method, path, body);
  const advance = (duration: string) => ask("POST", "/simulation/clock", { advance: duration });
  await ask("PATCH", "/users/me", { name: "Johanna Reuter" });
  const { accounts } = await ask<{ accounts: { id: string }[] }>("GET", "/network/accounts");
  const hours = [{ from: "08:00", to: "18:00" }];
  const workingHours = Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => [day, hours]),
  );
  await ask("PATCH", `/network/accounts/${accounts[0]!.id}`, {
    ...{ name: "Johanna Reuter", connector: "simulated", warmUp: null, tier: "salesNavigator" },
    workingHours,
  });

  await ask("POST", "/leads/import?tags=spring", csv(people(0, 120)));
  await ask("POST", "/leads/import?tags=expo", csv(people(180, 24)));
  await ask("POST", "/prospecting/import", csv(people(204, 100)));
  await advance("PT1M");
  const create = async (name: string, tag: string) => {
    const { id } = await ask<{ id: string }>("POST", "/campaigns", { name, steps });
    await ask("POST", `/campaigns/${id}/enroll`, { tag });
    await ask("POST", `/campaigns/${id}/start`);
    return id;
  };
  const campaignId = await create("Heads of operations, spring", "spring");
  await advance("P9D");
  await create("Expo follow-up", "expo");
  await ask("POST", "/inbox/snippets", { name: "Meeting", text: "Hi {{firstName|there}}, does Tuesday at 10 work?" });
  await addVoice(server, "Johanna Reuter", "slt");
  await addVoice(server, "Martin Vogel", "rms");
  await advance("P5D");
  // A second wave is on its way: there is something to do today.
  await ask("POST", "/leads/import?tags=spring", csv(people(120, 60)));
  await advance("PT1M");
  await ask("POST", `/campaigns/${campaignId}/enroll`, { tag: "spring" });
  await advance("P1DT2H40M");
  const draft = await ask<{ id: string }>("POST", "/campaigns", { name: "Revenue leaders, autumn", steps });
  return { campaignId, draftId: draft.id };
}

/** Trained on synthetic speech. */
async function addVoice(server: Server, speaker: string, voice: "slt" | "rms"): Promise<void> {
  const form = new FormData();
  form.set("name", speaker);
  form.set("description", "For voice messages to leads who have replied");
  form.set("consent", JSON.stringify({ attested: true, speakerName: speaker }));
  form.append(
    "files",
    new File([new Uint8Array(await spokenWav(30, voice))], `${speaker.toLowerCase().replace(" ", "-")}.wav`, {
      type: "audio/wav",
    }),
  );
  const headers = { "x-api-key": server.firstRun?.key ?? "" };
  const response = await fetch(`${server.url}/api/v2/voice-clones`, { method: "POST", headers, body: form });
  if (!response.ok) throw new Error(`Could not create a voice: ${await response.text()}`);
}
