import type { FieldError } from "../../platform/base/errors.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import { actionContent, type ProfileHosts } from "../network/action-input.ts";
import { templateFields, type TemplateValues } from "../network/template.ts";
import type { CampaignStep } from "./model.ts";
import { countSteps } from "./program.ts";
import { eachText, variantErrors } from "./variants.ts";

const maxSteps = 100;

/** A lead with a value for every field: an error that remains is caused by the step, not by the lead. */
const completeLead: TemplateValues = {
  ...(Object.fromEntries(templateFields.map((field) => [field, "x"])) as Record<
    (typeof templateFields)[number],
    string
  >),
  customFields: new Proxy({}, { get: () => "x", has: () => true }),
};

/** Errors in steps that apply to every lead, for any of the accounts. */
export function stepErrors(
  steps: readonly CampaignStep[],
  accounts: readonly NetworkAccount[],
  hosts: ProfileHosts,
  path = "steps",
): FieldError[] {
  if (path === "steps" && countSteps(steps) > maxSteps)
    return [{ path, message: `Expected at most ${maxSteps} steps in total.` }];
  return steps.flatMap((step, index): FieldError[] => {
    const at = `${path}.${index}`;
    if (step.type === "branch")
      return [
        ...stepErrors(step.yes, accounts, hosts, `${at}.yes`),
        ...stepErrors(step.no, accounts, hosts, `${at}.no`),
      ];
    if (step.type === "wait")
      return (step.days ?? 0) + (step.hours ?? 0) > 0 ? [] : [{ path: at, message: "A wait needs days or hours." }];
    const profileUrl = `https://${hosts[0] ?? "network.example"}/in/somebody`;
    const ofTexts = eachText(step).flatMap(({ path: text, step: sent }) => {
      const problems = accounts.flatMap(({ tier }) => {
        const checked = actionContent({ ...sent, profileUrl }, tier, completeLead, hosts);
        return "errors" in checked ? checked.errors : [];
      });
      const [first] = problems;
      return first === undefined ? [] : [{ path: pathOf(at, text, first.path), message: first.message }];
    });
    return [...variantErrors(step, at), ...ofTexts];
  });
}

/** Variants have texts of their own; everything else belongs to their step. */
function pathOf(step: string, text: string, field: string): string {
  return `${step}.${field === "message" || field === "subject" ? text : ""}${field}`;
}
