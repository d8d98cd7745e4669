import { Type, type Static } from "@sinclair/typebox";

/** When maintenance mode was enabled, and the operator's message. */
export type MaintenanceState = { since: number; message: string | null };

const maxMessageLength = 300;
const instant = Type.String({ format: "date-time" });

export const MaintenanceInput = Type.Object(
  {
    enabled: Type.Boolean(),
    message: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: maxMessageLength }), Type.Null()], {
        description: "Message to show in the dashboard and in rejected requests.",
      }),
    ),
  },
  { $id: "MaintenanceInput" },
);
export type MaintenanceInput = Static<typeof MaintenanceInput>;

export const OperationsView = Type.Object(
  {
    status: Type.Union([Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("maintenance")]),
    message: Type.Union([Type.String(), Type.Null()], { description: "Why the status is not healthy." }),
    maintenance: Type.Object({
      enabled: Type.Boolean(),
      since: Type.Union([instant, Type.Null()]),
      message: Type.Union([Type.String(), Type.Null()]),
    }),
    clock: Type.Object({
      behindSeconds: Type.Integer({
        description:
          "How far the system clock is behind the latest time it has shown. At 120 or more, no actions are sent.",
      }),
      latest: Type.String({ format: "date-time", description: "Latest time that the clock has shown." }),
    }),
  },
  { $id: "OperationsView" },
);
export type OperationsView = Static<typeof OperationsView>;
