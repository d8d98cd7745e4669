import { test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Overrides } from "../../src/surfaces/app.ts";
import { loadConfig } from "../../src/app/config/config.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { permissions as allPermissions, type NewKeyView, type Permission } from "../../src/platform/auth/key-model.ts";
import type { UserInput, UserView } from "../../src/platform/auth/user-model.ts";
import { Client, type Answer, type ClientSetup } from "./client.ts";
import type { FakeClock } from "./clock.ts";
import { databaseName, openDatabaseOf, type LiveDatabase } from "./live-database.ts";
import { ApiDocument } from "./openapi.ts";
import { createTestDatabase } from "./postgres.ts";
import { startServer } from "./program.ts";

/** True when the tests are pointed at a compiled binary instead of the source. */
export const usesBinary = Boolean(process.env["OUTREACHD_TEST_BINARY"]);

/** True when the service runs on PostgreSQL instead of the embedded database. */
export const usesPostgres = process.env["OUTREACHD_TEST_STORAGE"] === "postgres";

/** A test that moves the clock or puts something of its own in the place of the real world. */
export function testInProcess(title: string, run: () => Promise<void>, register: Register = test): void {
  if (usesBinary) test.skip(`${title} (nobody can move the clock of a binary or replace its parts)`, run);
  else register(title, run);
}

/** A test that opens the embedded database of the service, or that needs what only the embedded engine has. */
export function testEmbedded(title: string, run: () => Promise<void>, register: Register = test): void {
  if (usesPostgres) test.skip(`${title} (embedded database only)`, run);
  else register(title, run);
}
type Register = (title: string, run: () => Promise<void>) => void;

export type ServiceOptions = {
  /** Settings by the name of their variable without OUTREACHD_. Rate limits are off unless they are set here. */
  settings?: Record<string, string | number>;
} & Omit<Overrides, "clock" | "log"> & { clock?: FakeClock };

export type UserOptions = Partial<UserInput> & { permissions?: readonly Permission[] };

