import { Type, type Static } from "@sinclair/typebox";
import { actionTypes } from "./action-kinds.ts";
import { ActionView, OutcomeInput } from "./action-model.ts";

const forUser = Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." }));
const lease = Type.Optional(
  Type.Integer({
    minimum: 10,
    maximum: 3600,
    default: 300,
    description:
      "How long the claim holds without a heartbeat. What is not reported until then has an unknown outcome.",
  }),
);

export const WorkerClaimInput = Type.Object({
  accountId: Type.Optional(Type.String({ description: "Only actions of this account; all of yours by default." })),
  leaseSeconds: lease,
  userId: forUser,
});
export type WorkerClaimInput = Static<typeof WorkerClaimInput>;

export const WorkerClaimView = Type.Object(
  {
    claimed: Type.Union([
      Type.Object({
        jobId: Type.String(),
        claim: Type.Integer({ description: "Send it with heartbeats and with the outcome." }),
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
      description: "When the next one may go; null when nothing waits.",
    }),
  },
  { $id: "WorkerClaim", description: "An action for a worker to carry out, or when to ask again." },
);
export type WorkerClaimView = Static<typeof WorkerClaimView>;

const claim = Type.Integer({ description: "As it was answered by the claim." });
export const HeartbeatInput = Type.Object({ claim, leaseSeconds: lease, userId: forUser });
export type HeartbeatInput = Static<typeof HeartbeatInput>;
export const WorkerOutcomeInput = Type.Object({ ...OutcomeInput.properties, claim });
export type WorkerOutcomeInput = Static<typeof WorkerOutcomeInput>;
