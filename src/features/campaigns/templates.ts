import type { CampaignStep } from "./model.ts";
import type { CampaignTemplate } from "./template-model.ts";

const visit: CampaignStep = { type: "action", actionType: "visitProfile" };
const follow: CampaignStep = { type: "action", actionType: "followProfile" };
const like: CampaignStep = { type: "action", actionType: "likePost" };
const withdraw: CampaignStep = { type: "action", actionType: "withdrawConnectionRequest" };
const wait = (days: number): CampaignStep => ({ type: "wait", days });
const message = (text: string): CampaignStep => ({ type: "action", actionType: "sendMessage", message: text });
const invite = (note?: string): CampaignStep => ({
  type: "action",
  actionType: "sendConnectionRequest",
  ...(note !== undefined && { message: note }),
});
const whenConnected = (withinDays: number, yes: CampaignStep[], no: CampaignStep[] = []): CampaignStep => {
  return { type: "branch", condition: "connected", withinDays, yes, no };
};

const thanks =
  "Thank you for connecting, {{firstName|and hello}}!\n\nI work with teams like the one at {{company|your company}}. Would you be open to a short conversation next week?";
const followUp =
  "Hi {{firstName|there}}, I know your week is full. Is this a topic for you at the moment, or is there somebody else I should ask?";

/** Common sequences. Notes fit the limit of free accounts, and every variable has a fallback, so that any lead can be enrolled. */
export const campaignTemplates: readonly CampaignTemplate[] = [
  {
    id: "connect-and-follow-up",
    name: "Connect and follow up",
    description: "A visit, a connection request with a note, and two messages to those who accept.",
    steps: [
      visit,
      wait(1),
      invite("Hi {{firstName|there}}, I came across your work at {{company|your company}} and would like to connect."),
      whenConnected(14, [wait(1), message(thanks), wait(4), message(followUp)], [withdraw]),
    ],
  },
  {
    id: "connect-without-note",
    name: "Connect without a note",
    description: "A connection request without a note, which does not use the monthly notes, then one message.",
    steps: [invite(), whenConnected(21, [wait(1), message(thanks)], [withdraw])],
  },
  {
    id: "warm-up",
    name: "Get noticed first",
    description: "Visit, follow, and react to a post over a week before the connection request.",
    steps: [visit, wait(2), follow, wait(2), like, wait(2), invite(), whenConnected(14, [wait(1), message(thanks)])],
  },
  {
    id: "message-connections",
    name: "Message connections",
    description: "Two messages to people you are connected with; others are asked to connect.",
    steps: [
      {
        ...{ type: "branch", condition: "connected", withinDays: 0 },
        yes: [
          message(
            "Hi {{firstName|there}}, how are things at {{company|your company}}? I have an idea that may help you with {{industry|your work}}. May I send you the details?",
          ),
          wait(5),
          message(followUp),
        ],
        no: [invite()],
      },
    ],
  },
  {
    id: "inmail",
    name: "InMail, then connect",
    description: "An InMail to people you are not connected with, then a connection request. Needs a premium account.",
    steps: [
      {
        ...{ type: "action", actionType: "sendInMail", subject: "A question about {{company|your team}}" },
        message:
          "Hi {{firstName|there}},\n\nI would like to learn how {{company|your company}} deals with this today, and to show you how others do. Would ten minutes next week be possible?",
      },
      wait(5),
      invite(),
    ],
  },
];
