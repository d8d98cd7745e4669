import { expect, test } from "bun:test";
import { campaignTemplates } from "../../src/features/campaigns/templates.ts";
import { compile } from "../../src/features/campaigns/program.ts";
import { stepErrors } from "../../src/features/campaigns/step-check.ts";
import { fillTemplate } from "../../src/features/network/template.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const freeAccount = make.account("workspace", { tier: "free" });

test.each(campaignTemplates.map((template) => [template.id, template] as const))(
  "the template %s is valid for a free account, and for leads of whom nothing is known",
  (_, { steps }) => {
    expect(stepErrors(steps, [freeAccount], [])).toEqual([]);
    const texts = compile(steps).flatMap((each) => (each.kind === "action" ? (each.action.message ?? []) : []));
    for (const text of texts) expect(fillTemplate(text, null, "message")).toHaveProperty("text");
  },
);

test("each template has an ID of its own", () => {
  expect(new Set(campaignTemplates.map(({ id }) => id)).size).toBe(campaignTemplates.length);
});
