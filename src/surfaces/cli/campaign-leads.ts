import { Option, type Command } from "commander";
import { enrollmentStates, type EnrollAnswer, type EnrollmentView } from "../../features/campaigns/model.ts";
import { enrolledText, enrollmentsText, type EnrollmentList } from "./campaign-text.ts";
import { pathOf } from "./campaign-path.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, repeated, wholeNumberFlag } from "./flags.ts";
import { forUser } from "./for-user.ts";
import type { ConnectionFlags } from "./session.ts";

type UserFlags = ConnectionFlags & { user?: string };
type EnrollFlags = UserFlags & { lead?: string[]; tag?: string; dryRun?: boolean };

/** Commands for the leads of a campaign. */
export function addCampaignLeads(group: Command, context: CommandContext): void {
  const enroll = group
    .command("enroll <CAMPAIGN_ID>")
    .description("Enroll leads by ID or tag. Skipped leads are listed with the reason.")
    .addOption(new Option("--lead <ID>", "Lead to enroll. Repeat it for several.").argParser(repeated).conflicts("tag"))
    .option("--tag <TAG>", "Enroll all leads with this tag, up to 10,000 at a time.")
    .option("--dry-run", "Only show who would be enrolled.");
  addConnectionFlags(addUserFlag(enroll)).action((id: string, flags: EnrollFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { lead: leadIds, tag, dryRun } = flags;
      if (leadIds === undefined && tag === undefined)
        throw new CommandError(exitCodes.usage, "No leads: send --lead ID or --tag TAG.");
      const answer = await api.post<EnrollAnswer>(`${pathOf(id)}/enroll`, { leadIds, tag, dryRun, userId });
      await present(context, answer, enrolledText(answer));
    }),
  );

  const leads = group
    .command("leads <CAMPAIGN_ID>")
    .description("List the leads of a campaign, with their step and state.")
    .addOption(new Option("--state <STATE>", "Only leads in this state.").choices(enrollmentStates))
    .option("--limit <NUMBER>", "Number of leads.", wholeNumberFlag(1, 100), 25);
  addConnectionFlags(addUserFlag(leads)).action((id: string, flags: UserFlags & { state?: string; limit: number }) =>
    forUser(context, flags, async (api, userId) => {
      const query = { state: flags.state, limit: flags.limit, userId };
      const found = await api.get<EnrollmentList>(`${pathOf(id)}/enrollments`, query);
      await present(context, found, enrollmentsText(found));
    }),
  );

  const remove = group
    .command("remove <CAMPAIGN_ID> <ENROLLMENT_ID>")
    .description("Remove a lead from a campaign. `leads` shows the IDs of enrollments.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, enrollmentId: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const path = `${pathOf(id)}/enrollments/${encodeURIComponent(enrollmentId)}/stop`;
      const stopped = await api.post<EnrollmentView>(path, { userId });
      await present(context, stopped, `${stopped.leadName ?? stopped.leadId}: ${stopped.state}`);
    }),
  );
}
