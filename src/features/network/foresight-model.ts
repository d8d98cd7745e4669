import { Type, type Static } from "@sinclair/typebox";
import { accountStates, CapsInput, meters, windows } from "./account-model.ts";
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
              { description: "The last 24 hours, 7 days, 30 days." },
            ),
            limit: Type.Union([Type.Integer(), Type.Null()], { description: "In force at this moment; null: none." }),
            isWarmUp: Type.Boolean({ description: "The limit is that of the warm-up." }),
            used: Type.Integer(),
            remaining: integerOrNull,
            planned: Type.Integer({ description: "Planned within the coming window of this length." }),
            resetsAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
              description: "When the oldest one leaves the window; null when none is in it.",
            }),
          }),
        ),
        coolDown: Type.Union(
          [
            Type.Object({ until: Type.String({ format: "date-time" }), reason: Type.String(), level: Type.Integer() }),
            Type.Null(),
          ],
          { description: "A rest after the network asked for fewer actions." },
        ),
      }),
    ),
  },
  { $id: "NetworkUsage", description: "What an account has used of its caps." },
);
export type UsageView = Static<typeof UsageView>;

export const PlanView = Type.Object(
  {
    accountId: Type.String(),
    timeZone: Type.String(),
    isHypothetical: Type.Boolean(),
    waiting: Type.Integer({ description: "Actions in the queue, up to 20,000." }),
    withinSevenDays: Type.Integer({ description: "How many of them fall within the next seven days." }),
    days: Type.Array(
      Type.Object({
        date: Type.String({ description: "Calendar day in the account's time zone." }),
        actions: Type.Record(Type.String(), Type.Integer(), { description: "Number by action type." }),
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
      { description: "Soonest first, up to `limit`." },
    ),
  },
  { $id: "NetworkPlan", description: "The next seven days of an account." },
);
export type PlanView = Static<typeof PlanView>;

export const WhatIfInput = Type.Object({
  caps: CapsInput,
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, default: 100 })),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});
export type WhatIfInput = Static<typeof WhatIfInput>;
