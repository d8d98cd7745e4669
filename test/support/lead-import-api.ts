import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { JobView } from "../../src/platform/jobs/model.ts";
import type { LeadView } from "../../src/features/leads/model.ts";
import type { Answer, Client, SendOptions } from "./client.ts";
import { eventually, succeeded, type Service } from "./service.ts";

export type ReportRow = {
  row: number;
  outcome: string;
  leadId: string | null;
  errors: { path: string; message: string }[];
};

export type Report = { rows: ReportRow[]; total: number; nextRow: number | null };

export type LeadPage = { leads: LeadView[]; total: number };

export function send(
  client: Client,
  file: SendOptions["body"],
  query: SendOptions["query"] = {},
  type = "text/csv",
): Promise<Answer<JobView>> {
  return client.post<JobView>("/api/v2/leads/import", file, { query, headers: { "content-type": type } });
}

/** Imports the file and answers the job at its end. */
export async function importFile(
  service: Service,
  client: Client,
  file: SendOptions["body"],
  query: SendOptions["query"] = {},
  type = "text/csv",
): Promise<JobView> {
  const { data } = succeeded(await send(client, file, query, type));
  return service.ended(client, data.id);
}

export async function leadsOf(client: Client): Promise<LeadView[]> {
  const { data } = succeeded(await client.get<LeadPage>("/api/v2/leads", { query: { sort: "email", limit: 100 } }));
  return data.leads;
}

export async function reportOf(client: Client, { id }: JobView, query: SendOptions["query"] = {}): Promise<Report> {
  return succeeded(await client.get<Report>(`/api/v2/leads/import/${id}/report`, { query })).data;
}

export async function keptFiles(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "blobs", "imports")).catch(() => []);
}

/** It goes when the end of its job is on disk, so a moment after that can be seen. */
export function fileIsRemoved(service: Service, { id }: JobView): Promise<true> {
  return eventually("its file to be removed", async () =>
    (await keptFiles(service.dataDir)).includes(id) ? null : true,
  );
}

export const people =
  "First Name,Last Name,Email,Company\nAda,Lovelace,ada@example.com,Engines\nGrace,Hopper,grace@example.com,Navy\n";
