import { Type, type Static } from "@sinclair/typebox";
import { suggestions } from "../../platform/base/spelling.ts";
import { actionKinds, actionTypes } from "./action-kinds.ts";
import type { Holiday, Sessions, WorkingHours } from "./governor/calendar.ts";
import { meters, tiers, type Meter, type Tier } from "./meter-model.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export const connectorNames = ["manual", "worker", "webhook", "unipile", "linkedapi", "simulated"] as const;
export type ConnectorName = (typeof connectorNames)[number];
/** Connectors that automate the real network. They run only after the operator has accepted the risk. */
export const liveConnectors: readonly ConnectorName[] = ["worker", "webhook", "unipile", "linkedapi"];

export const accountStates = ["active", "paused", "needsReconnect"] as const;
/**
 * paused: by the user. needsReconnect: the network signed the account out, and a person must reconnect it. No actions are
 * sent in either state.
 */
export type AccountState = (typeof accountStates)[number];

export const windows = ["day", "week", "month"] as const;
/** Rolling windows, not calendar periods: the last 24 hours, 7 days, and 30 days. */
export type Window = (typeof windows)[number];
export const windowMs: Record<Window, number> = { day: 86_400_000, week: 7 * 86_400_000, month: 30 * 86_400_000 };

/** Maximum number of actions in a window; null: no cap. Defaults depend on the tier. */
export type Caps = Partial<Record<Meter, Partial<Record<Window, number | null>>>>;

/** The account starts with `perDay` actions per meter and adds `addPerDay` on each day after `startedAt`. */
export type WarmUp = { perDay: number; addPerDay: number; startedAt: number };
/** Random time between two actions: log-normal around the median, never below the minimum. */
export type Spacing = { medianSeconds: number; minSeconds: number };

export type NetworkAccount = {
  id: string;
  workspaceId: WorkspaceId;
  name: string;
  connector: ConnectorName;
  /** Settings of the connector for this account, such as its ID at the vendor. Never secrets. */
  connectorSettings: Record<string, string>;
  tier: Tier;
  timeZone: string;
  workingHours: WorkingHours;
  holidays: readonly Holiday[];
  caps: Caps;
  warmUp: WarmUp | null;
  spacing: Spacing;
  sessions: Sessions | null;
  /** Maximum percentage by which a daily cap is reduced at random. */
  jitterPercent: number;
  state: AccountState;
  /** Human-readable reason why the account is not active. */
  stateReason: string | null;
  /** Actions must be approved before they are scheduled. */
  requiresApproval: boolean;
  /** Connection requests not accepted within this time are withdrawn; null: never. */
  withdrawAfterDays: number | null;
  /** The member whose account it is; null if it belongs to no member. */
  memberId: UserId | null;
  /** Whether all members may act with it. */
  isShared: boolean;
  createdAt: number;
  updatedAt: number;
};

/** A meter is suspended until `until` after a limit signal; each further signal within a week extends the suspension. */
export type CoolDown = { meter: Meter; until: number; level: number; reason: string; since: number };

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

const officeDay = [{ from: 9 * 60, to: 18 * 60 }];
/** Monday to Friday, 9:00 to 18:00 in the account's time zone. */
export const defaultWorkingHours: WorkingHours = [officeDay, officeDay, officeDay, officeDay, officeDay, [], []];
/** A person takes minutes, not seconds, between one profile and the next. */
export const defaultSpacing: Spacing = { medianSeconds: 240, minSeconds: 90 };
export const defaultSessions: Sessions = { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 };
export const defaultJitterPercent = 15;
export const defaultWarmUp = { perDay: 5, addPerDay: 3 } as const;

const timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$";
const Span = Type.Object({
  from: Type.String({ pattern: timeOfDay, description: "Local time as HH:MM." }),
  to: Type.String({
    pattern: timeOfDay,
    description: "Local time as HH:MM, later than `from`. 24:00 is the end of the day.",
  }),
});

export const WeekView = Type.Object(
  Object.fromEntries(weekdays.map((day) => [day, Type.Array(Span, { maxItems: 6 })])) as Record<
    (typeof weekdays)[number],
    ReturnType<typeof Type.Array<typeof Span>>
  >,
  {
    description: "Times when actions may be sent, by weekday, in the account's time zone. An empty list is a day off.",
  },
);
export type WeekView = Static<typeof WeekView>;

const date = "^\\d{4}-\\d{2}-\\d{2}$";
const Holidays = Type.Array(
  Type.Object({
    from: Type.String({ pattern: date, description: "First day, such as 2030-12-24." }),
    to: Type.Optional(Type.String({ pattern: date, description: "Last day. Defaults to the first day." })),
    name: Type.String({ maxLength: 100, description: "Shown in the settings, such as Christmas." }),
  }),
  {
    maxItems: 100,
    description: "Days on which nothing is sent, in the account's time zone. Replaces all holidays.",
    examples: [[{ from: "2030-12-24", to: "2030-12-26", name: "Christmas" }]],
  },
);

const literals = <const T extends readonly string[]>(names: T, description: string) =>
  Type.Union(
    names.map((name) => Type.Literal(name as T[number])),
    { description },
  );

