import { expect, test } from "bun:test";
import { StartError } from "../../src/platform/base/start-error.ts";
import { schema, version } from "../../src/platform/base/version.ts";
import { createCommandLine, type CommandLineOptions } from "../support/command-line.ts";

/** A server that gets its signals as soon as it has started; a number is a pause in milliseconds. */
async function served(
  signals: ("SIGINT" | "SIGTERM" | "hang up" | number)[],
  app: CommandLineOptions["app"] = {},
  args: string[] = [],
) {
  await using cli = await createCommandLine({
    app: {
      ...app,
      start: async () => {
        cli.calls.push("start");
        for (const signal of signals)
          if (typeof signal === "number") cli.signals.advance(signal);
          else if (signal === "hang up") cli.signals.hangUp();
          else cli.signals.send(signal);
      },
    },
  });
  const result = await cli.run("serve", ...args);
  return { ...result, calls: cli.calls, exits: cli.signals.exits };
}

test("serving ends gracefully with the first signal", async () => {
  const { exitCode, calls, exits, out } = await served(["SIGTERM"]);
  expect(exitCode).toBe(0);
  expect(calls).toEqual(["start", "stop"]);
  expect(exits).toEqual([]);
  expect(out).toContain("http://127.0.0.1:8080/api/v2");
  expect(out).toStartWith(`outreachd ${version} (schema ${schema.sqlite})\n`);
  expect(out).not.toContain("First start");
});

test("a later second signal ends the process at once", async () => {
  expect((await served(["SIGINT", 1000, "SIGINT"])).exits).toEqual([130]);
  expect((await served(["SIGINT", 1000, "SIGTERM"])).exits).toEqual([143]);
});

test("a signal that arrives several times within a second is one signal", async () => {
  const { exits, calls, exitCode } = await served(["SIGINT", "SIGINT", 999, "SIGTERM"]);
  expect({ exits, calls, exitCode }).toEqual({ exits: [], calls: ["start", "stop"], exitCode: 0 });
  expect((await served(["SIGINT", "SIGINT", 1000, "SIGINT"])).exits).toEqual([130]);
});

test("a closed terminal, or the end of npx, stops the server, and never cuts its last work short", async () => {
  const stopped = { exitCode: 0, exits: [], calls: ["start", "stop"] };
  expect(await served(["hang up"])).toMatchObject(stopped);
  expect(await served(["SIGINT", 1000, "hang up", 1000, "hang up"])).toMatchObject(stopped);
  expect((await served(["hang up", 1000, "SIGINT"])).exits).toEqual([130]);
});

test("the first start shows the admin's key once, with a link to begin", async () => {
  const { out } = await served(["SIGTERM"], {
    firstRun: { email: "admin@localhost", key: "oak_first", signInPath: "/app/sign-in#token" },
  });
  expect(out).toContain("created the admin admin@localhost");
  expect(out).toContain("shown only once");
  expect(out).toContain("\n  oak_first\n");
  expect(out).toContain("\n  http://127.0.0.1:8080/app/sign-in#token\n");
});

test("a first start that fails after the admin was made tells the key all the same", async () => {
  const start = async () => {
    throw new StartError("The port is taken.", { hint: "Choose another." });
  };
  await using cli = await createCommandLine({
    app: { firstRun: { email: "admin@localhost", key: "oak_first", signInPath: "/app/sign-in#token" }, start },
  });
  const { exitCode, out, err } = await cli.run("serve");
  expect(exitCode).toBe(1);
  expect(out).toBe("");
  expect(err).toContain("oak_first");
  // Later starts show no sign-in link.
  expect(err).toContain(
    "\nOnce the server runs, get a sign-in link for the dashboard with: outreachd user link admin@localhost\n",
  );
  expect(err).toContain("Error: The port is taken.");
  expect(cli.calls).toEqual(["stop"]);
});

test("links of the banner lead to the public URL", async () => {
  const { out } = await served(["SIGTERM"], {}, ["--json", "--public-url", "https://example.com/"]);
  expect(JSON.parse(out)).toMatchObject({
    url: "http://127.0.0.1:8080",
    api: "https://example.com/api/v2",
    firstRun: null,
  });
});
