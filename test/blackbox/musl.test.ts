import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { addCxxLibrary, buildForMusl, commandIn, reasonAgainstMusl } from "../support/musl.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { people } from "../support/prospecting-api.ts";
import { eventually } from "../support/service.ts";
import { cloneForm, clonesPath, spokenWav } from "../support/voices.ts";

/** The executable for Alpine, in a directory that has nothing but musl and, from the second test on, libstdc++. */

setDefaultTimeout(300_000);

const reason = await reasonAgainstMusl();
const onMusl = test.skipIf(reason !== null);
if (reason !== null) test.skip(`the executable for musl is not run: ${reason}`, () => {});

const folder = await createDirectory();
const command = commandIn(folder.path);
beforeAll(() => {
  if (reason === null) buildForMusl(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

onMusl("without libstdc++, nothing but its functions is missing", async () => {
  const { exitCode, err } = await runProgram(["version"], { command });
  expect(exitCode).not.toBe(0);
  const lines = err.trim().split("\n");
  expect(lines.filter((line) => line.startsWith("Error loading"))).toEqual([
    "Error loading shared library libstdc++.so.6: No such file or directory (needed by /outreachd)",
  ]);
  // Names of C++ and of its runtime. A missing function of C would be one that this musl lacks.
  const missing = lines.flatMap(
    (line) => /^Error relocating \/outreachd: (\S+): symbol not found$/.exec(line)?.[1] ?? [],
  );
  expect(missing.filter((name) => !/^(_Z|__cxa_|__once_proxy|__dynamic_cast|_Unwind_)/.test(name))).toEqual([]);
});

onMusl("with libstdc++, it stores leads, searches prospects, trains a voice, and stops", async () => {
  addCxxLibrary(folder.path);
  const { exitCode, out, err } = await runProgram(["version"], { command });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("linux x64");

  const env = { OUTREACHD_RATE_LIMIT_MINUTE: "0", OUTREACHD_RATE_LIMIT_HOUR: "0", OUTREACHD_RATE_LIMIT_DAY: "0" };
  await using server = await startServer("/data", { command, env });
  const { key } = server.firstRun!;
  const send = async <T>(path: string, body?: unknown, type = "application/json") => {
    const response = await fetch(server.url + path, {
      headers: { "x-api-key": key, ...(typeof body === "string" && { "content-type": type }) },
      ...(body !== undefined && { method: "POST", body: body as string | FormData }),
    });
    const { data } = (await response.json()) as { data: T };
    return { status: response.status, data };
  };
  const jobOf = (id: string) =>
    eventually(
      "the job to end",
      async () => {
        const { data } = await send<{ status: string; message: string }>(`/api/v2/users/jobs/${id}`);
        return ["completed", "failed"].includes(data.status) ? data : null;
      },
      { patienceMs: 200_000 },
    );

  expect((await send("/api/v2/leads", JSON.stringify({ email: "ada@example.com" }))).status).toBe(200);
  const leads = await send<{ leads: { email: string }[] }>("/api/v2/leads?search=ada");
  expect(leads.data.leads.map(({ email }) => email)).toEqual(["ada@example.com"]);

  const started = await send<{ id: string }>("/api/v2/prospecting/import", people, "text/csv");
  expect((await jobOf(started.data.id)).status).toBe("completed");
  const query = JSON.stringify({ filters: { person: { title: ["VP Engineering"] } }, dryRun: true });
  expect((await send<{ total: number }>("/api/v2/prospecting/search", query)).data.total).toBe(2);

  const clone = await send<{ voiceId: string; jobId: string }>(
    clonesPath,
    cloneForm([["ada.wav", await spokenWav(13, "slt")]]),
  );
  expect(await jobOf(clone.data.jobId)).toMatchObject({ status: "completed" });
  const spoken = await fetch(`${server.url}${clonesPath}/${clone.data.voiceId}/preview`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ text: "Hello Grace, this is Ada." }),
  });
  expect([spoken.status, (await spoken.arrayBuffer()).byteLength > 10_000]).toEqual([200, true]);

  expect((await server.stop()).exitCode).toBe(0);
  expect(existsSync(join(folder.path, "data/outreachd.db"))).toBe(true);
});
