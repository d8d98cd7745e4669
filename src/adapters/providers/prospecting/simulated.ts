import type { ProspectDraft } from "../../../features/prospecting/content.ts";
import { prospectSources, type SearchFilters } from "../../../features/prospecting/model.ts";
import type { ProspectProvider } from "../../../features/prospecting/provider.ts";
import { pickOf } from "../simulated-draw.ts";

const firstNames = ["Ada", "Grace", "Linus", "Joan", "Alan", "Margaret", "Edsger", "Barbara"];
const lastNames = ["Hart", "Quill", "Stone", "Marsh", "Vale", "Wren", "Frost", "Lane"];
const companies = ["Northwind", "Blue Yonder", "Acme", "Globex", "Initech", "Umbra"];
/** Number of people in each source. */
const people = 500;

/**
 * Live sources without requests. Each has the same people in every run of a seed, and all of them match every search.
 */
export function createSimulatedSources(seed: number): ProspectProvider[] {
  const names = prospectSources.filter((name) => name !== "directory");
  return names.map((name) => ({
    name,
    async search({ filters, limit, offset }) {
      const count = Math.max(0, Math.min(limit, people - offset));
      const prospects = Array.from({ length: count }, (_, at) =>
        personOf(`${name} ${offset + at}`, offset + at, filters, seed),
      );
      return { kind: "found", total: people, prospects };
    },
  }));
}

function personOf(
  who: string,
  number: number,
  { person, company: wanted }: SearchFilters,
  seed: number,
): ProspectDraft {
  const pick = (list: readonly string[], what: string): string => pickOf(list, seed, `${who} ${what}`);
  const [firstName, lastName, company] = [
    pick(firstNames, "first"),
    pick(lastNames, "last"),
    pick(companies, "company"),
  ];
  const place = `${firstName}-${lastName}-${number}`.toLowerCase();
  const title = person?.title?.[0] ?? "Manager";
  const industry = wanted?.industry?.[0];
  return {
    firstName,
    lastName,
    company,
    title,
    ...(industry !== undefined && { industry }),
    email: `${place}@example.com`,
    networkUrl: `https://network.example/in/${place}`,
    confidence: 0.9,
  };
}
