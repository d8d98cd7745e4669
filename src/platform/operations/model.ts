import { Type, type Static } from "@sinclair/typebox";

/** Since when the server takes no writes, and what the operator says about it. */
export type MaintenanceState = { since: number; message: string | null };

const maxMessageLength = 300;
const instant = Type.String({ format: "date-time" });

export const MaintenanceInput = Type.Object(
  {
    enabled: Type.Boolean(),
    message: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: maxMessageLength }), Type.Null()], {
        description: "Shown to everyone whose request is refused, and in the dashboard.",
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
        description: "How far the clock is behind the latest time it has shown. From 120 on, nothing is sent.",
      }),
      latest: Type.String({ format: "date-time", description: "The latest time that the clock has shown." }),
    }),
  },
  { $id: "OperationsView" },
);
export type OperationsView = Static<typeof OperationsView>;
