import { Option, type Command } from "commander";
import { actionTypes } from "../../features/network/action-kinds.ts";
import { reactions, type ActionView } from "../../features/network/action-model.ts";
import { actionText, pathOfAction } from "./action-text.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type ContentFlags = UserFlags & {
  message?: string;
  subject?: string;
  post?: string;
  reaction?: string;
  skill?: string;
  voice?: string;
  notBefore?: string;
};
type ScheduleFlags = ContentFlags & {
  lead?: string;
  account?: string;
  approval?: boolean;
  allowOverlap?: boolean;
  dryRun?: boolean;
};
type RecordFlags = UserFlags & { message?: string; lead?: string; account?: string; at?: string; relation?: string };
type Scheduled = { jobId: string; isNew: boolean; action: ActionView };

/** Commands that create actions, and change those that have not been sent. */
export function addActionChanges(group: Command, context: CommandContext): void {
  const schedule = group
    .command("schedule <TYPE> <PROFILE_URL>")
    .description(`Schedule an action at the next time that the account allows. Types: ${actionTypes.join(", ")}.`)
    .option("--lead <LEAD_ID>", "Lead that it is for, with the values of variables in the text.")
    .option("--account <ACCOUNT_ID>", "Network account. Default: your first one.")
    .option("--approval", "Hold it for approval.")
    .option("--allow-overlap", "Invite people whom another account of the workspace has invited.")
    .option("--dry-run", "Only show when it would be sent, and whether it may be.");
  addConnectionFlags(addUserFlag(addContentFlags(schedule))).action(
    (actionType: string, profileUrl: string, flags: ScheduleFlags) =>
      forUser(context, flags, async (api, userId) => {
        const { lead: leadId, account: accountId, approval: requireApproval, allowOverlap, dryRun } = flags;
        const options = { leadId, accountId, requireApproval, allowOverlap, dryRun, userId };
        const init = { actionType, profileUrl, ...contentIn(flags), ...options };
        const response = await api.send("/network/scheduleNetworkAction", {}, jsonPost(init));
        const { data, message } = (await response.json()) as { data: Scheduled; message: string };
        await present(context, data, dryRun === true ? message : `${message}\n${data.jobId}`);
      }),
  );

  const update = group
    .command("update <JOB_ID>")
    .description("Change the text, the details, or the earliest time of an action that has not been sent.");
  addConnectionFlags(addUserFlag(addContentFlags(update))).action((id: string, flags: ContentFlags) =>
    forUser(context, flags, async (api, userId) => {
      const change = contentIn(flags);
      if (Object.values(change).every((value) => value === undefined))
        throw new CommandError(exitCodes.usage, "Nothing to change: send --message, --not-before, or another detail.");
      const changed = await api.patch<ActionView>(pathOfAction(id), { ...change, userId });
      await present(context, changed, actionText(changed));
    }),
  );

  addTurn("cancel", "Cancel an action that has not been sent.");
  addTurn("approve", "Approve an action that waits for approval. It is scheduled immediately.");
  function addTurn(name: "cancel" | "approve", description: string): void {
    const turn = group.command(`${name} <JOB_IDS...>`).description(`${description} Takes several IDs.`);
    addConnectionFlags(addUserFlag(turn)).action((ids: string[], flags: UserFlags) =>
      forUser(context, flags, async (api, userId) => {
        const actions: ActionView[] = [];
        for (const id of ids) actions.push(await api.post<ActionView>(`${pathOfAction(id)}/${name}`, { userId }));
        const lines = actions.map(
          ({ actionType, state, status, jobId }) => `${actionType} ${jobId}: ${state}. ${status}`,
        );
        await present(context, { actions }, lines.join("\n"));
      }),
    );
  }

  const resolve = group
    .command("resolve <JOB_ID> <OUTCOME>")
    .description(
      "Report whether an action with an unknown outcome took effect: completed or failed. Look at the profile first.",
    )
    .option("--note <TEXT>", "What you saw.");
  addConnectionFlags(addUserFlag(resolve)).action((id: string, outcome: string, flags: UserFlags & { note?: string }) =>
    forUser(context, flags, async (api, userId) => {
      const action = await api.post<ActionView>(`${pathOfAction(id)}/resolve`, { outcome, note: flags.note, userId });
      await present(context, action, `${action.actionType}: ${action.state}`);
    }),
  );

  const record = group
    .command("record <TYPE> <PROFILE_URL>")
    .description("Record an action that you performed by hand, so that it counts toward the caps.")
    .option("--message <TEXT>", "Text that you sent.")
    .option("--lead <LEAD_ID>", "Lead that it was for.")
    .option("--account <ACCOUNT_ID>", "Network account. Default: your first one.")
    .option("--at <TIME>", "When you performed it, such as 2030-01-31T10:00:00Z. Default: now.")
    .addOption(
      new Option("--relation <RELATION>", "Relationship afterwards.").choices(["none", "pending", "connected"]),
    );
  addConnectionFlags(addUserFlag(record)).action((actionType: string, profileUrl: string, flags: RecordFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { message, lead: leadId, account: accountId, at: carriedOutAt, relation } = flags;
      const body = { actionType, profileUrl, message, leadId, accountId, carriedOutAt, relation, userId };
      const action = await api.post<ActionView>("/network/actions/record", body);
      await present(context, action, `Recorded ${action.actionType}: ${action.jobId}`);
    }),
  );
}

function addContentFlags(command: Command): Command {
  return command
    .option(
      "--message <TEXT>",
      "Text of the note, message, comment, or voice message; {{firstName|there}} is a variable.",
    )
    .option("--subject <TEXT>", "Subject of an InMail.")
    .option("--post <URL>", "Post to react to or comment on. Default: the latest of the person.")
    .addOption(new Option("--reaction <REACTION>", "Reaction to a post. Default: like.").choices(reactions))
    .option("--skill <NAME>", "Skill to endorse. Default: the first on the profile.")
    .option("--voice <VOICE_ID>", "Voice of a voice message.")
    .option("--not-before <TIME>", "Earliest time, such as 2030-01-31T10:00:00Z.");
}

function contentIn({ message, subject, post: postUrl, reaction, skill, voice: voiceId, notBefore }: ContentFlags) {
  return { message, subject, postUrl, reaction, skill, voiceId, notBefore };
}

function jsonPost(body: object): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
