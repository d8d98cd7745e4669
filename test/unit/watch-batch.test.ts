import { expect, test } from "bun:test";
import { batchOf, turnsIn } from "../../src/features/network/watch-batch.ts";
import { seeded } from "../support/random.ts";

type Person = { profileKey: string; since: number };

/** What the store finds, and the position that the service keeps. */
function watching(limit: number) {
  const people: Person[] = [];
  let position = "";
  return {
    people,
    next(): string[] {
      const newest = people.toSorted((a, b) => b.since - a.since).slice(0, limit);
      const inOrder = people.toSorted((a, b) => (a.profileKey < b.profileKey ? -1 : 1));
      const turns = inOrder.filter(({ profileKey }) => profileKey > position).slice(0, turnsIn(limit));
      const batch = batchOf(newest, newest.length < limit ? [] : turns, limit);
      position = batch.position;
      return batch.people.map(({ profileKey }) => profileKey);
    },
  };
}

test.each([1, 2, 7, 50])("with batches of %d, everyone has their turn, and the newest always have", (limit) => {
  const random = seeded(limit);
  for (const count of [1, limit, limit + 1, 2 * limit, 5 * limit + 3, 260]) {
    const { people, next } = watching(limit);
    const nameOf = () => random().toString(36);
    for (let n = 0; n < count; n++) people.push({ profileKey: nameOf(), since: n });
    const lastSeen = new Map(people.map(({ profileKey }) => [profileKey, 0]));
    for (let check = 1; check <= 200; check++) {
      // New people come, and some answer or get another message.
      if (check % 3 === 0) people.push({ profileKey: nameOf(), since: 1000 + check });
      if (check % 7 === 0) people[Math.floor(random() * people.length)]!.since = 1000 + check;
      const batch = next();
      expect(new Set(batch).size).toBe(batch.length);
      expect(batch).toHaveLength(Math.min(limit, people.length));
      const newest = people.toSorted((a, b) => b.since - a.since).slice(0, limit - turnsIn(limit));
      expect(batch).toEqual(expect.arrayContaining(newest.map(({ profileKey }) => profileKey)));
      for (const profileKey of batch) lastSeen.set(profileKey, check);
      const longest = check - Math.min(...lastSeen.values());
      expect(longest).toBeLessThanOrEqual(Math.floor(people.length / turnsIn(limit)) + 1);
    }
  }
});
