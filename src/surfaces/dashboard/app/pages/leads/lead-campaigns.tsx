import type { EnrollmentView } from "../../../../../features/campaigns/model.ts";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { StateBadge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { enrollmentStateLabels } from "../campaigns/labels.ts";

type Membership = EnrollmentView & { campaignId: string; campaignName: string };

/** The campaigns that a lead is or was enrolled in, and its conversations. */
export function LeadCampaigns({ leadId }: { leadId: string }) {
  const resource = useResource(
    async (signal) => {
      const [campaigns, conversations] = await Promise.all([
        getAll<Membership>(`/leads/${encodeURIComponent(leadId)}/campaigns`, "campaigns", { signal }),
        getAll<ConversationView>("/inbox/conversations", "conversations", {
          query: { leadId, snoozed: "include" },
          signal,
        }),
      ]);
      return { campaigns, conversations };
    },
    [leadId],
    { pollMs: 30_000, events: ["action.", "message.", "campaign."] },
  );
  return (
    <Loaded resource={resource} lines={2}>
      {({ campaigns, conversations }) => (
        <>
          {conversations.length > 0 && (
            <Section title="Conversations">
              <ul class="plain-list card">
                {conversations.map(({ id, personName, unread, lastMessage }) => (
                  <li key={id}>
                    <Link to={`/inbox?c=${id}`}>{personName ?? "Open conversation"}</Link>
                    {unread > 0 && <span class="badge info">{counted(unread, "unread message")}</span>}
                    <RelativeTime at={lastMessage.at} />
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Campaigns">
            {campaigns.length === 0 ? (
              <p class="faint">Not in any campaign.</p>
            ) : (
              <ul class="plain-list card">
                {campaigns.map(({ id, campaignId, campaignName, state, createdAt }) => (
                  <li key={id}>
                    <Link to={`/campaigns/${campaignId}`}>{campaignName}</Link>
                    <StateBadge words={enrollmentStateLabels} state={state} />
                    <RelativeTime at={createdAt} />
                  </li>
                ))}
              </ul>
            )}
          </Section>
        </>
      )}
    </Loaded>
  );
}
