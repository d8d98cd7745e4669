import { Database } from "bun:sqlite";
import { join } from "node:path";
import { load } from "../load.ts";
import type { BenchCase } from "../report.ts";
import { emailOf } from "../people.ts";
import { createHome, databasePath, startServer, withDirectory, type Home } from "../server.ts";

const rounds = 20;
const seed = 7;

/** Kills the server in the middle of its work and looks for every write that it acknowledged. */
export const durability: BenchCase = {
  about: `${rounds} rounds of SIGKILL under POST load, 64 connections`,
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  const home = await createHome(join(directory, "home"));
  const acknowledged: number[] = [];
  let broken = 0;
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(home);
    const loading = load(
      {
        port: server.port,
        method: "POST",
        path: "/api/v2/leads",
        headers: { "x-api-key": home.key },
        body: "lead",
        seed,
        firstSerial: round * 1_000_000,
        connections: 64,
        warmUpMs: 0,
        durationMs: 5000,
        listsAcknowledged: true,
      },
      { serverDies: true },
    );
    // Spread over the second after the load began, so that the blow falls at another point of the work each time.
    await Bun.sleep(300 + round * 50);
    await server.kill();
    const result = await loading;
    broken += result.broken;
    acknowledged.push(...result.acknowledged);
  }
  // The server itself opens the database once more, as it would after a crash, before anybody looks into it.
  await (await startServer(home)).stop();
  const { missing, problems } = await inspect(home, acknowledged);
  return [
    { name: "acknowledged writes that are missing", value: missing, unit: "count" as const, goal: { atMost: 0 } },
    { name: "problems that integrity_check found", value: problems, unit: "count" as const, goal: { atMost: 0 } },
    { name: "acknowledged writes", value: acknowledged.length, unit: "count" as const, goal: { atLeast: 1000 } },
    { name: "requests that the kill cut off", value: broken, unit: "count" as const },
  ];
}

async function inspect(home: Home, acknowledged: number[]): Promise<{ missing: number; problems: number }> {
  const database = new Database(databasePath(home), { readonly: true });
  const stored = new Set(
    database
      .query<{ email: string }, []>("SELECT email FROM leads")
      .all()
      .map((row) => row.email),
  );
  const missing = acknowledged.filter((serial) => !stored.has(emailOf(seed, serial))).length;
  const verdicts = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check").all();
  database.close();
  return { missing, problems: verdicts.filter((row) => row.integrity_check !== "ok").length };
}
