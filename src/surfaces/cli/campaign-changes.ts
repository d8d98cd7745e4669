import { Option, type Command } from "commander";
import type { CampaignView } from "../../features/campaigns/model.ts";
import type { CampaignTemplate } from "../../features/campaigns/template-model.ts";
import type { Api } from "./api.ts";
import { pathOf } from "./campaign-path.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { readInputText } from "./input-text.ts";
import { reasonOf } from "./reason.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type StepFlags = UserFlags & { template?: string; steps?: string; account?: string[]; name?: string };

/** Commands that change a campaign, except its leads. */
export function addCampaignChanges(group: Command, context: CommandContext): void {
  const create = group
    .command("create <NAME>")
    .description("Create a draft, from a template or from steps.")
    .addOption(new Option("--template <ID>", "Template, see `outreachd campaigns templates`.").conflicts("steps"));
  addStepFlags(create).action((name: string, flags: StepFlags) =>
    forUser(context, flags, async (api, userId) => {
      const steps = flags.template === undefined ? await stepsIn(flags) : await stepsOf(api, flags.template, userId);
      if (steps === undefined)
        throw new CommandError(exitCodes.usage, "A campaign needs steps: send --template ID or --steps FILE.");
      const created = await api.post<CampaignView>("/campaigns", { name, steps, accountIds: flags.account, userId });
      await present(context, created, `Created the draft ${created.name}: ${created.id}`);
    }),
  );

  const update = group
    .command("update <CAMPAIGN_ID>")
    .description("Change the name, steps, or accounts. Steps and accounts can change in a draft or a paused campaign.")
    .option("--name <NAME>", "New name.");
  addStepFlags(update).action((id: string, flags: StepFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { name, account: accountIds } = flags;
      const { steps, version } = (await contentIn(flags)) ?? {};
      if (name === undefined && accountIds === undefined && steps === undefined)
        throw new CommandError(exitCodes.usage, "Nothing to change: send --name, --steps, or --account.");
      const changed = await api.patch<CampaignView>(pathOf(id), { name, steps, version, accountIds, userId });
      await present(context, changed, `Updated ${changed.name} (version ${changed.version}).`);
    }),
  );

  addTurn("start", "Start a draft, or resume a paused campaign.");
  addTurn("pause", "Pause a campaign. Leads stay at their step, and pending actions are rescheduled when it resumes.");
  addTurn("cancel", "End a campaign for every lead that is still in progress.");
  function addTurn(name: "start" | "pause" | "cancel", description: string): void {
    const turn = group.command(`${name} <CAMPAIGN_ID>`).description(description);
    addConnectionFlags(addUserFlag(turn)).action((id: string, flags: UserFlags) =>
      forUser(context, flags, async (api, userId) => {
        const changed = await api.post<CampaignView>(`${pathOf(id)}/${name}`, { userId });
        await present(context, changed, `${changed.name}: ${changed.state}`);
      }),
    );
  }

  const duplicate = group
    .command("duplicate <CAMPAIGN_ID>")
    .description("Create a draft with the same steps, settings, and accounts, without the leads.")
    .option("--name <NAME>", "Name of the copy. Default: the name with (copy).");
  addConnectionFlags(addUserFlag(duplicate)).action((id: string, flags: UserFlags & { name?: string }) =>
    forUser(context, flags, async (api, userId) => {
      const copy = await api.post<CampaignView>(`${pathOf(id)}/duplicate`, { name: flags.name, userId });
      await present(context, copy, `Created the draft ${copy.name}: ${copy.id}`);
    }),
  );

  const remove = group.command("delete <CAMPAIGN_ID>").description("Delete a draft. Others can be canceled.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      await api.send(pathOf(id), { userId }, { method: "DELETE" });
      await present(context, { id, deleted: true }, `Deleted ${id}.`);
    }),
  );
}

function addStepFlags(command: Command): Command {
  command
    .option(
      "--steps <FILE>",
      "JSON file with the steps, or a campaign as `show --json` prints it; - is standard input.",
    )
    .option("--account <ID>", "Network account to send from. Repeat it for several.", repeated);
  return addConnectionFlags(addUserFlag(command));
}

async function stepsOf(api: Api, template: string, userId: string | undefined): Promise<unknown> {
  const { templates } = await api.get<{ templates: CampaignTemplate[] }>("/campaigns/templates", { userId });
  const found = templates.find(({ id }) => id === template);
  if (found !== undefined) return found.steps;
  throw new CommandError(exitCodes.usage, `Template ${template} not found.`, {
    hint: `Templates: ${templates.map(({ id }) => id).join(", ")}.`,
  });
}

async function stepsIn(flags: StepFlags): Promise<unknown> {
  return (await contentIn(flags))?.steps;
}

/** The steps of a file and, if it has a whole campaign, the version that they were edited from. */
async function contentIn({ steps: path }: StepFlags): Promise<{ steps: unknown; version?: unknown } | undefined> {
  if (path === undefined) return undefined;
  const document = parsedJson(await readInputText(path), path);
  if (Array.isArray(document)) return { steps: document };
  if (typeof document === "object" && document !== null && "steps" in document)
    return { steps: document.steps, ...("version" in document && { version: document.version }) };
  throw new CommandError(exitCodes.usage, `Expected ${path} to have a list of steps, or a campaign with \`steps\`.`);
}

function parsedJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CommandError(exitCodes.usage, `${path} is not JSON: ${reasonOf(cause)}`, { cause });
  }
}
