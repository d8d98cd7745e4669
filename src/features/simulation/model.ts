import { Type, type Static } from "@sinclair/typebox";

/** A simulation as it is kept: its seed, its time, and how often it was started. */
export type SimulationState = { seed: number; now: number; starts: number };

/** Further would take minutes; go in steps. */
export const longestAdvanceMs = 366 * 86_400_000;

export const ClockInput = Type.Object(
  {
    advance: Type.Optional(
      Type.String({ maxLength: 40, description: "How far, as ISO 8601 writes it: P30D, PT6H, P1DT12H." }),
    ),
    to: Type.Optional(Type.String({ maxLength: 40, description: "Or up to which moment: 2026-03-01T09:00:00Z." })),
  },
  { description: "One of the two.", examples: [{ advance: "P30D" }, { to: "2026-03-01T09:00:00Z" }] },
);
export type ClockInput = Static<typeof ClockInput>;

const instant = Type.String({ format: "date-time" });
const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });

export const SimulationView = Type.Object(
  { now: instant, seed: Type.Integer(), isAdvancing: Type.Boolean({ description: "The clock is being moved." }) },
  { $id: "Simulation" },
);
export type SimulationView = Static<typeof SimulationView>;

export const simulationEventKinds = ["action", "accepted", "replied", "enrollment", "job"] as const;

export const SimulationEvent = Type.Object(
  {
    at: instant,
    kind: Type.Union(
      simulationEventKinds.map((kind) => Type.Literal(kind)),
      { description: "An action, an enrollment or another job ended; a person accepted or replied." },
    ),
    userId: Type.String(),
    id: Type.String({ description: "Of the job or the enrollment; of a person the profile." }),
    what: Type.String({ description: "The type of action or job, or the campaign." }),
    outcome: Type.String({ description: "How it ended." }),
  },
  { $id: "SimulationEvent" },
);
/** `at` in milliseconds. */
export type SimulationEvent = Omit<Static<typeof SimulationEvent>, "at"> & { at: number };

export const Advanced = Type.Object(
  {
    from: instant,
    to: instant,
    steps: Type.Integer({ description: "Moments at which something was due." }),
    actions: Type.Record(Type.String(), counts("By how they ended."), { description: "By type of action." }),
    accepted: Type.Integer(),
    replied: Type.Integer(),
    enrollments: counts("Ends of places in campaigns."),
    jobs: Type.Record(Type.String(), counts("By how they ended."), { description: "Other jobs, by type." }),
    events: Type.Array(SimulationEvent, { description: "In order; the first 1,000." }),
    total: Type.Integer({ description: "Number of events." }),
  },
  { $id: "Advanced", description: "What happened while the clock was moved." },
);
export type Advanced = Static<typeof Advanced>;
