import { Type, type Static } from "@sinclair/typebox";
import { accountStates, CapsInput, windows } from "./account-model.ts";
import { meters } from "./meter-model.ts";
import { actionTypes } from "./action-kinds.ts";
import { pendingReasons } from "./action-model.ts";

const integerOrNull = Type.Union([Type.Integer(), Type.Null()]);

export const UsageView = Type.Object(
  {
    accountId: Type.String(),
    state: Type.Union(accountStates.map((state) => Type.Literal(state))),
    stateReason: Type.Union([Type.String(), Type.Null()]),
    meters: Type.Array(
      Type.Object({
        meter: Type.Union(meters.map((meter) => Type.Literal(meter))),
        windows: Type.Array(
          Type.Object({
            window: Type.Union(
              windows.map((window) => Type.Literal(window)),
              { description: "Rolling window: the last 24 hours, 7 days, or 30 days." },
            ),
            limit: Type.Union([Type.Integer(), Type.Null()], { description: "Current limit. null if there is none." }),
            isWarmUp: Type.Boolean({ description: "Whether the current limit comes from the warm-up." }),
            used: Type.Integer(),
            remaining: integerOrNull,
            planned: Type.Integer({ description: "Actions planned within the next window of this length." }),
            resetsAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
              description: "When the oldest action leaves the window. null if there is none.",
            }),
          }),
        ),
        coolDown: Type.Union(
          [
            Type.Object({ until: Type.String({ format: "date-time" }), reason: Type.String(), level: Type.Integer() }),
            Type.Null(),
          ],
          { description: "Set while actions are suspended because the network asked the account to slow down." },
        ),
      }),
    ),
  },
  { $id: "NetworkUsage", description: "Cap usage of an account." },
);
export type UsageView = Static<typeof UsageView>;

export const PlanView = Type.Object(
  {
    accountId: Type.String(),
    timeZone: Type.String(),
    isHypothetical: Type.Boolean(),
    waiting: Type.Integer({ description: "Number of actions in the queue, counted up to 20,000." }),
    withinSevenDays: Type.Integer({ description: "Number of actions planned within the next seven days." }),
    days: Type.Array(
      Type.Object({
        date: Type.String({ description: "Calendar day in the account's time zone." }),
        actions: Type.Record(Type.String(), Type.Integer(), { description: "Number of actions by type." }),
      }),
    ),
    actions: Type.Array(
      Type.Object({
        jobId: Type.String(),
        actionType: Type.Union(actionTypes.map((type) => Type.Literal(type))),
        profileUrl: Type.String(),
        scheduledFor: Type.String({ format: "date-time" }),
        reason: Type.Union(pendingReasons.map((reason) => Type.Literal(reason))),
      }),
      { description: "Earliest first, up to `limit`." },
    ),
  },
  { $id: "NetworkPlan", description: "Plan of an account for the next seven days." },
);
export type PlanView = Static<typeof PlanView>;

export const WhatIfInput = Type.Object({
  caps: CapsInput,
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, default: 100 })),
  userId: Type.Optional(Type.String({ description: "User to act as. Required with a global key." })),
});
export type WhatIfInput = Static<typeof WhatIfInput>;
