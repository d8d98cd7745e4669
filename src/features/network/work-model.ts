import { Type, type Static } from "@sinclair/typebox";
import { actionTypes } from "./action-kinds.ts";
import { ActionView, OutcomeInput } from "./action-model.ts";

const forUser = Type.Optional(Type.String({ description: "User to act as. Required with a global key." }));
const lease = Type.Optional(
  Type.Integer({
    minimum: 10,
    maximum: 3600,
    default: 300,
    description:
      "How long the claim lasts without a heartbeat. If no outcome is reported by then, the action ends as `unknown`.",
  }),
);

export const WorkerClaimInput = Type.Object({
  accountId: Type.Optional(
    Type.String({ description: "Claim only actions of this account. Defaults to all your accounts." }),
  ),
  leaseSeconds: lease,
  userId: forUser,
});
export type WorkerClaimInput = Static<typeof WorkerClaimInput>;

export const WorkerClaimView = Type.Object(
  {
    claimed: Type.Union([
      Type.Object({
        jobId: Type.String(),
        claim: Type.Integer({ description: "Number of the claim. Send it with heartbeats and with the outcome." }),
        leaseUntil: Type.String({ format: "date-time" }),
        accountId: Type.String(),
        connectorSettings: Type.Record(Type.String(), Type.String()),
        actionType: Type.Union(actionTypes.map((type) => Type.Literal(type))),
        profileUrl: Type.String(),
        message: Type.Union([Type.String(), Type.Null()]),
        details: ActionView.properties.details,
        leadId: Type.Union([Type.String(), Type.Null()]),
      }),
      Type.Null(),
    ]),
    retryAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the next action can be claimed. null if none is pending.",
    }),
  },
  { $id: "WorkerClaim", description: "An action for a worker to perform, or the time to try again." },
);
export type WorkerClaimView = Static<typeof WorkerClaimView>;

const claim = Type.Integer({ description: "Number that the claim returned." });
export const HeartbeatInput = Type.Object({ claim, leaseSeconds: lease, userId: forUser });
export type HeartbeatInput = Static<typeof HeartbeatInput>;
export const WorkerOutcomeInput = Type.Object({ ...OutcomeInput.properties, claim });
export type WorkerOutcomeInput = Static<typeof WorkerOutcomeInput>;
