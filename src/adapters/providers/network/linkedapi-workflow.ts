/* oxlint-disable unicorn/no-thenable -- the vendor uses this name for the next action; it is data, never a function */
import type { ActionOrder } from "../../../features/network/connector.ts";
import type { ActionDetails } from "../../../features/network/action-model.ts";
import { Ending, notSupported, refused } from "./ending.ts";
import { withScheme } from "./profile-address.ts";

/** A workflow in the vendor's format: an action, whose `then` continues with its result. */
export type Workflow = { actionType: string; then?: Workflow } & Readonly<Record<string, unknown>>;

/** Limits of the vendor, below those of the network (linkedapi.io/docs/action-st-send-message, action-nv-send-message). */
const maxText = 1900;
const maxSubject = 80;

/** Builds the workflow for an order. Throws an `Ending` if the vendor has no action for it. */
export function workflowOf(order: ActionOrder): Workflow {
  const { actionType, message, details } = order;
  const personUrl = withScheme(order.profileUrl);
  switch (actionType) {
    case "sendConnectionRequest":
      return { actionType: "st.sendConnectionRequest", personUrl, ...(message && { note: message }) };
    case "withdrawConnectionRequest":
      return { actionType: "st.withdrawConnectionRequest", personUrl, unfollow: true };
    case "sendMessage":
      return { actionType: "st.sendMessage", personUrl, text: within(maxText, message ?? "", "messages") };
    case "sendInMail":
      return {
        actionType: "nv.sendMessage",
        personUrl,
        text: within(maxText, message ?? "", "messages"),
        subject: within(maxSubject, details.subject ?? "", "subjects"),
      };
    case "visitProfile":
      return { actionType: "st.openPersonPage", personUrl, basicInfo: true };
    case "checkConnectionStatus":
      return { actionType: "st.checkConnectionStatus", personUrl };
    case "likePost":
      return onPost(personUrl, details, { actionType: "st.reactToPost", type: details.reaction ?? "like" });
    case "commentPost":
      return onPost(personUrl, details, { actionType: "st.commentOnPost", text: message ?? "" });
    case "followProfile":
      throw new Ending(notSupported("Linked API", "follow a profile"));
    case "endorseSkill":
      throw new Ending(notSupported("Linked API", "endorse a skill"));
    case "sendVoiceMessage":
      throw new Ending(notSupported("Linked API", "send a voice message"));
  }
}

/** Applies the action to the given post, or navigates from the person's page to their latest post. */
function onPost(personUrl: string, { postUrl }: ActionDetails, action: Workflow): Workflow {
  if (postUrl !== undefined) return { ...action, postUrl: withScheme(postUrl) };
  return {
    actionType: "st.openPersonPage",
    personUrl,
    then: {
      actionType: "st.retrievePersonPosts",
      limit: 1,
      then: { actionType: "st.doForPosts", then: { actionType: "st.openPost", then: action } },
    },
  };
}

function within(max: number, text: string, what: string): string {
  if (text.length <= max) return text;
  throw new Ending(refused("invalid", `Linked API limits ${what} to ${max} characters; this one has ${text.length}.`));
}