/** A running service. Hold it with `await using`, which stops it and removes its data. */
export type Service = {
  readonly url: string;
  readonly dataDir: string;
  /** Flags by which a command works on its data while it is stopped. */
  readonly dataFlags: readonly string[];
  readonly document: ApiDocument;
  /** The first user's key: an admin with every permission. */
  readonly admin: Client;
  /** A client with another key, or without one. */
  client(key: string | null, userId?: string): Client;
  /** A new user, a member unless it says otherwise, with a key that has all permissions unless it says otherwise. */
  user(options?: UserOptions): Promise<Client>;
  /** A second key of the client's user, made by the admin. */
  keyOf(client: Client, permissions: readonly Permission[]): Promise<Client>;
  /** A global key, as `outreachd key create --global` makes it. */
  globalKey(): Promise<Client>;
  /** The job after it completed or failed. */
  ended(client: Client, jobId: string): Promise<JobView>;
  /** Its database on whichever engine it runs. Hold it with `await using`. */
  openDatabase(): Promise<LiveDatabase>;
  /** In process: resolves when nothing is due and nothing runs. */
  idle(): Promise<void>;
  /** In process: asks the connectors for news of people, as a chore does. */
  watch(): Promise<void>;
  /** In process: runs a chore out of turn. */
  chore(name: string): Promise<void>;
  /** Stops it cleanly and starts it again on the same data, after `meanwhile`; the clients go on. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

type Launched = {
  url: string;
  firstRun: { key: string } | null;
  idle: () => Promise<void>;
  chore: (name: string) => Promise<void>;
  stop: () => Promise<unknown>;
};

const quiet = {
  RATE_LIMIT_MINUTE: "0",
  RATE_LIMIT_HOUR: "0",
  RATE_LIMIT_DAY: "0",
  LOG_LEVEL: "silent",
  TIME_ZONE: "UTC",
};

/** Starts the service on an empty data directory: the binary that OUTREACHD_TEST_BINARY names, else in this process. */
export async function startService({ settings = {}, ...overrides }: ServiceOptions = {}): Promise<Service> {
  if (usesBinary && Object.keys(overrides).length > 0)
    throw new Error("A binary takes no overrides: use testInProcess");
  const directory = await mkdtemp(join(tmpdir(), "outreachd-api-"));
  const dataDir = join(directory, "data");
  const database = usesPostgres ? await createTestDatabase() : null;
  const env = variables({
    ...quiet,
    ...settings,
    ...(database !== null && { DATABASE: database.url, DATABASE_POOL: "4", DRAIN_SECONDS: "1" }),
    LISTEN: "127.0.0.1:0",
  });
  const launch = () => (usesBinary ? launchBinary(dataDir, env) : launchApp(dataDir, env, overrides));
  const remove = async () => {
    await database?.release();
    await rm(directory, { recursive: true, force: true });
  };
  if (!usesBinary && !usesPostgres) await prepare(dataDir);
  let running = await launch().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const hasLimits = ["MINUTE", "HOUR", "DAY"].some((window) => Number(env[`OUTREACHD_RATE_LIMIT_${window}`]) > 0);
  const document = await documentOf(running.url, settings);
  const setup: ClientSetup = {
    get url() {
      return running.url;
    },
    document,
    hasLimits,
  };
  const localClient = async () =>
    new Client(setup, ((await Bun.file(join(dataDir, "server.json")).json()) as { localKey: string }).localKey);
  const adminKey = running.firstRun?.key ?? "";
  const me = await (await localClient()).get<{ users: UserView[] }>("/api/v2/users");
  const admin = new Client(setup, adminKey, me.data.users[0]?.id);

  async function keyFor(userId: string, permissions: readonly Permission[]): Promise<Client> {
    const made = await (await localClient()).post<NewKeyView>("/api/v2/keys", { name: "test", permissions, userId });
    return new Client(setup, succeeded(made).data.key, userId);
  }

  return {
    get url() {
      return running.url;
    },
    dataDir,
    dataFlags: database === null ? ["--data", dataDir] : ["--database", database.url],
    document,
    admin,
    client: (key, userId) => new Client(setup, key, userId),
    async user({ permissions = allPermissions, ...input } = {}) {
      const email = input.email ?? `${crypto.randomUUID()}@example.com`;
      const made = await (await localClient()).post<UserView>("/api/v2/users", { email, ...input });
      return keyFor(succeeded(made).data.id, permissions);
    },
    openDatabase: () => openDatabaseOf(database ?? { dataDir }),
    keyOf: ({ userId }, permissions) => keyFor(userId, permissions),
    async globalKey() {
      const made = await (
        await localClient()
      ).post<NewKeyView>("/api/v2/keys", { name: "global", permissions: ["leads:read"], global: true });
      return new Client(setup, succeeded(made).data.key);
    },
    async ended(client, jobId) {
      await running.idle();
      return eventually(`the end of job ${jobId}`, async () => {
        const { data } = await client.get<JobView>(`/api/v2/users/jobs/${jobId}`);
        return data.status === "completed" || data.status === "failed" ? data : null;
      });
    },
    idle: () => running.idle(),
    watch: () => running.chore("check for news about people"),
    chore: (name) => running.chore(name),
    async restart(meanwhile = async () => {}) {
      await running.stop();
      await meanwhile();
      running = await launch();
    },
    async [Symbol.asyncDispose]() {
      try {
        await running.stop();
      } finally {
        await remove();
      }
    },
  };
}

/** By the settings of the service, on which it depends: to make one takes as long as to start a service. */
const documents = new Map<string, Promise<ApiDocument>>();

function documentOf(url: string, settings: object): Promise<ApiDocument> {
  const key = JSON.stringify(settings);
  const known = documents.get(key);
  if (known) return known;
  const fetched = fetch(`${url}/openapi.json`).then(
    async (response) => new ApiDocument((await response.json()) as Record<string, unknown>),
  );
  documents.set(key, fetched);
  return fetched;
}

async function prepare(dataDir: string): Promise<void> {
  // Like the app below, not imported at the top.
  const { placeEmptyDatabase } = await import("./empty-database.ts");
  await mkdir(dataDir, { mode: 0o700 });
  await placeEmptyDatabase(join(dataDir, databaseName));
}

function variables(settings: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`OUTREACHD_${name}`, String(value)]));
}

async function launchApp(dataDir: string, env: Record<string, string>, overrides: Overrides): Promise<Launched> {
  // Not at the top: who tests a binary shall not need the source to load.
  const { createApp } = await import("../../src/surfaces/app.ts");
  const app = await createApp(loadConfig({ flags: { data: dataDir }, env }), overrides);
  await app.start();
  return {
    url: app.url,
    firstRun: app.firstRun,
    idle: () => app.idle(),
    chore: (name) => app.maintenance.runNow(name),
    stop: () => app.stop(),
  };
}

async function launchBinary(dataDir: string, env: Record<string, string>): Promise<Launched> {
  const { url, firstRun, stop } = await startServer(dataDir, { env });
  return { url, firstRun, idle: async () => {}, chore: async () => {}, stop: () => stop() };
}

const usualPatienceMs = 25_000;
const betweenLooksMs = 10;

/** Looks again and again until there is something; for what another process or thread does. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null>,
  { patienceMs = usualPatienceMs } = {},
): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${patienceMs} ms for ${what}`);
    await Bun.sleep(betweenLooksMs);
  }
}

/** The same client, whose first account acts without breaks, warm-up and jitter: what is due is done. */
export async function calmed(client: Client): Promise<Client> {
  const path = "/api/v2/network/accounts";
  const { accounts } = succeeded(await client.get<{ accounts: { id: string }[] }>(path)).data;
  const spacing = { medianSeconds: 180, minSeconds: 90 };
  succeeded(
    await client.patch(`${path}/${accounts[0]?.id}`, { sessions: null, warmUp: null, jitterPercent: 0, spacing }),
  );
  return client;
}

/** The answer, if it is a success; a test that arranges something can't go on without. */
export function succeeded<T>(answer: Answer<T>): Answer<T> {
  if (answer.status >= 300) throw new Error(`Expected success, got ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
