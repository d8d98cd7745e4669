import { Type, type Static } from "@sinclair/typebox";

/** Stored state of a simulation: its seed, its time, and how often it was started. */
export type SimulationState = { seed: number; now: number; starts: number };

/** Longer advances would take minutes. */
export const longestAdvanceMs = 366 * 86_400_000;

export const ClockInput = Type.Object(
  {
    advance: Type.Optional(
      Type.String({ maxLength: 40, description: "ISO 8601 duration to advance by, such as P30D, PT6H, or P1DT12H." }),
    ),
    to: Type.Optional(Type.String({ maxLength: 40, description: "Time to advance to, such as 2026-03-01T09:00:00Z." })),
  },
  { description: "Send either `advance` or `to`.", examples: [{ advance: "P30D" }, { to: "2026-03-01T09:00:00Z" }] },
);
export type ClockInput = Static<typeof ClockInput>;

const instant = Type.String({ format: "date-time" });
const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

export const SimulationView = Type.Object(
  {
    now: instant,
    seed: Type.Integer(),
    isAdvancing: Type.Boolean({ description: "Whether the clock is currently advancing." }),
  },
  { $id: "Simulation" },
);
export type SimulationView = Static<typeof SimulationView>;

export const simulationEventKinds = ["action", "accepted", "replied", "enrollment", "job"] as const;

export const SimulationEvent = Type.Object(
  {
    at: instant,
    kind: Type.Union(
      simulationEventKinds.map((kind) => Type.Literal(kind)),
      { description: "An action, an enrollment, or another job ended, or a person accepted or replied." },
    ),
    userId: Type.String(),
    id: Type.String({ description: "ID of the job or enrollment, or the profile of the person." }),
    what: Type.String({ description: "Type of the action or job, or the campaign." }),
    outcome: Type.String({ description: "Outcome of the event." }),
  },
  { $id: "SimulationEvent" },
);
/** `at` in milliseconds. */
export type SimulationEvent = Omit<Static<typeof SimulationEvent>, "at"> & { at: number };

export const Advanced = Type.Object(
  {
    from: instant,
    to: instant,
    steps: Type.Integer({ description: "Number of times at which something was due." }),
    actions: Type.Record(Type.String(), counts("Number by outcome."), { description: "Actions by type." }),
    accepted: Type.Integer(),
    replied: Type.Integer(),
    enrollments: counts("Campaign enrollments that ended, by outcome."),
    jobs: Type.Record(Type.String(), counts("Number by outcome."), { description: "Other jobs by type." }),
    events: Type.Array(SimulationEvent, { description: "The first 1,000 events, in order." }),
    total: Type.Integer({ description: "Total number of events." }),
  },
  { $id: "Advanced", description: "Summary of what happened while the clock advanced." },
);
export type Advanced = Static<typeof Advanced>;
