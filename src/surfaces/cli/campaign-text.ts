import type {
  CampaignStatistics,
  CampaignStep,
  CampaignView,
  EnrollAnswer,
  EnrollmentView,
  PreviewView,
} from "../../features/campaigns/model.ts";
import type { CampaignTemplate } from "../../features/campaigns/template-model.ts";
import { actionKinds } from "../../features/network/action-kinds.ts";
import { formatCount } from "./progress.ts";
import { renderTable, shortTime } from "./table.ts";

export type CampaignDetails = { campaign: CampaignView; statistics: CampaignStatistics };
export type EnrollmentList = { enrollments: EnrollmentView[]; total: number };

export function campaignsText({ campaigns, total }: { campaigns: CampaignView[]; total: number }): string {
  if (campaigns.length === 0) return "No campaigns. `outreachd campaigns create --help` shows how to create one.";
  const rows = campaigns.map(({ createdAt, state, name, steps, accountIds, id }) => [
    createdAt.slice(0, 10),
    state,
    oneLine(name),
    formatCount(countOf(steps)),
    formatCount(accountIds.length),
    id,
  ]);
  const table = renderTable(["CREATED", "STATE", "NAME", "STEPS", "ACCOUNTS", "ID"], rows);
  return withTotal(table, campaigns.length, total);
}

export function templatesText(templates: readonly CampaignTemplate[]): string {
  return renderTable(
    ["ID", "NAME", "WHAT IT DOES"],
    templates.map(({ id, name, description }) => [id, name, description]),
  );
}

export function campaignText({ campaign, statistics }: CampaignDetails): string {
  const { name, state, version, firstStep, steps, startedAt, accountIds } = campaign;
  const { enrolled, active, completed, stopped, failed, reasons } = statistics;
  const counts = { enrolled, active, completed, stopped, failed };
  const leads = Object.entries(counts).map(([label, n]) => `${formatCount(n)} ${label}`);
  const why = Object.entries(reasons).map(([reason, n]) => `${formatCount(n)} ${reason}`);
  return [
    `${name}  ${state}, version ${version}${startedAt === null ? "" : `, started ${shortTime(startedAt)} UTC`}`,
    `Accounts: ${accountIds.join(", ")}`,
    `Leads: ${leads.join(", ")}`,
    ...(why.length > 0 ? [`No longer in the campaign: ${why.join(", ")}`] : []),
    "",
    ...stepLines(steps, { step: firstStep }, "  "),
  ].join("\n");
}

export function previewText({ leads, finishedAt, steps, problems }: PreviewView): string {
  const rows = steps.map(({ step, actionType, count, firstAt, lastAt }) => [
    `${step}`,
    actionType,
    formatCount(count),
    firstAt === null ? "" : shortTime(firstAt),
    lastAt === null ? "" : shortTime(lastAt),
  ]);
  const end = finishedAt === null ? "" : `, until ${shortTime(finishedAt)} UTC`;
  return [
    renderTable(["STEP", "ACTION", "COUNT", "FIRST (UTC)", "LAST (UTC)"], rows),
    "",
    `${formatCount(leads)} leads${end}.`,
    ...problems.map((problem) => `Problem: ${problem}`),
  ].join("\n");
}

export function enrolledText({ enrolled, skipped, hasMore, dryRun, results }: EnrollAnswer): string {
  const done = `${dryRun ? "Would enroll" : "Enrolled"} ${formatCount(enrolled)}, skipped ${formatCount(skipped)}.`;
  const reasons = Map.groupBy(
    results.filter(({ outcome }) => outcome !== "enrolled"),
    ({ outcome }) => outcome,
  );
  const rows = [...reasons].map(([reason, leads]) => [reason, formatCount(leads.length), leads[0]?.leadId ?? ""]);
  return [
    done,
    ...(rows.length > 0 ? ["", renderTable(["REASON", "LEADS", "FOR EXAMPLE"], rows)] : []),
    ...(hasMore ? ["", "More leads have the tag. Repeat the command to enroll them."] : []),
  ].join("\n");
}

export function enrollmentsText({ enrollments, total }: EnrollmentList): string {
  if (enrollments.length === 0) return "No leads.";
  const rows = enrollments.map(({ leadName, leadId, state, reason, step, connectedAt, repliedAt, id }) => [
    oneLine(leadName ?? leadId),
    reason === null ? state : `${state} (${reason})`,
    step === null ? "" : `${step}`,
    connectedAt === null ? "" : shortTime(connectedAt),
    repliedAt === null ? "" : shortTime(repliedAt),
    id,
  ]);
  const table = renderTable(["LEAD", "STATE", "STEP", "CONNECTED (UTC)", "REPLIED (UTC)", "ENROLLMENT"], rows);
  return withTotal(table, enrollments.length, total);
}

/** Steps in reading order, with the numbers that results refer to. */
function stepLines(steps: readonly CampaignStep[], next: { step: number }, indent: string): string[] {
  return steps.flatMap((step) => {
    const number = `${next.step++}`.padStart(3);
    if (step.type !== "branch") return [`${number}${indent}${describe(step)}`];
    const { condition, withinDays = 0, yes, no } = step;
    const within = withinDays === 0 ? "" : ` within ${days(withinDays)}`;
    const side = (name: string, inner: readonly CampaignStep[]) =>
      inner.length === 0 ? [] : [`   ${indent}${name}:`, ...stepLines(inner, next, `${indent}  `)];
    return [`${number}${indent}If ${condition}${within}`, ...side("yes", yes), ...side("no", no)];
  });
}

function describe(step: Exclude<CampaignStep, { type: "branch" }>): string {
  if (step.type === "wait") {
    const parts = [step.days ? days(step.days) : "", step.hours ? plural(step.hours, "hour") : ""].filter(Boolean);
    return `Wait ${parts.join(" ") || "0 days"}`;
  }
  const { actionType, message, variants } = step;
  const text =
    variants === undefined ? message : `${variants.length} variants: ${variants.map(({ name }) => name).join(", ")}`;
  return `${actionKinds[actionType].label}${text === undefined ? "" : `: ${oneLine(text)}`}`;
}

function countOf(steps: readonly CampaignStep[]): number {
  return steps.reduce((sum, step) => sum + 1 + (step.type === "branch" ? countOf(step.yes) + countOf(step.no) : 0), 0);
}

function withTotal(table: string, shown: number, total: number): string {
  return total > shown ? `${table}\n\n${formatCount(shown)} of ${formatCount(total)}.` : table;
}

const plural = (n: number, unit: string) => `${n} ${unit}${n === 1 ? "" : "s"}`;
const days = (n: number) => plural(n, "day");

/** Terminals break long lines, which tears a table apart. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}
