import { expect, test } from "bun:test";
import type { CampaignStep } from "../../src/features/campaigns/model.ts";
import { layoutOf } from "../../src/surfaces/dashboard/app/pages/campaigns/editor/flow-layout.ts";
import { edited, historyOf, redone, undone } from "../../src/surfaces/dashboard/app/pages/campaigns/editor/history.ts";
import {
  duplicate,
  insert,
  listAt,
  maxDepth,
  move,
  moveBy,
  pathsInOrder,
  remove,
  slotOf,
  stepAt,
  type Direction,
  type Steps,
} from "../../src/surfaces/dashboard/app/pages/campaigns/editor/program-edit.ts";
import { pick, seeded } from "../support/random.ts";

const wait = (days: number): CampaignStep => ({ type: "wait", days });
const branch = (yes: CampaignStep[] = [], no: CampaignStep[] = []): CampaignStep => {
  return { type: "branch", condition: "connected", withinDays: 1, yes, no };
};
/** 0: wait 1, 1: branch (wait 2, wait 3 | wait 4), 2: wait 5. */
const program = [wait(1), branch([wait(2), wait(3)], [wait(4)]), wait(5)];
/** "1 (2 3 | 4) 5" for the days of the waits. */
function drawn(steps: Steps): string {
  return steps
    .map((step) =>
      step.type === "branch" ? `(${drawn(step.yes)} | ${drawn(step.no)})` : step.type === "wait" ? step.days : "?",
    )
    .join(" ");
}

test("steps are inserted, duplicated, and removed at any depth, and the program before stays as it was", () => {
  const before = structuredClone(program);
  expect(drawn(insert(program, { list: "1.no", index: 1 }, wait(9))!.steps)).toBe("1 (2 3 | 4 9) 5");
  expect(duplicate(program, "1.yes.0")).toMatchObject({ selected: "1.yes.1" });
  expect(drawn(duplicate(program, "1")!.steps)).toBe("1 (2 3 | 4) (2 3 | 4) 5");
  expect(remove(program, "1.yes.1")).toMatchObject({ selected: "1.yes.0" });
  expect(remove(program, "1.no.0")).toMatchObject({ selected: "1" });
  expect(remove([wait(1)], "0")).toEqual({ steps: [], selected: null });
  expect(program).toEqual(before);
});

test("a moved step is found at its new place, and nothing else changes", () => {
  expect(move(program, "0", { list: "1.yes", index: 1 })).toMatchObject({ selected: "0.yes.1" });
  expect(drawn(move(program, "0", { list: "1.yes", index: 1 })!.steps)).toBe("(2 1 3 | 4) 5");
  expect(drawn(move(program, "2", { list: "", index: 0 })!.steps)).toBe("5 1 (2 3 | 4)");
  expect(drawn(move(program, "1.yes.0", { list: "1.yes", index: 2 })!.steps)).toBe("1 (3 2 | 4) 5");
  expect(move(program, "1", { list: "1.yes", index: 0 })).toBeNull();
  expect(move(program, "0", { list: "", index: 1 })).toBeNull();
});

test("by keys, a step goes through a branch and to its other side", () => {
  const seen = [drawn(program)];
  let at = { steps: program, selected: "0" as string | null };
  for (const direction of ["down", "right", "left", "down", "down", "down", "down"] as Direction[]) {
    at = moveBy(at.steps, at.selected!, direction)!;
    seen.push(drawn(at.steps));
  }
  expect(seen).toEqual([
    "1 (2 3 | 4) 5",
    "(1 2 3 | 4) 5",
    "(2 3 | 1 4) 5",
    "(1 2 3 | 4) 5",
    "(2 1 3 | 4) 5",
    "(2 3 1 | 4) 5",
    "(2 3 | 4) 1 5",
    "(2 3 | 4) 5 1",
  ]);
  expect(moveBy(at.steps, at.selected!, "down")).toBeNull();
});

test("branches are not nested more deeply than the server accepts", () => {
  let deep: CampaignStep[] = [];
  let list = "";
  for (let level = 0; level < maxDepth; level++) {
    deep = insert(deep, { list, index: 0 }, branch())!.steps;
    list = list === "" ? "0.yes" : `${list}.0.yes`;
  }
  expect(insert(deep, { list, index: 0 }, branch())).toBeNull();
  expect(insert(deep, { list, index: 0 }, wait(1))).not.toBeNull();
  expect(move([branch(), ...deep], "0", { list: list.replace(/^0/, "1"), index: 0 })).toBeNull();
});

test("random moves keep every step once, and undoing all of them leads back", () => {
  const random = seeded(7);
  let history = historyOf<Steps>(program);
  const days = (steps: Steps) => pathsInOrder(steps).flatMap((path) => { const step = stepAt(steps, path); return step?.type === "wait" ? [step.days ?? 0] : []; }).toSorted((a, b) => a - b); // prettier-ignore
  for (let n = 0; n < 500; n++) {
    const { present } = history;
    const paths = pathsInOrder(present);
    const from = pick(paths, random);
    const gaps = layoutOf(present).gaps;
    const result = random() < 0.5 ? move(present, from, pick(gaps, random).slot) : moveBy(present, from, pick(["up", "down", "left", "right"] as const, random)); // prettier-ignore
    if (result === null) continue;
    expect(stepAt(result.steps, result.selected!)).toEqual(stepAt(present, from));
    expect(days(result.steps)).toEqual(days(program));
    history = edited(history, result.steps);
  }
  expect(history.past.length).toBeGreaterThan(50);
  const last = history.present;
  let back = history;
  while (back.past.length > 0) back = undone(back);
  while (back.future.length > 0) back = redone(back);
  expect(back.present).toEqual(last);
});

test("keystrokes in one field are undone together", () => {
  let history = historyOf("");
  for (const text of ["H", "He", "Hey"]) history = edited(history, text, "0 message");
  history = edited(history, "Hey!", "1 message");
  expect(undone(history).present).toBe("Hey");
  expect(undone(undone(history)).present).toBe("");
  expect(redone(undone(history)).present).toBe("Hey!");
});

test("no two steps overlap, whatever the program is, and every gap is a place to insert", () => {
  const nested = [wait(1), branch([branch([wait(2)], [branch([], [wait(3)])])], [wait(4), branch()]), wait(5)];
  const { nodes, gaps, width, height } = layoutOf(nested);
  expect(nodes.map(({ path }) => path)).toEqual(["start", ...pathsInOrder(nested), "end"]);
  for (const a of nodes) {
    expect([a.x >= 0, a.x + a.width <= width, a.y + a.height <= height]).toEqual([true, true, true]);
    for (const b of nodes)
      if (a !== b)
        expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
          true,
        );
  }
  const slots = gaps.map(({ slot: { list, index } }) => `${list}:${index}`);
  expect(new Set(slots).size).toBe(slots.length);
  for (const path of pathsInOrder(nested)) {
    const { list, index } = slotOf(path);
    expect(slots).toContain(`${list}:${index}`);
    expect(slots).toContain(`${list}:${listAt(nested, list).length}`);
  }
});
