import { expect, test } from "bun:test";
import type { Meter } from "../../src/features/network/meter-model.ts";
import { metersOf, type ActionType } from "../../src/features/network/action-kinds.ts";
import { meterCode } from "../../src/adapters/storage/meter-code.ts";
import { createTimelines } from "../../src/adapters/storage/sqlite/network-timeline.ts";
import { openEngine } from "../../src/adapters/storage/sqlite/engine.ts";
import { migrate, migrations } from "../../src/adapters/storage/sqlite/migrate.ts";
import { createDice } from "../support/ids.ts";

type Taken = { type: ActionType; hasNote: boolean; used: 0 | 1; at: number };

test.each([1, 2, 3])(
  "the moments of a meter are found as in a list, also while what is planned is overdue (seed %d)",
  (seed) => {
    const dice = createDice(seed);
    const engine = openEngine(":memory:");
    migrate(engine.database, migrations, 1);
    engine.database.run("PRAGMA foreign_keys = OFF");
    const insert = engine.database.query(
      "INSERT INTO network_actions (job_id, workspace_id, account, action_type, meter, has_note, profile_url, profile_key," +
        " target_key, details, state, used, slot_at, not_before, draw, created_at, updated_at)" +
        " VALUES (?, 'u', 1, ?, ?, ?, 'p', 'p', 'p', '{}', 'scheduled', ?, ?, 0, 0.5, 1, 1)",
    );
    const { whole, used } = createTimelines(engine);
    const list: Taken[] = [];
    for (let n = 0; n < 250; n++) {
      const type = dice.pick(["sendConnectionRequest", "visitProfile"] as const);
      const hasNote = type === "sendConnectionRequest" && dice.chance(0.5);
      // Used and planned moments lie in each other's midst, and often on each other.
      const taken: Taken = { type, hasNote, used: dice.pick([0, 1]), at: dice.below(300) };
      const [first = "all"] = metersOf(type, hasNote);
      insert.run(`job-${n}`, type, meterCode(first), hasNote ? 1 : 0, taken.used, taken.at);
      list.push(taken);
      for (const meter of ["invites", "notes", "visits", "all"] satisfies Meter[]) {
        const own = list.filter(({ type: of, hasNote: with_ }) => metersOf(of, with_).includes(meter));
        const [from, to, nth] = [dice.below(320), dice.below(320), dice.between(1, 12)];
        for (const [timeline, items] of [
          [whole(1), own],
          [used(1), own.filter((item) => item.used === 1)],
        ] as const) {
          const moments = items.map(({ at }) => at).toSorted((a, b) => a - b);
          expect(timeline.between(meter, from, to)).toEqual(moments.filter((at) => at > from && at <= to));
          expect(timeline.nthBefore(meter, to, nth)).toBe(moments.filter((at) => at <= to).at(-nth) ?? null);
        }
      }
    }
  },
);
