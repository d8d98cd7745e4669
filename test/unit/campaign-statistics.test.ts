import { expect, test } from "bun:test";
import { statisticsOf } from "../../src/features/campaigns/statistics.ts";

const campaign = {
  steps: [{ type: "action" as const, actionType: "visitProfile" as const }],
  firstStep: 0,
};
const counts = { enrollments: [{ state: "active" as const, reason: null, n: 3 }], connected: 0, replied: 0 };

test("actions that a pause withdraws are canceled, and have not failed", () => {
  const actions = [
    { step: 0, state: "canceled" as const, n: 3 },
    { step: 0, state: "failed" as const, n: 1 },
    { step: 0, state: "scheduled" as const, n: 2 },
    { step: 0, state: "awaitingApproval" as const, n: 1 },
  ];
  const { steps, failed } = statisticsOf(campaign, { ...counts, actions });
  const none = { completed: 0, skipped: 0, unknown: 0 };
  expect(steps).toEqual([{ step: 0, actionType: "visitProfile", ...none, waiting: 3, canceled: 3, failed: 1 }]);
  expect(failed).toBe(0);
});
