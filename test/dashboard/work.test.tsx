import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { WorkPage } from "../../src/surfaces/dashboard/app/pages/queue/work-page.tsx";
import type { TaskView } from "../../src/features/network/action-model.ts";

function task(name: string, change: Partial<TaskView> = {}): TaskView {
  const person = { profileUrl: `https://network.example/in/${name}`, message: `Hello ${name}`, leadId: null };
  const kind = { actionType: "sendMessage", label: "Message" } as const;
  return { jobId: name, accountId: "a", ...kind, ...person, details: {}, since: "2026-01-05T10:00:00Z", ...change };
}

async function withTasks(...names: string[]) {
  let left = names.map((name) => task(name));
  const ended: [string, unknown][] = [];
  const complete = (name: string) => (body: unknown) => {
    ended.push([name, body]);
    left = left.filter(({ jobId }) => jobId !== name);
    return { body: { success: true, data: {} } };
  };
  answerWith({
    "GET /api/v2/network/tasks?limit=100": () => ({
      body: { success: true, data: { tasks: left, total: left.length } },
    }),
    ...Object.fromEntries(names.map((name) => [`POST /api/v2/network/tasks/${name}/complete`, complete(name)])),
  });
  const place = await show(<WorkPage />);
  await settled();
  return { place, ended };
}

async function press(key: string, target: EventTarget = document.body): Promise<void> {
  await change(() => void target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
  await settled();
}

const current = (place: HTMLElement) => place.querySelector("article h2")?.textContent;

test("Done and Skip end the current action and show the next one", async () => {
  signInAs();
  const { place, ended } = await withTasks("ada", "grace", "alan");
  expect(current(place)).toBe("Message to ada");
  await press("j");
  expect(current(place)).toBe("Message to grace");
  await press("d");
  expect(current(place)).toBe("Message to alan");
  await press("k");
  await press("S");
  expect(ended).toEqual([
    ["grace", { outcome: "completed" }],
    ["ada", { outcome: "skipped" }],
  ]);
  expect(current(place)).toBe("Message to alan");
});

test("ignores shortcuts in text fields and with modifier keys", async () => {
  signInAs();
  const { place, ended } = await withTasks("ada");
  const field = document.createElement("textarea");
  place.append(field);
  await press("d", field);
  await change(() => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "d", ctrlKey: true, bubbles: true }));
  });
  expect(ended).toEqual([]);
});

test("shows the name of a person if it is known", async () => {
  signInAs();
  const tasks = [task("ada-l", { personName: "Ada Lovelace" }), task("grace", { personName: null })];
  answerWith({
    "GET /api/v2/network/tasks?limit=100": () => ({ body: { success: true, data: { tasks, total: 2 } } }),
  });
  const place = await show(<WorkPage />);
  await settled();
  expect(current(place)).toBe("Message to Ada Lovelace");
  expect(place.querySelector("article")?.textContent).toContain("ada-l");
  expect([...place.querySelectorAll(".task-list span:first-child")].map((one) => one.textContent)).toEqual([
    "Ada Lovelace",
    "grace",
  ]);
});

test("a read-only key sees the list and cannot end actions", async () => {
  signInAs({ permissions: ["network:read"] });
  const { place, ended } = await withTasks("ada");
  await press("d");
  expect(ended).toEqual([]);
  const buttons = [...place.querySelectorAll<HTMLButtonElement>(".task-ends > .button")];
  expect(buttons.map(({ disabled }) => disabled)).toEqual([true, true, true]);
});
