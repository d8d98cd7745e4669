import type { CreditsView } from "../../src/features/credits/model.ts";
import type { EnrichAnswer } from "../../src/features/enrichment/model.ts";
import type { LeadInput, LeadView } from "../../src/features/leads/model.ts";
import type { Client } from "./client.ts";
import { succeeded } from "./service.ts";

export const path = "/api/v2/enrich";

export async function store(client: Client, lead: LeadInput): Promise<LeadView> {
  return succeeded(await client.post<LeadView>("/api/v2/leads", lead)).data;
}

export const enrich = (client: Client, leads: object[], more: object = {}, options = {}) =>
  client.post<EnrichAnswer>(path, { leads, ...more }, options);

export const balanceOf = async (client: Client) => (await client.get<CreditsView>("/api/v2/credits")).data.balance;

export const ada = {
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@analytical.example",
  company: "Analytical Engines",
  title: "CTO",
  phone: "+44 1",
  location: "London",
  industry: "Computing",
};
