import { expect, test } from "bun:test";
import {
  and,
  andNot,
  bytesOf,
  containerOf,
  countAnd,
  countOf,
  has,
  isBits,
  MutableContainer,
  or,
  select,
  type Container,
} from "../../src/lib/search-index/container.ts";
import { seeded } from "../support/random.ts";

const random = seeded(11);

/** Numbers with about `share` of all, and the container of them. */
function sample(share: number): { set: Set<number>; container: Container } {
  const set = new Set<number>();
  const mutable = new MutableContainer();
  const count = Math.round(share * 65_536);
  for (let n = 0; n < count; n++) {
    const number = Math.floor(random() * 65_536);
    if (mutable.add(number) === set.has(number)) throw new Error(`add(${number}) is wrong`);
    set.add(number);
  }
  expect(mutable.count).toBe(set.size);
  return { set, container: mutable.freeze() };
}

function listed(container: Container): number[] {
  return select(container, 0, 65_536);
}

const ascending = (set: Set<number>): number[] => [...Uint32Array.from(set).sort()];
/** Empty, lists, at the border between the two forms, bits, nearly full. */
const samples = [0, 0.0001, 0.02, 0.062, 0.065, 0.3, 3].map(sample);

test("a container holds what was added, as a list while that is smaller and as bits from then on", () => {
  for (const { set, container } of samples) {
    expect(listed(container).join()).toBe(ascending(set).join());
    expect(isBits(container)).toBe(set.size >= 4096);
    expect(countOf(container)).toBe(set.size);
    for (const number of [0, 1, 31, 32, 4095, 65_535]) expect(has(container, number)).toBe(set.has(number));
  }
});

test("the operations are those of sets, whatever the forms", () => {
  for (const a of samples)
    for (const b of samples) {
      expect(listed(and(a.container, b.container)).join()).toBe(ascending(a.set.intersection(b.set)).join());
      expect(listed(andNot(a.container, b.container)).join()).toBe(ascending(a.set.difference(b.set)).join());
      expect(listed(or([a.container, b.container])).join()).toBe(ascending(a.set.union(b.set)).join());
      expect(countAnd(a.container, b.container)).toBe(a.set.intersection(b.set).size);
    }
  const [, one, two, , , three] = samples;
  expect(listed(or([one!.container, two!.container, three!.container]))).toEqual(
    ascending(one!.set.union(two!.set).union(three!.set)),
  );
  expect(listed(or([]))).toEqual([]);
});

test("a part is selected by rank", () => {
  for (const { set, container } of samples) {
    const all = ascending(set);
    for (const skip of [0, 1, 40, Math.max(0, all.length - 3), all.length, all.length + 5])
      expect(select(container, skip, 7)).toEqual(all.slice(skip, skip + 7));
  }
});

test("a container comes back from its bytes as it was, also from the middle of a larger buffer", () => {
  for (const { set, container } of samples) {
    const larger = new Uint8Array(container.byteLength + 3);
    larger.set(bytesOf(container), 3);
    expect(listed(containerOf(larger.subarray(3))).join()).toBe(ascending(set).join());
  }
});

test("adding and removing at random keeps step with a set, and what is frozen stays as it was", () => {
  const mutable = new MutableContainer();
  const set = new Set<number>();
  for (let n = 0; n < 30_000; n++) {
    const number = Math.floor(random() * 9000);
    if (random() < 0.7) {
      if (mutable.add(number) === set.has(number)) throw new Error(`add(${number}) is wrong`);
      set.add(number);
    } else if (mutable.remove(number) !== set.delete(number)) throw new Error(`remove(${number}) is wrong`);
  }
  expect(listed(mutable.view()).join()).toBe(ascending(set).join());
  const frozen = mutable.freeze();
  const before = ascending(set);
  const next = new MutableContainer(frozen);
  for (const number of before.slice(0, 3000)) next.remove(number);
  next.add(65_000);
  expect(listed(frozen)).toEqual(before);
  expect(next.count).toBe(set.size - 3000 + 1);
  expect(listed(next.view())).toEqual([...before.slice(3000), 65_000]);
});

test.each([
  ["few behind all others", [1, 5], [9, 4000, 65_535]],
  ["few among others", [1, 5, 9], [0, 5, 7]],
  ["many among others", Array.from({ length: 1000 }, (_, n) => n * 60), [3, 60, 61]],
  ["so many that a list is too long", [1, 5], Array.from({ length: 5000 }, (_, n) => n * 3)],
])("numbers that ascend are added together: %s", (_, before, added) => {
  const mutable = new MutableContainer(Uint16Array.from(before));
  const all = new Set([...before, ...added]);
  // Of a list of numbers of a million: their upper halves are for others.
  const numbers = Uint32Array.from([4, ...added.map((number) => 65_536 + number), 6]);
  expect(mutable.addAll(numbers, 1, 1 + added.length)).toBe(all.size - before.length);
  expect(mutable.count).toBe(all.size);
  expect(listed(mutable.freeze())).toEqual(ascending(all));
});
