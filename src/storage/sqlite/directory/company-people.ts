import type { CompanyNews } from "../../../prospecting/company-news.ts";
import type { Engine } from "../engine.ts";
import type { ProspectIndex } from "./prospect-index.ts";
import type { ProspectRows } from "./prospect-rows.ts";

/** People that are looked at in one write unit: some milliseconds. */
const peopleAtOnce = 200;

/** Tells people what a file says of their companies. */
export function createCompanyPeople({ writer }: Pick<Engine, "writer">, index: ProspectIndex, rows: ProspectRows) {
  /**
   * To everybody who is stored, some at a time. False as soon as `isHeld`, which is asked in each write, says no. All of
   * it may be done twice, so that a crash in between loses nothing of what is told once more.
   */
  async function tellAll(owner: number, news: CompanyNews, at: number, isHeld: () => boolean): Promise<boolean> {
    const { keys } = news;
    if (keys.length === 0) return true;
    const pairs = await index.find(owner, keys, Number.POSITIVE_INFINITY, rows.next(owner));
    const people = pairs.filter((_, place) => place % 2 === 1).sort();
    for (let from = 0; from < people.length; from += peopleAtOnce) {
      const some = new Set(people.subarray(from, from + peopleAtOnce));
      const tellSome = () => isHeld() && tell(owner, some, news, at);
      if (!(await writer.writeRepeated(() => rows.unit(owner, tellSome)))) return false;
    }
    return true;
  }

  /** Inside a unit. */
  function tell(owner: number, numbers: Iterable<number>, news: CompanyNews, at: number): true {
    for (const number of numbers) {
      const person = rows.get(owner, number);
      if (person !== null) rows.update(person, news.toldTo(person.content), at);
    }
    return true;
  }

  return { tellAll, tell };
}
