import type { Clock } from "../../platform/base/clock.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { WeekView } from "./model.ts";
import type { StatisticsStore } from "./store.ts";
import { weeksUntil } from "./weeks.ts";

/** What was sent, and what came of it, over time. */
export class StatisticsService {
  readonly #store: StatisticsStore;
  readonly #clock: Clock;

  constructor(store: StatisticsStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The last `count` weeks, oldest first, those without activity too. */
  async weekly(workspaceId: WorkspaceId, count: number, timeZone: string): Promise<WeekView[]> {
    const weeks = weeksUntil(this.#clock.now(), count, timeZone);
    const bounds = [...weeks.map(({ from }) => from), weeks.at(-1)!.to];
    const counts = await this.#store.activity(workspaceId, bounds);
    return weeks.map(({ monday }, index) => {
      const { invites, messages, accepted, replied } = counts[index]!;
      return { week: monday, invites, messages, sent: invites + messages, accepted, replied };
    });
  }
}
