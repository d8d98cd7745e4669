import type { EnrollmentView } from "../../../../../features/campaigns/model.ts";
import type { ConversationView } from "../../../../../features/inbox/model.ts";
import { getAll } from "../../api.ts";
import { counted } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { enrollmentStateLabels } from "../campaigns/labels.ts";
import { nameOfPerson, previewOf } from "../inbox/labels.ts";

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
    { pollMs: 30_000, events: ["action.", "message.", "conversation.", "campaign."] },
  );
  return (
    <Loaded resource={resource} lines={2}>
      {({ campaigns, conversations }) => (
        <>
          {conversations.length > 0 && (
            <Section title="Conversations">
              <ul class="plain-list card">
                {conversations.map((conversation) => (
                  <LastMessage key={conversation.id} conversation={conversation} />
                ))}
              </ul>
            </Section>
          )}
          <Section title="Campaigns">
            {campaigns.length === 0 ? (
              <p class="faint">
                Not in any campaign. {can("network:schedule") && <Link to="/campaigns">Choose a campaign</Link>}
              </p>
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

/** Where a conversation stands, and the way to answer. */
function LastMessage({ conversation }: { conversation: ConversationView }) {
  const { id, unread, label, lastMessage } = conversation;
  const isAnswered = can("network:schedule") && label !== "doNotContact";
  const name = nameOfPerson(conversation);
  return (
    <li class="last-message">
      <strong dir="auto">{name}</strong>
      {unread > 0 && <span class="badge info">{counted(unread, "unread message")}</span>}
      <RelativeTime at={lastMessage.at} />
      <p dir="auto">{previewOf(conversation)}</p>
      <Link to={`/inbox?c=${id}`} aria-label={`${isAnswered ? "Reply to" : "Open conversation with"} ${name}`}>
        {isAnswered ? "Reply" : "Open conversation"}
      </Link>
    </li>
  );
}
