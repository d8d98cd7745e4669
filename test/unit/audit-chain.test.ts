import { describe, expect, test } from "bun:test";
import {
  beginningOfChain,
  checkChain,
  nextLink,
  oldestBefore,
  standingInChain,
  type ChainLink,
} from "../../src/platform/auth/audit/chain.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";

function chainOf(length: number): ChainLink[] {
  const links: ChainLink[] = [];
  for (let n = 1; n <= length; n++) {
    const event = { action: "key.created", workspaceId: "ada", target: { type: "key", id: `key-${n}` } } as const;
    links.push(nextLink(links.at(-1) ?? beginningOfChain, auditEntry(null, n, event)));
  }
  return links;
}

const checkAll = (links: readonly ChainLink[], end: ChainLink | undefined = links.at(-1)) =>
  checkChain(beginningOfChain, links, { limit: 100, end: end ?? null });

describe("the chain of the audit log", () => {
  test("is whole as it was written", () => {
    const links = chainOf(3);
    const last = { seq: 3, hash: links[2]!.hash };
    expect(checkAll(links)).toEqual({ checked: 3, last, brokenAt: null, more: false });
    expect(checkChain(beginningOfChain, links.slice(0, 2), { limit: 2, end: last })).toMatchObject({
      brokenAt: null,
      more: true,
    });
  });

  test("breaks at an entry that was changed, is missing, or was cut off", () => {
    const links = chainOf(4);
    const changed = links.map((link) => (link.seq === 2 ? { ...link, entry: { ...link.entry, keyName: "x" } } : link));
    expect(checkAll(changed).brokenAt).toBe(2);
    expect(checkAll(links.filter(({ seq }) => seq !== 2)).brokenAt).toBe(3);
    expect(checkAll(links.slice(0, 3), links[3]).brokenAt).toBe(4);
    expect(checkAll([], links[3]).brokenAt).toBe(1);
  });

  test("knows of an entry whether it is still the same", () => {
    const [first, second, third] = chainOf(3) as [ChainLink, ChainLink, ChainLink];
    expect(standingInChain(third, null, third.hash)).toBe("same");
    expect(standingInChain(third, null, second.hash)).toBe("changed");
    expect(standingInChain(third, null, null)).toBe("missing");
    expect(standingInChain(first, second, null)).toBe("expired");
    expect(standingInChain(second, second, null)).toBe("same");
  });

  test("is shortened only from its beginning", () => {
    const at = (...times: number[]) => times.map((time) => ({ at: time }));
    expect(oldestBefore(at(1, 2, 3), 3)).toEqual(at(1, 2));
    expect(oldestBefore(at(5, 2, 3), 3)).toEqual([]);
    expect(oldestBefore(at(1, 2), 3)).toEqual(at(1, 2));
  });
});
