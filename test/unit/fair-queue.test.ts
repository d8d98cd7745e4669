import { expect, test } from "bun:test";
import { FairQueue, type Place } from "../../src/lib/concurrency/fair-queue.ts";
import { seeded } from "../support/random.ts";

const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Places that write down in which order they got their turns. */
function recording(limits: Partial<ConstructorParameters<typeof FairQueue>[0]> = {}) {
  const queue = new FairQueue({ perOwner: 100, total: 1000, ...limits });
  const turns: string[] = [];
  const join = (name: string, signal = never): Place => {
    const place = queue.join(name[0]!);
    void place.turn(signal).then(
      () => turns.push(name),
      () => {},
    );
    return place;
  };
  return { queue, turns, join };
}

/** Names are places, their first letters the owners; each gives up its turn before the next one is looked at. */
const orders: [string[], string[]][] = [
  [["a1", "a2", "a3"], ["a1", "a2", "a3"]],
  [["a1", "a2", "a3", "b1"], ["a1", "b1", "a2", "a3"]],
  [["a1", "b1", "a2", "b2", "a3", "b3"], ["a1", "b1", "a2", "b2", "a3", "b3"]],
  [["a1", "a2", "a3", "a4", "b1", "b2", "c1"], ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]],
]; // prettier-ignore

for (const [asked, given] of orders)
  test(`places asked for as ${asked.join(" ")} get their turns as ${given.join(" ")}`, async () => {
    const { turns, join } = recording();
    const places = new Map(asked.map((name) => [name, join(name)]));
    for (let n = 0; n < given.length; n++) {
      await settled();
      expect(turns).toEqual(given.slice(0, n + 1));
      places.get(turns.at(-1)!)!.leave();
    }
  });

test("while an owner waits, no other one gets two turns, and no turn stays unused", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = seeded(seed);
    const draw = (below: number) => Math.floor(random() * below);
    const { turns, join } = recording();
    const waiting = new Map<string, Place>();
    const running = new Map<string, Place>();
    /** Of each owner that waits: who got a turn since it began to wait, or since its last turn. */
    const overtakenBy = new Map<string, string[]>();
    let seen = 0;
    for (let step = 0; step < 120; step++) {
      const leaving = [...(draw(4) === 0 ? waiting : running)];
      if (draw(2) === 0 || leaving.length === 0) {
        const name = `${"aaabcd"[draw(6)]!}${step}`;
        waiting.set(name, join(name));
      } else {
        const [name, place] = leaving[draw(leaving.length)]!;
        place.leave();
        place.leave();
        waiting.delete(name);
        running.delete(name);
      }
      await settled();
      for (const name of turns.slice(seen)) {
        running.set(name, waiting.get(name)!);
        waiting.delete(name);
        overtakenBy.delete(name[0]!);
        for (const others of overtakenBy.values()) others.push(name[0]!);
      }
      seen = turns.length;
      const owners = new Set([...waiting.keys()].map((name) => name[0]!));
      for (const owner of overtakenBy.keys()) if (!owners.has(owner)) overtakenBy.delete(owner);
      for (const owner of owners) if (!overtakenBy.has(owner)) overtakenBy.set(owner, []);
      for (const [owner, others] of overtakenBy)
        expect({ seed, step, owner, others }).toEqual({ seed, step, owner, others: [...new Set(others)] });
      expect({ seed, step, running: running.size }).toEqual({
        seed,
        step,
        running: Math.min(1, running.size + waiting.size),
      });
    }
  }
});

test("a place that has not asked for its turn holds up nobody, and counts toward the limits", async () => {
  const { queue, turns, join } = recording({ perOwner: 2, total: 3 });
  const arriving = queue.join("a");
  expect(queue.fullFor("a")).toBeNull();
  join("a2");
  await settled();
  expect(turns).toEqual(["a2"]);
  expect([queue.fullFor("a"), queue.fullFor("b")]).toEqual(["owner", null]);
  join("b1");
  expect([queue.fullFor("a"), queue.fullFor("c")]).toEqual(["owner", "everyone"]);
  arriving.leave();
  expect([queue.fullFor("a"), queue.fullFor("c")]).toEqual([null, null]);
});

test("who gives up waiting hears the reason, and its turn passes to the next one", async () => {
  const { queue, turns, join } = recording();
  const first = join("a1");
  const controller = new AbortController();
  const impatient = queue.join("b");
  const refused = impatient.turn(controller.signal).catch((error: Error) => error.message);
  join("c1");
  controller.abort(new Error("gone away"));
  expect(await refused).toBe("gone away");
  impatient.leave();
  first.leave();
  await settled();
  expect(turns).toEqual(["a1", "c1"]);
});
