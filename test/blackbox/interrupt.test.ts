import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, textOf } from "../support/program.ts";
import { eventually } from "../support/service.ts";

setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");
const lead = JSON.stringify({ email: "ada@example.com" });

type Announced = { pid: number; url: string; localKey: string };

/** The start command of the README, in a process group of its own, as a shell gives one to it. */
async function startDocumented(dataDir: string) {
  const child = Bun.spawn(["npx", "-y", "bun@1.4.5", "run", "start"], {
    cwd: root,
    env: { ...process.env, OUTREACHD_DATA: dataDir, OUTREACHD_LISTEN: "127.0.0.1:0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const output = Promise.all([textOf(child.stdout), textOf(child.stderr)]).then((texts) => texts.join(""));
  const readServer = async (): Promise<Announced | null> => {
    if (child.exitCode !== null) throw new Error(`Expected the server to start: ${await output}`);
    try {
      return JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as Announced;
    } catch {
      return null;
    }
  };
  const server = await eventually("the server to start", readServer, { patienceMs: 100_000 });
  return {
    ...server,
    output,
    /**
     * As Ctrl-C does: the terminal signals every process of the group, and npx and `bun run` forward theirs a moment
     * later. Several times, because the system merges signals that are still waiting to be delivered.
     */
    async interrupt(): Promise<void> {
      for (let times = 0; times < 10; times++) {
        process.kill(-child.pid, "SIGINT");
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    /** As a supervisor does that knows only the process it started. npx passes it on to no one. */
    terminate: () => child.kill("SIGTERM"),
    [Symbol.asyncDispose]: async () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // The whole group has ended.
      }
      await child.exited;
    },
  };
}

/** A request whose body is still on its way: the server has its head and waits. */
async function halfSent({ url, localKey }: Announced) {
  let answer = "";
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(new URL(url).port),
    socket: {
      data: (_socket, bytes) => void (answer += bytes.toString()),
      close: () => closed.resolve(),
    },
  });
  const head = [
    "POST /api/v2/users HTTP/1.1",
    "Host: localhost",
    `x-api-key: ${localKey}`,
    "content-type: application/json",
    `content-length: ${lead.length}`,
    "connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${lead.slice(0, 10)}`);
  return {
    async finish(): Promise<string> {
      socket.write(lead.slice(10));
      await closed.promise;
      return answer;
    },
  };
}

async function isRefused(url: string): Promise<true | null> {
  return await fetch(`${url}/healthz`).then(
    () => null,
    () => true,
  );
}

test
  .skipIf(process.platform === "win32" || Boolean(process.env["OUTREACHD_TEST_BINARY"]))
  .each(["interrupt", "terminate"] as const)("a request in flight survives the start command's %s", async (way) => {
  await using directory = await createDirectory();
  await using server = await startDocumented(join(directory.path, "data"));
  const request = await halfSent(server);
  // What was sent on another connection afterwards is answered, so the first one has been read as well.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await server[way]();
  await eventually("the server to take no more connections", () => isRefused(server.url));
  expect(await request.finish()).toStartWith("HTTP/1.1 200 OK");
  await eventually("the process to end", async () => (isAlive(server.pid) ? null : true));
  const log = await server.output;
  expect(log).toContain('"msg":"stopped"');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
