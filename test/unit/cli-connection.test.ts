import { expect, test } from "bun:test";
import { StartError } from "../../src/platform/base/start-error.ts";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

/** A server that answers every request with the same users and remembers keys and queries. */
function startServer() {
  const seen: { key: string | null; path: string }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      seen.push({ key: request.headers.get("x-api-key"), path: pathname + search });
      return success({ users: [ada], total: 1, keys: [] });
    },
  });
  return { url: server.url.origin, seen, [Symbol.asyncDispose]: () => server.stop(true) };
}

const userKey = `oak_${"a".repeat(64)}`;

test("a named server is used, whatever runs on the data directory", async () => {
  await using server = startServer();
  const { url, seen } = server;
  const running = () => ({ pid: 1, url: "http://127.0.0.1:1", localKey: "local" });
  const env = { OUTREACHD_URL: url, OUTREACHD_API_KEY: userKey };
  await using cli = await createCommandLine({ env, backend: { readRunningServer: running } });
  expect((await cli.run("key", "list")).exitCode).toBe(0);
  expect(seen).toEqual([{ key: userKey, path: "/api/v2/keys" }]);
});

test("the key of a named server can come from a file", async () => {
  await using server = startServer();
  const { url, seen } = server;
  await using cli = await createCommandLine();
  const file = `${cli.directory}/key`;
  await Bun.write(file, `${userKey}\n`);
  expect((await cli.run("key", "list", "--url", `${url}/`, "--api-key-file", file)).exitCode).toBe(0);
  expect(seen).toEqual([{ key: userKey, path: "/api/v2/keys" }]);
});

test("with a user key no user is named, with a global key one is", async () => {
  await using server = startServer();
  const { url, seen } = server;
  const exportWith = async (key: string) => {
    await using cli = await createCommandLine({ env: { OUTREACHD_URL: url, OUTREACHD_API_KEY: key } });
    await cli.run("export", "leads");
  };
  await exportWith(userKey);
  expect(seen.map(({ path }) => path)).toEqual(["/api/v2/leads/export?format=csv"]);
  seen.length = 0;
  await exportWith("an opaque global key");
  expect(seen.map(({ path }) => path)).toEqual([
    "/api/v2/users?limit=100",
    "/api/v2/leads/export?userId=u-ada&format=csv",
  ]);
});

test("a server that holds the data directory is used with its local key", async () => {
  await using server = startServer();
  const { url, seen } = server;
  await using cli = await createCommandLine({
    backend: { readRunningServer: () => ({ pid: 1, url, localKey: "local" }) },
  });
  expect((await cli.run("user", "list")).exitCode).toBe(0);
  expect(seen).toEqual([{ key: "local", path: "/api/v2/users?limit=100" }]);
  expect(cli.configs).toEqual([]);
});

test("without a server the service runs in this process for as long as the command takes", async () => {
  await using cli = await createCommandLine({ api: () => userPage([ada]) });
  expect((await cli.run("user", "list")).exitCode).toBe(0);
  expect(cli.calls).toEqual(["work", "GET /api/v2/users", "stop"]);
});

test("the service in this process is stopped also when the command fails", async () => {
  await using cli = await createCommandLine();
  expect((await cli.run("user", "list")).exitCode).toBe(1);
  expect(cli.calls.at(-1)).toBe("stop");
});

test("a command's own flags are no settings of the service", async () => {
  await using cli = await createCommandLine({ api: () => success(ada) });
  await cli.run("user", "create", "ada@example.com", "--time-zone", "not for the config to judge");
  expect(cli.configs).toHaveLength(1);
  expect(cli.configs[0]?.timeZone).toBeNull();
});

test("only half of a named server is a mistake, not a reason to act on local data", async () => {
  await using cli = await createCommandLine({ env: { OUTREACHD_URL: "http://127.0.0.1:1" } });
  const { exitCode, err } = await cli.run("user", "list");
  expect(exitCode).toBe(2);
  expect(err).toContain("OUTREACHD_API_KEY: The server has no API key.");
  expect(cli.calls).toEqual([]);
});

test("a server that does not answer ends the command with 3", async () => {
  await using cli = await createCommandLine({
    env: { OUTREACHD_URL: "http://127.0.0.1:1", OUTREACHD_API_KEY: userKey },
  });
  const { exitCode, err } = await cli.run("user", "list");
  expect(exitCode).toBe(3);
  expect(err).toContain("Could not reach the server at http://127.0.0.1:1: nothing responds at that host and port.");
});

test("a directory of something else is left alone", async () => {
  await using cli = await createCommandLine({ env: { OUTREACHD_DATA: "/tmp" } });
  expect((await cli.run("user", "list")).exitCode).toBe(1);
  expect(cli.calls).toEqual([]);
});

test("a missing data directory is told, except by what may make one", async () => {
  await using cli = await createCommandLine({ api: () => success(ada), env: { OUTREACHD_DATA: "/nowhere/at/all" } });
  const { exitCode, err } = await cli.run("user", "list");
  expect(exitCode).toBe(1);
  expect(err).toContain("No outreachd data found in /nowhere/at/all.");
  expect(err).toContain("outreachd serve");
  expect((await cli.run("user", "create", "ada@example.com")).exitCode).toBe(0);
});

test("a start that can't be is told with its hint and without a stack trace", async () => {
  const createApp = () => Promise.reject(new StartError("The disk is read-only.", { hint: "Mount it for writing." }));
  await using cli = await createCommandLine({ backend: { createApp } });
  expect(await cli.run("user", "list")).toEqual({
    exitCode: 1,
    out: "",
    err: "Error: The disk is read-only.\nMount it for writing.\n",
  });
});

test("the admin's key of a first start is told once, beside the answer", async () => {
  const app = { firstRun: { email: "admin@localhost", key: "oak_first", signInPath: "/app/sign-in#token" } };
  await using cli = await createCommandLine({ app, api: () => success(ada) });
  const { out, err } = await cli.run("user", "create", "ada@example.com", "--role", "member", "--json");
  expect(JSON.parse(out)).toMatchObject({ user: { id: "u-ada" } });
  expect(err.split("oak_first")).toHaveLength(2);
});

test("`health` ends with 0 when the server answers, with 1 when it does not", async () => {
  await using server = startServer();
  const { url, seen } = server;
  await using cli = await createCommandLine();
  expect((await cli.run("health", "--listen", new URL(url).host)).exitCode).toBe(0);
  expect(seen).toEqual([{ key: null, path: "/healthz" }]);
  expect((await cli.run("health", "--url", "http://127.0.0.1:1")).exitCode).toBe(1);
});

test("`health` finds the server of the data directory, unless an address is named", async () => {
  await using server = startServer();
  const { url, seen } = server;
  const running = { pid: 1, url, localKey: "local" };
  const backend = { readRunningServer: (dataDir: string) => (dataDir === "/data" ? running : null) };
  await using cli = await createCommandLine({ backend });
  const { exitCode, out } = await cli.run("health", "--data", "/data");
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: `The server at ${url} is healthy.\n` });
  expect((await cli.run("health", "--data", "/data", "--listen", "127.0.0.1:1")).exitCode).toBe(1);
  // Whatever listens on the default address, it is not the server of this directory.
  const other = await cli.run("health", "--data", "/other");
  expect(other.exitCode).toBe(1);
  expect(other.err).toContain("No server is running on the data directory /other.");
  expect(seen).toHaveLength(1);
});
