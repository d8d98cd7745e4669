import { garbageCollector } from "../../../../lib/concurrency/garbage.ts";
import { pause } from "../../../../lib/concurrency/pause.ts";
import type { CompanyNews } from "../../../../features/prospecting/company-news.ts";
import { tellPeople } from "../../../../features/prospecting/directory-decisions.ts";
import type { Engine } from "../engine.ts";
import type { ProspectCompanies } from "./prospect-companies.ts";
import type { ProspectIndex } from "./prospect-index.ts";
import type { ProspectRows } from "./prospect-rows.ts";

/** People per write unit: two or three milliseconds. */
const peopleAtOnce = 100;
/** About 2,000 people. */
const unitsBetweenCollections = 20;
/** People per question to the index: many, because each question walks through all people of a company. */
const peopleOfSlice = 16_384;

/** Updates people with what a file says about their companies. */
export function createCompanyPeople(
  { writer }: Pick<Engine, "writer">,
  index: ProspectIndex,
  rows: ProspectRows,
  companies: ProspectCompanies,
) {
  /**
   * Updates all stored people of the companies, in slices and in constant memory. Returns false as soon as `isHeld`, which
   * is called in each write, returns false. Repeating it has no effect, so it is simply repeated after a crash.
   */
  async function tellAll(owner: number, news: CompanyNews, at: number, isHeld: () => boolean): Promise<boolean> {
    const { keys } = news;
    if (keys.length === 0) return true;
    const before = rows.next(owner);
    const collect = garbageCollector(unitsBetweenCollections, Number.POSITIVE_INFINITY);
    const ask = (from: number) => index.people(owner, keys, from, peopleOfSlice, before);
    for (let asked: Promise<Uint32Array> | null = ask(0); asked !== null;) {
      const people: Uint32Array = await asked;
      const isLast = people.length < peopleOfSlice;
      asked = isLast ? null : ask(people.at(-1)! + 1);
      // Awaited when these are updated; until then, a failure must not count as unhandled.
      asked?.catch(() => undefined);
      for (let from = 0; from < people.length; from += peopleAtOnce) {
        const some = people.subarray(from, from + peopleAtOnce);
        const tellSome = () => {
          const mayTell = isHeld();
          if (mayTell) tellPeople(rows.records(owner, noHints, companies), some, news, at);
          return mayTell;
        };
        if (!(await writer.writeRelaxed(() => rows.unit(owner, tellSome)))) return false;
        await pause(); // see garbageCollector
        collect();
      }
    }
    return true;
  }

  return { tellAll };
}

const noHints = () => [];
