import { expect } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { Client } from "./client.ts";
import type { Found } from "./prospects.ts";
import { succeeded, type Service } from "./service.ts";

export const api = "/api/v2/prospecting";

export type FacetValue = { value: string; count: number; min?: number; max?: number | null };

export type Facets = { facets: { facet: string; values: FacetValue[] }[] };

export const people = `First Name,Last Name,Email,LinkedIn URL,Title,Company,Website,Industry,# Employees,Annual Revenue,Company Location,Technologies
Ada,Lovelace,ada@engines.example,https://network.example/in/ada,CTO,Analytical Engines,engines.example,Software,120,$12M,"London, UK","Salesforce; Node.js"
Grace,Hopper,grace@navy.example,https://network.example/in/grace,"Vice President, Engineering",Navy Systems,navy.example,Software,"11-50",2500000,"Austin, TX, USA",HubSpot
Linus,Torvalds,,https://network.example/in/linus,VP of Engineering,Kernel Works,kernel.example,Computer Hardware,5000+,,"Portland, Oregon, United States","C++;NodeJS"
Joan,Clarke,joan@park.example,,Sales Manager,Bletchley Park,park.example,Government,201-500,500M,"Milton Keynes, United Kingdom",C
`;

export async function imported(
  service: Service,
  client: Client,
  body: string,
  query: Record<string, string> = {},
  type = "text/csv",
): Promise<JobView> {
  const started = await client.post<JobView>(`${api}/import`, body, { query, headers: { "content-type": type } });
  return service.ended(client, succeeded(started).data.id);
}

export async function searched(client: Client, filters: object, more: object = {}): Promise<Found> {
  return succeeded(await client.post<Found>(`${api}/search`, { filters, ...more })).data;
}

/** First names of who is found, in alphabetical order. */
export async function names(client: Client, filters: object): Promise<string[]> {
  const { prospects, total } = await searched(client, filters);
  expect(prospects).toHaveLength(total);
  return prospects.map(({ firstName }) => firstName ?? "").toSorted();
}

export async function directory(service: Service): Promise<Client> {
  const client = await service.user();
  expect(await imported(service, client, people)).toMatchObject({
    status: "completed",
    metadata: { created: 4, failed: 0 },
  });
  return client;
}
