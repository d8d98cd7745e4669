import { Type, type Static } from "@sinclair/typebox";
import type { WorkingHours } from "./pacing.ts";

export const actionTypes = ["sendConnectionRequest", "sendMessage"] as const;
export type ActionType = (typeof actionTypes)[number];

export const connectorNames = ["manual", "simulated"] as const;
export type ConnectorName = (typeof connectorNames)[number];

/** Longest note of a connection request on a paid account, and longest message (limits of the network). */
export const maxMessageLength: Record<ActionType, number> = { sendConnectionRequest: 300, sendMessage: 8000 };

export const actionStates = [
  "scheduled",
  "sending",
  "awaiting",
  "done",
  "skipped",
  "failed",
  "unknown",
  "cancelled",
] as const;
/**
 * scheduled -> sending (marked before the connector is called) -> done | skipped | failed | unknown | awaiting;
 * awaiting (handed to a person) -> done | skipped | failed. unknown = the call may or may not have had its effect, so
 * it is never repeated by itself.
 */
export type ActionState = (typeof actionStates)[number];

export type NetworkAction = {
  jobId: string;
  userId: string;
  accountId: string;
  actionType: ActionType;
  profileUrl: string;
  /** `canonicalProfileUrl` of it. */
  profileKey: string;
  message: string | null;
  leadId: string | null;
  state: ActionState;
  createdAt: number;
  updatedAt: number;
};

export type NetworkAccount = {
  id: string;
  userId: string;
  name: string;
  connector: ConnectorName;
  timeZone: string;
  workingHours: WorkingHours;
  /** Bounds of the random distance between two actions. */
  minGapSeconds: number;
  maxGapSeconds: number;
  createdAt: number;
  updatedAt: number;
};

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const officeDay = [{ from: 9 * 60, to: 18 * 60 }];
/** Monday to Friday, 9 to 18 o'clock, where the account is. */
export const defaultWorkingHours: WorkingHours = [officeDay, officeDay, officeDay, officeDay, officeDay, [], []];
/** A careful person needs minutes, not seconds, from one profile to the next. */
export const defaultGapSeconds = { min: 90, max: 480 } as const;

const timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$";
const Span = Type.Object({
  from: Type.String({ pattern: timeOfDay, description: "Wall-clock time as HH:MM" }),
  to: Type.String({
    pattern: timeOfDay,
    description: "Wall-clock time as HH:MM, behind from; 24:00 is the end of the day",
  }),
});

const WeekView = Type.Object(
  Object.fromEntries(weekdays.map((day) => [day, Type.Array(Span, { maxItems: 6 })])) as Record<
    (typeof weekdays)[number],
    ReturnType<typeof Type.Array<typeof Span>>
  >,
  {
    description: "Spans in which actions may run, by weekday, in the account's time zone; an empty list is a day off.",
  },
);
export type WeekView = Static<typeof WeekView>;

const gap = (description: string) => Type.Integer({ minimum: 0, maximum: 86_400, description });

export const AccountView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    connector: Type.Union(connectorNames.map((name) => Type.Literal(name))),
    timeZone: Type.String(),
    workingHours: WeekView,
    minGapSeconds: gap("Shortest distance between two actions."),
    maxGapSeconds: gap("Longest random distance between two actions."),
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "NetworkAccount", description: "An account on the professional network, and how carefully it is used." },
);
export type AccountView = Static<typeof AccountView>;

export const AccountUpdate = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    connector: Type.Optional(
      Type.Union(
        connectorNames.map((name) => Type.Literal(name)),
        {
          description: "manual: a person carries actions out from a task list. simulated: nothing leaves the machine.",
        },
      ),
    ),
    timeZone: Type.Optional(Type.String({ description: "IANA name, for example Europe/Berlin." })),
    workingHours: Type.Optional(Type.Partial(WeekView)),
    minGapSeconds: Type.Optional(gap("Shortest distance between two actions.")),
    maxGapSeconds: Type.Optional(gap("Longest random distance between two actions.")),
  },
  { description: "Only what is sent changes. Actions that are already scheduled keep their moment." },
);
export type AccountUpdate = Static<typeof AccountUpdate>;

export const ScheduleInput = Type.Object(
  {
    actionType: Type.String({ description: `One of: ${actionTypes.join(", ")}.` }),
    profileUrl: Type.String({ minLength: 1, maxLength: 500, description: "Profile of the person on the network." }),
    message: Type.Optional(Type.String({ description: "Note of the request, or the message itself." })),
    leadId: Type.Optional(Type.String({ description: "The lead that this is for." })),
    accountId: Type.Optional(Type.String({ description: "Network account to use; the user's first one by default." })),
    userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
  },
  {
    examples: [
      { actionType: "sendConnectionRequest", profileUrl: "https://network.example/in/ada", message: "Hello Ada" },
    ],
  },
);
export type ScheduleInput = Static<typeof ScheduleInput>;

export const taskOutcomes = ["done", "failed", "skipped"] as const;
export type TaskOutcome = (typeof taskOutcomes)[number];
export const TaskCompletion = Type.Object({
  outcome: Type.Union(taskOutcomes.map((outcome) => Type.Literal(outcome))),
  note: Type.Optional(Type.String({ maxLength: 1000, description: "What happened, in your words." })),
  userId: Type.Optional(Type.String({ description: "Needed with a global key: whom to act for." })),
});
export type TaskCompletion = Static<typeof TaskCompletion>;

export const TaskView = Type.Object(
  {
    jobId: Type.String(),
    accountId: Type.String(),
    actionType: Type.Union(actionTypes.map((type) => Type.Literal(type))),
    profileUrl: Type.String(),
    message: Type.Union([Type.String(), Type.Null()]),
    leadId: Type.Union([Type.String(), Type.Null()]),
    since: Type.String({ format: "date-time", description: "When it was handed to a person." }),
  },
  { $id: "NetworkTask", description: "An action that waits for a person to carry it out." },
);
