import { Option, type Command } from "commander";
import {
  maxSearchLimit,
  prospectSources,
  type ProspectView,
  type SearchFilters,
} from "../../features/prospecting/model.ts";
import { actingUserId } from "./acting-user.ts";
import { present, remark, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, repeated, wholeNumberFlag } from "./flags.ts";
import { formatCount } from "./progress.ts";
import { withApi, type ConnectionFlags } from "./session.ts";
import { renderTable } from "./table.ts";

type SearchFlags = ConnectionFlags & {
  user?: string;
  source: string;
  limit?: number;
  offset?: number;
  dryRun?: boolean;
  minRevenue?: number;
  maxRevenue?: number;
} & { [F in (typeof lists)[number][0]]?: string[] };
type Found = {
  prospects: ProspectView[];
  /** Null if a live source was not queried. */
  total: number | null;
  offset: number;
  creditsUsed: number;
  creditsRequired: number;
  remainingCredits: number;
};

const lists = [
  ["title", "Job title; all words must match. VP is Vice President, and so on."],
  ["seniority", "Seniority, such as vp, director, or c_suite."],
  ["department", "Department, such as sales or engineering."],
  ["industry", "Industry of the company."],
  ["size", "Number of employees: a range such as 11-50, or a number."],
  ["location", 'Company location: a city, state, country, or area by name or code ("Austin, TX").'],
  ["using", "Technology that the company uses."],
  ["notUsing", "Technology that the company is not known to use."],
] as const;

export function addSearchCommand(program: Command, context: CommandContext): void {
  const search = program
    .command("search")
    .description(
      "Search for prospects. People from a vendor cost credits; imported ones are free. Repeat a filter to match any of its values.",
    )
    .addOption(
      new Option("--source <NAME>", "Source: your own directory, or a live source.")
        .choices(prospectSources)
        .default("directory"),
    )
    .option(
      "--limit <NUMBER>",
      `Number of results, up to ${maxSearchLimit}. Default: 25.`,
      wholeNumberFlag(1, maxSearchLimit),
    )
    .option("--offset <NUMBER>", "Number of results to skip.", wholeNumberFlag(0, 2 ** 32))
    .option(
      "--dry-run",
      "Only show the count and the cost. A live source is not queried; only its maximum cost is shown.",
    )
    .optionsGroup("Filters:");
  for (const [name, description] of lists) search.option(`--${flagOf(name)} <TEXT>`, description, repeated);
  search
    .option("--min-revenue <DOLLARS>", "Minimum annual revenue of the company.", wholeNumberFlag(0, 1e15))
    .option("--max-revenue <DOLLARS>", "Maximum annual revenue of the company.", wholeNumberFlag(0, 1e15))
    .optionsGroup("Options:");
  addConnectionFlags(addUserFlag(search)).action((flags: SearchFlags) =>
    withApi(context, flags, async (api) => {
      const userId = await actingUserId(api, flags.user, (text) => remark(context, text));
      const { source, limit, offset, dryRun } = flags;
      const page = { source, limit, offset, dryRun, userId };
      const found = await api.post<Found>("/prospecting/search", { filters: filtersOf(flags), ...page });
      await present(context, found, flags.dryRun ? costText(found, source) : pageText(found));
    }),
  );
}

function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function filtersOf(flags: SearchFlags): SearchFilters {
  const {
    title,
    seniority,
    department,
    industry,
    size,
    location,
    using,
    notUsing,
    minRevenue: min,
    maxRevenue: max,
  } = flags;
  const revenue = min === undefined && max === undefined ? undefined : { min: min ?? null, max: max ?? null };
  const parts = {
    company: { industry, size, location, revenue },
    person: { title, seniority, department },
    technology: { using, notUsing },
  };
  // Undefined values are omitted in JSON.
  return JSON.parse(JSON.stringify(parts)) as SearchFilters;
}

function costText({ total, creditsRequired, remainingCredits }: Found, source: string): string {
  const credits = `${formatCount(creditsRequired)} of ${formatCount(remainingCredits)} credits`;
  return total === null
    ? `The number of matches is unknown, because a dry run does not query ${source}. Showing this page would cost at most ${credits}.`
    : `${formatCount(total)} prospects match. Showing this page would cost ${credits}.`;
}

function pageText({ prospects, total, offset, creditsUsed, remainingCredits }: Found): string {
  const headings = ["NAME", "TITLE", "COMPANY", "LOCATION", "EMAIL", "ID"];
  const rows = prospects.map(({ firstName, lastName, title, company, location, email, id }) => [
    [firstName, lastName].filter(Boolean).join(" "),
    title ?? "",
    company ?? "",
    location ?? "",
    email ?? "",
    id,
  ]);
  const place =
    prospects.length === 0
      ? "none on this page"
      : `${formatCount(offset + 1)} to ${formatCount(offset + prospects.length)}`;
  const sum = `${formatCount(total ?? 0)} prospects match, ${place}. Credits: ${formatCount(creditsUsed)} used, ${formatCount(remainingCredits)} left.`;
  return prospects.length === 0 ? sum : `${renderTable(headings, rows)}\n\n${sum}`;
}
