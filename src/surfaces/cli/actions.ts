import { Option, type Command } from "commander";
import {
  actionOrders,
  actionStates,
  taskOutcomes,
  type ActionView,
  type TaskView,
} from "../../features/network/action-model.ts";
import { actionTypes } from "../../features/network/action-kinds.ts";
import { addActionChanges } from "./action-changes.ts";
import { actionsText, actionText, pathOfAction, tasksText, type ActionList } from "./action-text.ts";
import { present, type CommandContext } from "./context.ts";
import { addConnectionFlags, addUserFlag, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ListFlags = UserFlags & {
  state?: string;
  type?: string;
  account?: string;
  lead?: string;
  profile?: string;
  order?: string;
  limit: number;
};

export function addActionCommands(program: Command, context: CommandContext): void {
  const group = program
    .command("actions")
    .description("List, schedule, change, and approve network actions, and work through those that you send yourself.");
  addReading(group, context);
  addActionChanges(group, context);
  addTasks(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  const list = group
    .command("list")
    .description("List network actions, with what they wait for.")
    .addOption(
      new Option("--state <STATE>", "Only actions in this state; open are all that have not ended.").choices([
        "open",
        ...actionStates,
      ]),
    )
    .addOption(new Option("--type <TYPE>", "Only actions of this type.").choices(actionTypes))
    .option("--account <ACCOUNT_ID>", "Only actions of this account.")
    .option("--lead <LEAD_ID>", "Only actions for this lead.")
    .option("--profile <URL>", "Only actions for this profile.")
    .addOption(
      new Option("--order <ORDER>", "newest, soonest (only scheduled ones), or latest (only performed ones).").choices(
        actionOrders,
      ),
    )
    .option("--limit <NUMBER>", "Number of actions.", wholeNumberFlag(1, 100), 25);
  addConnectionFlags(addUserFlag(list)).action((flags: ListFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { state, type: actionType, account: accountId, lead: leadId, profile: profileUrl, order, limit } = flags;
      const query = { state, actionType, accountId, leadId, profileUrl, order, limit, userId };
      const found = await api.get<ActionList>("/network/actions", query);
      await present(context, found, actionsText(found));
    }),
  );

  const show = group
    .command("show <JOB_ID>")
    .description("Show an action: its text, its state, and why it was skipped or failed.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const action = await api.get<ActionView>(pathOfAction(id), { userId });
      await present(context, action, actionText(action));
    }),
  );
}

function addTasks(group: Command, context: CommandContext): void {
  const tasks = group
    .command("tasks")
    .description("List the actions that a person must send, longest waiting first: open the profile, paste the text.")
    .option("--limit <NUMBER>", "Number of tasks.", wholeNumberFlag(1, 100), 25);
  addConnectionFlags(addUserFlag(tasks)).action((flags: UserFlags & { limit: number }) =>
    forUser(context, flags, async (api, userId) => {
      const found = await api.get<{ tasks: TaskView[]; total: number }>("/network/tasks", {
        limit: flags.limit,
        userId,
      });
      await present(context, found, tasksText(found));
    }),
  );

  const done = group
    .command("done <JOB_ID>")
    .description("Report a task as completed, or as failed or skipped.")
    .addOption(new Option("--outcome <OUTCOME>", "What happened.").choices(taskOutcomes).default("completed"))
    .option("--note <TEXT>", "What happened, in your own words.");
  addConnectionFlags(addUserFlag(done)).action((id: string, flags: UserFlags & { outcome: string; note?: string }) =>
    forUser(context, flags, async (api, userId) => {
      const { outcome, note } = flags;
      const path = `/network/tasks/${encodeURIComponent(id)}/complete`;
      const action = await api.post<ActionView>(path, { outcome, note, userId });
      await present(context, action, `${action.actionType}: ${action.state}`);
    }),
  );
}
