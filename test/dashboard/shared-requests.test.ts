import { expect, test } from "bun:test";
import { answerWith } from "../support/page.ts";
import { api } from "../../src/surfaces/dashboard/app/api.ts";
import { shareRequest } from "../../src/surfaces/dashboard/app/shared-requests.ts";

const lead = { "GET /api/v2/leads/1": () => ({ body: { data: { id: "1" } } }) };

test("what several parts of a page read at the same time is requested once", async () => {
  const asked = answerWith({ ...lead, "GET /api/v2/leads/2": () => ({ body: { data: { id: "2" } } }) });
  const answers = await Promise.all(["/leads/1", "/leads/1", "/leads/2"].map((path) => api.get(path)));
  expect(answers).toEqual([{ id: "1" }, { id: "1" }, { id: "2" }]);
  expect(asked).toEqual(["GET /api/v2/leads/1", "GET /api/v2/leads/2"]);
  await api.get("/leads/1");
  expect(asked).toHaveLength(3);
});

test("after a change, data is read again, even if a request from before it still runs", async () => {
  const asked = answerWith({ ...lead, "DELETE /api/v2/leads/1": () => ({ body: { data: null } }) });
  const before = api.get("/leads/1");
  await api.delete("/leads/1");
  await Promise.all([before, api.get("/leads/1")]);
  expect(asked.filter((request) => request.startsWith("GET"))).toHaveLength(2);
});

test("a shared request is aborted when the last who waits for it is, and not before", async () => {
  let isAborted = false;
  const send = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => {
      signal.addEventListener("abort", () => {
        isAborted = true;
        reject(signal.reason as Error);
      });
    });
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [first, second].map(({ signal }) =>
    shareRequest("/slow", signal, send).catch((error: Error) => error.name),
  );
  first.abort();
  expect(await results[0]).toBe("AbortError");
  expect(isAborted).toBe(false);
  second.abort();
  expect(await results[1]).toBe("AbortError");
  expect(isAborted).toBe(true);
});

test("an aborted request is not shared with who comes next", async () => {
  const abort = new AbortController();
  const stuck = shareRequest("/next", abort.signal, () => Promise.withResolvers<string>().promise).catch(
    () => "aborted",
  );
  abort.abort();
  expect(await shareRequest("/next", undefined, async () => "new")).toBe("new");
  expect(await stuck).toBe("aborted");
});
