import { InvalidArgumentError, Option, type Command } from "commander";
import { leadFilterFields } from "../../features/leads/filter-query.ts";
import type { SavedLeadViewView } from "../../features/leads/views/model.ts";
import type { Api, Query } from "./api.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { parsed, repeated } from "./flags.ts";

type FilterName = keyof typeof leadFilterFields;
/** Values as in the body of a request. */
export type LeadFilters = { [Name in FilterName]?: string | readonly string[] | boolean };
export type LeadFilterFlags = LeadFilters & { view?: string };

const filterNames = Object.keys(leadFilterFields) as FilterName[];

/** What a filter takes, where the name alone does not say it. */
const argumentNames: Partial<Record<FilterName, string>> = {
  status: "STATUS",
  relation: "RELATION",
  tag: "TAG",
  tags: "TAG",
  list: "NAME",
  campaignId: "ID",
  email: "EMAIL",
  company: "NAME",
  customField: "NAME:TEXT",
  assignedTo: "MEMBER",
  createdAfter: "TIME",
  createdBefore: "TIME",
  updatedAfter: "TIME",
  updatedBefore: "TIME",
};

/** Adds a flag for each filter of the API, and one for a saved view. */
export function addLeadFilterFlags(command: Command, heading = "Filters:"): Command {
  command.optionsGroup(heading);
  for (const name of filterNames) command.addOption(filterFlag(name));
  command.option("--view <VIEW>", "Filters of a saved view (name or ID), besides the others.");
  return command.optionsGroup("Options:");
}

/** Only the filters, so that a command without any can be refused. Those of a flag win over those of a view. */
export async function leadFiltersIn(
  api: Api,
  flags: LeadFilterFlags,
  userId: string | undefined,
): Promise<LeadFilters> {
  const saved = flags.view === undefined ? {} : (await savedViewOf(api, flags.view, userId)).filters;
  return { ...(saved as LeadFilters), ...ownFilters(flags) };
}

/** The filters of flags alone. */
export function ownFilters(flags: LeadFilterFlags): LeadFilters {
  return Object.fromEntries(filterNames.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])));
}

export function queryOf(filters: LeadFilters): Query {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, typeof value === "boolean" ? String(value) : value]),
  );
}

/** A saved view by its ID or its name, whatever the case. */
export async function savedViewOf(api: Api, wanted: string, userId: string | undefined): Promise<SavedLeadViewView> {
  const views = await api.getAll<SavedLeadViewView>("/leads/views", "views", { limit: 100, userId });
  const found =
    views.find(({ id }) => id === wanted) ?? views.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found !== undefined) return found;
  throw new CommandError(exitCodes.failed, `View ${wanted} not found.`, {
    hint:
      views.length === 0
        ? "No views are saved. Save one with `outreachd leads views save NAME`."
        : `Views: ${views.map(({ name }) => name).join(", ")}.`,
  });
}

function filterFlag(name: FilterName): Option {
  const schema: { type?: string; anyOf?: { const: string }[]; description?: string } = leadFilterFields[name];
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const description = (schema.description ?? "").replace("Repeat the parameter", "Repeat the flag");
  if (schema.type === "boolean") return new Option(`${flag} <true|false>`, description).argParser(flagValue);
  if (schema.anyOf !== undefined)
    return new Option(`${flag} <${schema.anyOf.map((each) => each.const).join("|")}>`, description).choices(
      schema.anyOf.map((each) => each.const),
    );
  const option = new Option(`${flag} <${argumentNames[name] ?? "TEXT"}>`, description);
  if (argumentNames[name] === "TIME") return option.argParser(parsed(instant));
  return schema.type === "array" ? option.argParser(repeated) : option;
}

function flagValue(word: string): boolean {
  if (word !== "true" && word !== "false") throw new InvalidArgumentError("Expected true or false.");
  return word === "true";
}

function instant(value: string): string {
  const at = Date.parse(value);
  if (Number.isNaN(at)) throw new RangeError("Expected a time such as 2026-01-31 or 2026-01-31T08:00:00Z.");
  return new Date(at).toISOString();
}
