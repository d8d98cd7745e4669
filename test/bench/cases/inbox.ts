import { connect } from "../../../src/adapters/storage/postgres/engine.ts";
import { openDatabase } from "../../../src/adapters/storage/sqlite/open.ts";
import { withPostgres } from "../postgres.ts";
import type { BenchCase, Measure } from "../report.ts";
import { createHome, databasePath, startServer, withDirectory, type Home, type Server } from "../server.ts";

const conversations = 100_000;
const messages = 1_000_000;
const rounds = 200;
const warmUpRounds = 20;
const listGoal = { atMost: 20 };
const searchGoal = { atMost: 100 };

/** What a person waits for who reads and answers all day. */
export const inbox: BenchCase = {
  about: `lists, threads, and searches over ${messages.toLocaleString("en-US")} messages in ${conversations.toLocaleString("en-US")} conversations`,
  run: () =>
    withDirectory(async (directory) => {
      const home = await createHome(directory);
      await withAccount(home, {});
      const database = openDatabase(databasePath(home));
      database.run("PRAGMA synchronous = OFF");
      for (const statement of statements("json_extract(?1, '$[' || (n % 500) || ']')", sqliteNumbers))
        database.query(statement).run(...(statement.includes("?1") ? [JSON.stringify(texts)] : []));
      database.run("ANALYZE");
      database.close();
      return await measure(home, {});
    }),
  isLong: true,
};

export const postgresInbox: BenchCase = {
  about: `PostgreSQL: ${inbox.about}`,
  run: () =>
    withPostgres(async (home) => {
      await withAccount(home, home.settings);
      const client = connect(home.url, { poolSize: 1, hasSettings: false });
      for (const statement of statements("(string_to_array($1, '|'))[n % 500 + 1]", postgresNumbers))
        await client.unsafe(statement, statement.includes("$1") ? [texts.join("|")] : []);
      await client.unsafe("VACUUM ANALYZE conversations, messages");
      await client.end();
      return await measure(home, home.settings);
    }),
  isLong: true,
};

const words =
  "thanks demo price meeting tuesday interested product team later budget call question contract pilot data offer".split(
    " ",
  );
/** 500 texts of a dozen words: each word is in most of them. */
const texts = Array.from({ length: 500 }, (_, n) =>
  Array.from({ length: 12 }, (_each, place) => words[(n * (place + 3) + place * 7) % words.length]).join(" "),
);

const sqliteNumbers = (count: number) =>
  `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT n FROM numbers)`;
const postgresNumbers = (count: number) => `(SELECT n FROM generate_series(1, ${count}) AS n)`;

/** Copies of the one conversation that there is. A tenth is unread, a fiftieth labeled. */
function statements(text: string, numbers: (count: number) => string): string[] {
  return [
    `INSERT INTO conversations (id, workspace_id, account, profile_key, profile_url, person_name, unread, read_to, label,
       last_at, last_state, last_text, received_at, created_at, updated_at)
     SELECT c.id || k.n, c.workspace_id, c.account, c.profile_key || k.n, c.profile_url || k.n, 'Person Number' || k.n,
       CASE WHEN k.n % 10 = 0 THEN 1 ELSE 0 END, 0, CASE WHEN k.n % 50 = 0 THEN 'interested' END,
       c.last_at - k.n * 1000, 'received', 'Hello', c.last_at - k.n * 1000, c.created_at, c.updated_at
     FROM (SELECT * FROM conversations ORDER BY seq LIMIT 1) AS c, ${numbers(conversations)} AS k`,
    `INSERT INTO messages (id, workspace_id, conversation, profile_key, kind, state, text, at, created_at)
     SELECT 'm' || k.n, c.workspace_id, c.seq, c.profile_key, 'message',
       CASE WHEN k.n % 2 = 0 THEN 'received' ELSE 'sent' END,
       ${text.replaceAll("n %", "k.n %")} || ' code' || k.n, c.last_at - (k.n / ${conversations}) * 60000, c.created_at
     FROM ${numbers(messages)} AS k JOIN conversations AS c ON c.id =
       (SELECT id FROM conversations ORDER BY seq LIMIT 1) || (k.n % ${conversations} + 1)`,
  ];
}

async function withAccount(home: Home, settings: Record<string, string>): Promise<void> {
  const server = await startServer(home, settings);
  const news = { profileUrl: "https://network.example/in/ada", event: "replied", text: "Hello" };
  const response = await fetch(`${baseOf(server)}/network/contacts/events`, {
    method: "POST",
    headers: { "x-api-key": home.key, "content-type": "application/json" },
    body: JSON.stringify(news),
  });
  if (!response.ok) throw new Error(await response.text());
  await server.stop();
}

const baseOf = ({ port }: Server) => `http://127.0.0.1:${port}/api/v2`;

async function measure(home: Home, settings: Record<string, string>): Promise<Measure[]> {
  const server = await startServer(home, settings);
  const get = async (path: string): Promise<{ data: { conversations: { id: string }[] } }> => {
    const response = await fetch(baseOf(server) + path, { headers: { "x-api-key": home.key } });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { data: { conversations: { id: string }[] } };
  };
  const measured = async ({ name, path, goal, times }: Case): Promise<Measure> => {
    const took: number[] = [];
    for (let round = 0; round < times; round++) {
      const startedAt = performance.now();
      await get(path);
      took.push(performance.now() - startedAt);
    }
    const p99 = took.toSorted((a, b) => a - b)[Math.floor(times * 0.99) - 1] ?? 0;
    return { name: `${name}, p99`, value: p99, unit: "ms", goal };
  };
  try {
    const { data } = await get("/inbox/conversations");
    const cases = casesOf(data.conversations[1]!.id);
    // Not counted: the server's hot code gets compiled first, which the lists share.
    for (const { path } of cases) for (let round = 0; round < warmUpRounds; round++) await get(path);
    const measures: Measure[] = [];
    for (const each of cases) measures.push(await measured(each));
    return measures;
  } finally {
    await server.stop();
  }
}

type Case = { name: string; path: string; goal: { atMost: number }; times: number };

function casesOf(conversation: string): Case[] {
  const list = (name: string, query: string) => {
    return { name, path: `/inbox/conversations?limit=50${query}`, goal: listGoal, times: rounds };
  };
  const search = (name: string, query: string) => ({ ...list(name, query), goal: searchGoal, times: 50 });
  return [
    list("list", ""),
    list("list, replied", "&replied=true"),
    list("list, unread", "&unread=true"),
    list("list, labeled", "&label=interested"),
    list("list, unassigned and unread", "&assignedTo=none&unread=true"),
    list("list, assigned (none is)", "&assignedTo=me"),
    { ...list("thread", ""), path: `/inbox/conversations/${conversation}/messages` },
    { ...list("unread counts", ""), path: "/inbox/unread" },
    search("search, a word of most messages", "&q=thanks"),
    search("search, a word of one message", "&q=code777777"),
    search("search, two words", "&q=demo+meeting"),
    search("search, a name", "&q=number4711"),
    search("search, a frequent beginning", "&q=co"),
    search("search, nothing", "&q=nothinglikeit"),
    search("search in unread", "&q=thanks&unread=true"),
  ];
}
