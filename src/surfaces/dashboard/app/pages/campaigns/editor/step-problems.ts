import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import { messageLength } from "../../../../../../lib/message-text/message-text.ts";
import { fillForLead } from "../../../lead-variables.ts";
import { actionLabels } from "../../../network.ts";
import { textLimit, type Tier } from "./texts.ts";

/** What is missing or wrong in a step, before it is saved; null if nothing is. The server checks it again. */
export function problemOf(step: CampaignStep, tier: Tier): string | null {
  if (step.type === "wait") return (step.days ?? 0) + (step.hours ?? 0) > 0 ? null : "Set days or hours";
  if (step.type === "branch") return null;
  const { actionType, variants } = step;
  if (actionType === "sendVoiceMessage" && !step.voiceId) return "Select a voice";
  if (variants !== undefined && variants.every(({ weight }) => weight === 0)) return "All weights are 0";
  for (const { message = "", subject = "" } of variants ?? [step]) {
    if (actionType === "sendInMail" && subject.trim() === "") return "Subject is missing";
    const problem = problemOfText(message, actionLabels[actionType].text === "required", textLimit(actionType, tier));
    if (problem !== null) return problem;
  }
  return null;
}

function problemOfText(text: string, isRequired: boolean, limit: number): string | null {
  if (text.trim() === "") return isRequired ? "Text is missing" : null;
  const { text: shortest, problems } = fillForLead(text, null);
  for (const problem of problems) {
    if (problem.kind === "unknown") return `Unknown variable {{${problem.name}}}`;
    if (problem.kind === "unmatched") return "Unmatched double braces";
  }
  const length = messageLength(shortest);
  return length > limit ? `${length - limit} characters too long` : null;
}
