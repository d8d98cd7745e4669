import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openLiveDatabase } from "../support/live-database.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";

setDefaultTimeout(60_000);

type Health = { status: string; message: string | null };

async function healthOf({ api }: { api: string }, key: string): Promise<Health> {
  return (await (await fetch(`${api}/health`, { headers: { "x-api-key": key } })).json()) as Health;
}

test("maintenance mode is turned on and off on the command line, with a server and without one", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  const maintenance = (...args: string[]) => runProgram(["maintenance", ...args, "--data", dataDir]);
  let key = "";
  {
    await using server = await startServer(dataDir);
    key = server.firstRun!.key;
    const on = await maintenance("on", "--message", "Back at noon.");
    expect(on).toMatchObject({ exitCode: 0, err: "" });
    expect(on.out).toMatch(/^Maintenance mode is on since .*Z\. Back at noon\.\n$/);
    expect(await healthOf(server, key)).toMatchObject({ status: "maintenance" });
    const refused = await runProgram(["user", "create", "ada@example.com", "--data", dataDir]);
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toContain("The server is in maintenance mode and does not accept changes. Back at noon.");
    // What an operator does just then.
    expect((await runProgram(["backup", "--data", dataDir])).exitCode).toBe(0);
    await server.stop();
  }
  expect(JSON.parse((await maintenance("status", "--json")).out)).toMatchObject({ enabled: true });
  expect((await maintenance("off")).out).toBe("Maintenance mode is off.\n");
  await using server = await startServer(dataDir);
  expect(await healthOf(server, key)).toMatchObject({ status: "healthy", message: null });
});

test("a clock that was ahead is accepted once the server is stopped, which the doctor names and the audit log tells", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  let key = "";
  {
    await using server = await startServer(dataDir);
    key = server.firstRun!.key;
    await server.stop();
  }
  const inAYear = Date.now() + 365 * 86_400_000;
  {
    using database = openLiveDatabase(dataDir);
    database.run("UPDATE server_state SET value = ? WHERE name = 'clock'", [String(inAYear)]);
  }
  const accept = () => runProgram(["clock", "accept", "--data", dataDir]);
  {
    await using server = await startServer(dataDir);
    const { status, message } = await healthOf(server, key);
    expect(status).toBe("degraded");
    expect(message).toMatch(/^The server's clock is 36\d days behind the latest time it has shown/);
    const doctor = await runProgram(["doctor", "--data", dataDir, "--offline"]);
    expect(doctor.exitCode).toBe(1);
    expect(doctor.out).toContain("outreachd clock accept");
    const running = await accept();
    expect(running.exitCode).toBe(1);
    expect(running.err).toContain("Stop it first");
    const { log } = await server.stop();
    expect(log).toContain("outreachd clock accept");
  }
  const accepted = await accept();
  expect(accepted).toMatchObject({ exitCode: 0, err: "" });
  expect(accepted.out).toContain("Clock accepted");
  expect((await accept()).out).toContain("nothing to accept");
  await using server = await startServer(dataDir);
  expect(await healthOf(server, key)).toMatchObject({ status: "healthy" });
  const audit = (await (await fetch(`${server.api}/audit`, { headers: { "x-api-key": key } })).json()) as {
    data: { entries: { action: string; via: string }[] };
  };
  expect(audit.data.entries).toContainEqual(expect.objectContaining({ action: "clock.accepted", via: "commandLine" }));
});
