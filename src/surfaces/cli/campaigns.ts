import { Option, type Command } from "commander";
import {
  seriesDimensions,
  type ComparisonView,
  type FunnelView,
  type SeriesView,
} from "../../features/campaigns/funnel-model.ts";
import type { CampaignStatistics, CampaignView, PreviewView } from "../../features/campaigns/model.ts";
import type { CampaignTemplate } from "../../features/campaigns/template-model.ts";
import type { Api, Query } from "./api.ts";
import { campaignsText, campaignText, previewText, templatesText } from "./campaign-text.ts";
import { addCampaignChanges } from "./campaign-changes.ts";
import { addCampaignLeads } from "./campaign-leads.ts";
import { pathOf } from "./campaign-path.ts";
import { comparisonText, daysText, funnelText, seriesText } from "./campaign-results.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ResultFlags = UserFlags & { from?: string; to?: string; account?: string; days?: boolean; csv?: boolean };
type List = { campaigns: CampaignView[]; total: number };

const examples = `
Examples:
  outreachd campaigns templates                            sequences to start from
  outreachd campaigns create Spring --template warm-up
  outreachd campaigns create Spring --steps spring.json
  outreachd campaigns enroll 019b… --tag berlin --dry-run  who would be enrolled
  outreachd campaigns enroll 019b… --tag berlin
  outreachd campaigns preview 019b…                        when its actions would be sent
  outreachd campaigns start 019b…
  outreachd campaigns funnel 019b… --from 2030-01-01       results since then
  outreachd campaigns funnel 019b… --days --csv > days.csv
  outreachd campaigns series 019b… --by variant            by day
  outreachd campaigns compare 019b… 019c…
  outreachd campaigns show 019b… --json > spring.json      to edit its steps, then:
  outreachd campaigns update 019b… --steps spring.json`;

export function addCampaignCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("campaigns")
    .description("Create and run campaigns, and show their results.")
    .addHelpText("after", examples);
  addReading(group, context);
  addResults(group, context);
  addCampaignChanges(group, context);
  addCampaignLeads(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  const list = group
    .command("list")
    .description("List campaigns, newest first.")
    .option("--limit <NUMBER>", "Number of campaigns.", wholeNumberFlag(1, 1000), 25);
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags & { limit: number }) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.get<List>("/campaigns", { userId, limit: flags.limit });
      await present(context, found, campaignsText(found));
    }),
  );

  const templates = group.command("templates").description("List common sequences, for `create --template`.");
  addConnectionFlags(addUserFlag(templates)).action((flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.get<{ templates: CampaignTemplate[] }>("/campaigns/templates", { userId });
      await present(context, found, templatesText(found.templates));
    }),
  );

  const show = group
    .command("show <CAMPAIGN_ID>")
    .description("Show the steps of a campaign, and how far its leads are.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const campaign = await api.get<CampaignView>(pathOf(id), { userId });
      const statistics = await api.get<CampaignStatistics>(`${pathOf(id)}/statistics`, { userId });
      await present(context, { ...campaign, statistics }, campaignText({ campaign, statistics }));
    }),
  );

  const preview = group
    .command("preview <CAMPAIGN_ID>")
    .description("Forecast when each step would be sent, given the queues of the accounts. Nothing is stored.")
    .option("--leads <NUMBER>", "Number of leads to simulate.", wholeNumberFlag(1, 1000), 20)
    .option("--none-connects", "Assume that no lead accepts. Default: every lead does.")
    .option("--all-reply", "Assume that every lead replies. Default: none does.");
  addConnectionFlags(addUserFlag(preview)).action(
    (id: string, flags: UserFlags & { leads: number; noneConnects?: boolean; allReply?: boolean }) =>
      forUser(context, flags, async (api, userId) => {
        const assume = { connected: flags.noneConnects !== true, replied: flags.allReply === true };
        const body = { leads: flags.leads, assume, userId };
        const forecast = await api.post<PreviewView>(`${pathOf(id)}/preview`, body);
        await present(context, forecast, previewText(forecast));
      }),
  );
}

function addResults(group: Command, context: CommandContext): void {
  const funnel = group
    .command("funnel <CAMPAIGN_ID>")
    .description(
      "Show how many leads were contacted, connected, replied, and interested: by step, variant, and account.",
    )
    .option("--days", "By day instead.")
    .option("--account <ID>", "Only leads of this network account.");
  addResultFlags(funnel).action((id: string, flags: ResultFlags) =>
    forUser(context, flags, async (api, userId) => {
      const query = { ...periodOf(flags), accountId: flags.account, userId };
      if (flags.csv) return printCsv(api, context, `${pathOf(id)}/${flags.days ? "series" : "funnel"}`, query);
      if (flags.days) {
        const series = await api.get<SeriesView>(`${pathOf(id)}/series`, query);
        return present(context, series, daysText(series));
      }
      const results = await api.get<FunnelView>(`${pathOf(id)}/funnel`, query);
      await present(context, results, funnelText(results));
    }),
  );

  const series = group
    .command("series <CAMPAIGN_ID>")
    .description("Show the results of a campaign by day: in total, or by step, side of a branch, variant, or account.")
    .addOption(new Option("--by <DIMENSION>", "What to divide the results by.").choices(seriesDimensions))
    .option("--account <ID>", "Only leads of this network account.");
  addResultFlags(series).action((id: string, flags: ResultFlags & { by?: string }) =>
    forUser(context, flags, async (api, userId) => {
      const query = { ...periodOf(flags), accountId: flags.account, by: flags.by, userId };
      if (flags.csv) return printCsv(api, context, `${pathOf(id)}/series`, query);
      const results = await api.get<SeriesView>(`${pathOf(id)}/series`, query);
      await present(context, results, results.by === undefined ? daysText(results) : seriesText(results));
    }),
  );

  const compare = group
    .command("compare [CAMPAIGN_IDS...]")
    .description("Show the results of up to 20 campaigns side by side. Default: the newest.");
  addResultFlags(compare).action((ids: string[], flags: ResultFlags) =>
    forUser(context, flags, async (api, userId) => {
      const query = { ...periodOf(flags), ...(ids.length > 0 && { ids: ids.join(",") }), userId };
      if (flags.csv) return printCsv(api, context, "/campaigns/compare", query);
      const comparison = await api.get<ComparisonView>("/campaigns/compare", query);
      await present(context, comparison, comparisonText(comparison));
    }),
  );
}

function addResultFlags(command: Command): Command {
  command
    .option("--from <DAY>", "First day to count, such as 2030-01-31, in UTC.")
    .option("--to <DAY>", "Last day to count.")
    .option("--csv", "Print CSV.");
  return addConnectionFlags(addUserFlag(command));
}

function periodOf({ from, to }: ResultFlags): Query {
  return { from, to };
}

async function printCsv(api: Api, context: CommandContext, path: string, query: Query): Promise<void> {
  if (context.json) throw new CommandError(exitCodes.usage, "Choose either --json or --csv, not both.");
  for await (const chunk of await api.download(path, { ...query, format: "csv" })) await context.terminal.out(chunk);
}