const WindowCaps = Type.Object(
  Object.fromEntries(
    windows.map((window) => [
      window,
      Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: 1_000_000 }), Type.Null()])),
    ]),
  ) as Record<Window, ReturnType<typeof capField>>,
  { description: "Maximum number of actions in the last 24 hours (`day`), 7 days (`week`), and 30 days (`month`)." },
);
function capField() {
  return Type.Optional(Type.Union([Type.Integer(), Type.Null()]));
}
export const CapsInput = Type.Object(
  Object.fromEntries(meters.map((meter) => [meter, Type.Optional(WindowCaps)])) as Record<
    Meter,
    ReturnType<typeof windowField>
  >,
  {
    // Users are more likely to know the type of an action than the meter that counts it.
    [suggestions]: Object.fromEntries(actionTypes.map((type) => [type, actionKinds[type].meter])),
    description: `Maximum number of actions per meter in the last 24 hours (\`day\`), 7 days (\`week\`), and 30 days (\`month\`). Meters: ${meters.join(", ")}. Action types can share a meter; \`notes\` counts connection requests with a note, and \`all\` counts every action. Caps that are omitted use the default of the tier. 0 blocks all actions of the meter. null raises the cap to the maximum of the tier.`,
    examples: [{ invites: { day: 15, week: 80 }, all: { day: 60 } }],
  },
);
function windowField() {
  return Type.Optional(WindowCaps);
}

const SpacingInput = Type.Object(
  {
    medianSeconds: Type.Integer({ minimum: 0, maximum: 86_400 }),
    minSeconds: Type.Integer({ minimum: 0, maximum: 86_400 }),
  },
  { description: "Random time between two actions: distributed around the median, never below the minimum." },
);
const minutes = Type.Integer({ minimum: 1, maximum: 1440 });
const SessionsInput = Type.Object(
  { minMinutes: minutes, maxMinutes: minutes, minBreakMinutes: minutes, maxBreakMinutes: minutes },
  { description: "Length of work sessions and of the breaks between them, chosen at random each day." },
);
const WarmUpInput = Type.Object(
  {
    perDay: Type.Integer({ minimum: 1, maximum: 1000, description: "Actions per meter on the first day." }),
    addPerDay: Type.Integer({ minimum: 0, maximum: 1000, description: "Additional actions each day." }),
    startedAt: Type.Optional(Type.String({ format: "date-time", description: "First day. Defaults to now." })),
  },
  {
    description:
      "Starts with few actions and adds more each day until the caps are reached. null disables the warm-up.",
  },
);
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const settings = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  connector: literals(
    connectorNames,
    "How actions are sent. `manual`: a person works through a task list. `worker`: your own program claims actions over HTTP. `webhook`: actions are posted to your URL. `unipile`, `linkedapi`: through your account with that vendor. `simulated`: nothing leaves the server.",
  ),
  connectorSettings: Type.Record(Type.String({ maxLength: 60 }), Type.String({ maxLength: 500 }), {
    description:
      "Settings of the connector for this account. `webhook`: `url`. `unipile`: `accountId`. `linkedapi`: `identification` (name of a token in the configuration).",
  }),
  tier: literals(
    tiers,
    "Subscription of the account on the network. Determines the default caps and the maximum length of notes.",
  ),
  timeZone: Type.String({ description: "IANA time zone, such as Europe/Berlin." }),
  workingHours: Type.Partial(WeekView),
  holidays: Holidays,
  caps: CapsInput,
  warmUp: orNull(WarmUpInput),
  spacing: SpacingInput,
  sessions: orNull(SessionsInput),
  jitterPercent: Type.Integer({
    minimum: 0,
    maximum: 50,
    description:
      "Maximum percentage by which the daily caps are reduced at random, so that not every day has the same number of actions.",
  }),
  requiresApproval: Type.Boolean({ description: "Actions must be approved before they are scheduled." }),
  withdrawAfterDays: Type.Union([Type.Integer({ minimum: 7, maximum: 365 }), Type.Null()], {
    description:
      "Withdraw connection requests that are not accepted within this number of days. null never withdraws them.",
  }),
  memberId: orNull(Type.String({ description: "User ID of the member whose account it is." })),
  isShared: Type.Boolean({
    description:
      "Whether all members of the workspace may act with this account. Otherwise, only its member, owners, and admins do.",
  }),
};

export const AccountInput = Type.Object(
  { ...Type.Partial(Type.Object(settings)).properties, name: settings.name },
  { description: "Only `name` is required. All other settings have conservative defaults." },
);
export type AccountInput = Static<typeof AccountInput>;

export const AccountUpdate = Type.Object(
  {
    ...Type.Partial(Type.Object(settings)).properties,
    state: Type.Optional(
      Type.Union([Type.Literal("active"), Type.Literal("paused")], {
        description: "`paused` stops all actions. `active` resumes them, including after the account was reconnected.",
      }),
    ),
  },
  {
    description:
      "Updates only the fields that are sent. `caps` is replaced as a whole. Pending actions are rescheduled.",
  },
);
export type AccountUpdate = Static<typeof AccountUpdate>;

export const AccountView = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    connector: settings.connector,
    connectorSettings: settings.connectorSettings,
    tier: settings.tier,
    timeZone: Type.String(),
    workingHours: WeekView,
    holidays: Type.Array(Type.Required(Holidays.items)),
    caps: CapsInput,
    warmUp: orNull(Type.Required(WarmUpInput)),
    spacing: SpacingInput,
    sessions: orNull(SessionsInput),
    jitterPercent: Type.Integer(),
    state: literals(accountStates, "No actions are sent while an account is `paused` or `needsReconnect`."),
    stateReason: orNull(Type.String()),
    requiresApproval: Type.Boolean(),
    withdrawAfterDays: settings.withdrawAfterDays,
    memberId: settings.memberId,
    isShared: settings.isShared,
    createdAt: Type.String({ format: "date-time" }),
    updatedAt: Type.String({ format: "date-time" }),
  },
  { $id: "NetworkAccount", description: "An account on the professional network, with its caps and schedule." },
);
export type AccountView = Static<typeof AccountView>;
