// Imports a CSV file, enriches the leads, and starts a campaign with them.
import { readFile } from "node:fs/promises";
import { createClient, pages } from "outreachd-client";

const outreachd = createClient({
  baseUrl: process.env.OUTREACHD_URL ?? "http://127.0.0.1:8080",
  apiKey: process.env.OUTREACHD_API_KEY ?? "",
});
const tag = `example-${Date.now()}`;

const csv = await readFile(process.argv[2] ?? "people.csv");
const imported = await outreachd.importLeads({
  body: new Uint8Array(csv),
  query: { tags: tag, onDuplicate: "update" },
  headers: { "content-type": "text/csv" },
});
console.log("Import:", (await ended(imported.data.id)).status);

const leadIds = [];
for await (const { data } of pages(outreachd.listLeads, { query: { tag, limit: 100 } }))
  leadIds.push(...data.leads.map(({ id }) => id));

const enrichment = await outreachd.enrichLeads({
  body: { leads: leadIds.map((leadId) => ({ leadId })), writeBack: true },
});
console.log("Enriched:", enrichment.success);

const { data: campaign } = await outreachd.createCampaign({
  body: {
    name: `Hello ${tag}`,
    steps: [
      { type: "action", actionType: "visitProfile" },
      { type: "wait", days: 1 },
      { type: "action", actionType: "sendConnectionRequest", message: "Hello {{firstName|there}}" },
    ],
  },
});
await outreachd.enrollLeads({ path: { campaignId: campaign.id }, body: { leadIds } });
const started = await outreachd.startCampaign({ path: { campaignId: campaign.id } });
console.log(`Campaign ${campaign.id} is ${started.data.state}, with ${leadIds.length} leads.`);

/** The job once it has ended. Event streams and webhooks report it, too. */
async function ended(jobId) {
  for (;;) {
    const { data: job } = await outreachd.getJob({ path: { jobId } });
    if (["completed", "failed", "canceled"].includes(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
