import { folded } from "../../../../platform/identity/names.ts";
import { cityLines } from "./cities.ts";
import { countryLines, territoriesOf } from "./countries.ts";
import { metroLines } from "./metros.ts";
import { regionsByCode, regionsByName, sharedRegionNames } from "./regions.ts";

export type Country = { kind: "country"; code: string; name: string; label: string };
export type Region = { kind: "region"; code: string; name: string; label: string; country: Country };
export type City = { name: string; label: string; others: string[]; of: Country | Region; hasNamesakes: boolean };
/** `within`: codes of the regions or countries with some of its cities. `centers`: the cities in its name. */
export type Metro = { name: string; label: string; of: Country | Region; within: string[]; centers: Center[] };
/** `city` is null if no city of this name is known. */
export type Center = { name: string; label: string; city: City | null; of: Country | Region };
/**
 * A name shared by a country and regions of other countries, such as GA or Georgia. Regions are sorted by likelihood.
 */
export type Disputed = { country: Country; regions: Region[]; isCode: boolean };

/** Finds by name, by a short or foreign form of it, or by an unambiguous code. */
export function countryNamed(name: string): Country | null {
  return tables().countriesByName.get(name) ?? null;
}

export function countryOfCode(code: string): Country | null {
  return tables().countries.get(code) ?? null;
}

export function disputedName(name: string): Disputed | null {
  return tables().disputed.get(name) ?? null;
}

/** Finds by name or code. */
export function regionIn(country: Country, name: string): Region | null {
  return (
    tables()
      .regionsByName.get(name)
      ?.find((region) => region.country === country) ?? null
  );
}

/** Meanings of a name or code without a country, most likely first. `shared` are those that other places use too. */
export function regionsNamed(name: string): { sure: Region[]; shared: Region[] } {
  const { sureRegions, regionsByName: all } = tables();
  return { sure: sureRegions.get(name) ?? none, shared: all.get(name) ?? none };
}

const none: never[] = [];

/** Cities with this name, best known first. */
export function citiesNamed(name: string): City[] {
  return tables().cities.get(name) ?? none;
}

/** Whether the name of a known city starts with the word. */
export function beginsCity(word: string): boolean {
  return tables().beginnings.has(word);
}

export function liesIn(place: Country | Region, whole: Country | Region): boolean {
  return place === whole || (place.kind === "region" && place.country === whole);
}

export function countryOf(place: Country | Region): Country {
  return place.kind === "region" ? place.country : place;
}

/** A territory that may be written next to the country it belongs to. */
export function isTerritoryOf(territory: Country, country: Country): boolean {
  return territoriesOf[country.code]?.split(" ").includes(territory.code) ?? false;
}

/** Areas that "Greater `core`" may mean. */
export function metrosNamed(core: string): Metro[] {
  return tables().metrosByCore.get(core) ?? none;
}

/** The area with this standalone name, such as DFW. */
export function metroNamed(name: string): Metro | null {
  return tables().metrosAlone.get(name) ?? null;
}

/** The areas that contain a city. */
export function metrosAround(city: string, place: Country | Region): Metro[] {
  return tables().metrosAround.get(`${place.code} ${city}`) ?? none;
}

let made: Tables | null = null;

/** Built when the first place is read, to keep startup fast. */
function tables(): Tables {
  return (made ??= new Tables());
}

class Tables {
  readonly countries = new Map<string, Country>();
  /** By code and by each name, except ambiguous ones. */
  readonly countriesByName = new Map<string, Country>();
  readonly regions = new Map<string, Region>();
  readonly regionsByName = new Map<string, Region[]>();
  readonly sureRegions = new Map<string, Region[]>();
  readonly disputed = new Map<string, Disputed>();
  readonly cities = new Map<string, City[]>();
  readonly beginnings = new Set<string>();
  readonly metrosByCore = new Map<string, Metro[]>();
  readonly metrosAlone = new Map<string, Metro>();
  readonly metrosAround = new Map<string, Metro[]>();

  constructor() {
    this.#readCountries();
    this.#readRegions(regionsByCode, true);
    this.#readRegions(regionsByName, false);
    this.#findDisputed();
    this.#readCities();
    this.#readMetros();
  }

  #readCountries(): void {
    for (const line of countryLines.trim().split("\n")) {
      const [code = "", longCode = ""] = line.split(" ", 2);
      const names = listed(line.slice(code.length + longCode.length + 2));
      const country: Country = { kind: "country", code, name: folded(names[0]!), label: names[0]! };
      this.countries.set(code, country);
      for (const name of [code, longCode, ...names]) this.countriesByName.set(folded(name), country);
    }
  }

  #readRegions(lines: Record<string, string>, isWrittenByCode: boolean): void {
    for (const [of, line] of Object.entries(lines))
      for (const entry of listed(line)) {
        const at = entry.indexOf(" ");
        const code = entry.slice(0, at);
        const [label = "", ...others] = entry.slice(at + 1).split("|");
        const country = this.countries.get(of)!;
        const region: Region = { kind: "region", code: `${of}-${code}`, name: folded(label), label, country };
        this.regions.set(region.code, region);
        const names = [label, ...others].map(folded);
        for (const name of [code, ...names]) add(this.regionsByName, name, region);
        if (isWrittenByCode) add(this.sureRegions, code, region);
        const isSure = (name: string) => (isWrittenByCode || name.length > 2) && !sharedRegionNames.includes(name);
        for (const name of names) if (isSure(name)) add(this.sureRegions, name, region);
      }
  }

  #findDisputed(): void {
    for (const [name, regions] of this.sureRegions) {
      const country = this.countriesByName.get(name);
      if (country === undefined) continue;
      this.disputed.set(name, { country, regions, isCode: name.length < 4 });
      this.countriesByName.delete(name);
    }
  }

  #readCities(): void {
    for (const [code, line] of Object.entries(cityLines))
      for (const entry of listed(line)) {
        const [first = "", ...others] = entry.split("|");
        const label = first.replace("~", "");
        const of = this.#placeOf(code);
        const city: City = { name: folded(label), label, others, of, hasNamesakes: first !== label };
        for (const name of [label, ...others].map(folded)) {
          add(this.cities, name, city);
          this.beginnings.add(name.split(" ", 1)[0]!);
        }
      }
  }

  #readMetros(): void {
    for (const { name: label, of, names = "", cities } of metroLines) {
      const inside = new Map(Object.entries(cities).map(([code, line]) => [code, listed(line).map(folded)]));
      const within = [...inside.keys()];
      const metro: Metro = { name: folded(label), label, of: this.#placeOf(of), within, centers: [] };
      for (const [code, list] of inside) for (const city of list) add(this.metrosAround, `${code} ${city}`, metro);
      const [[center = ""] = []] = inside.values();
      const written = ` ${metro.name}  ${metro.name.replace(/\bst\b/, "saint")} `;
      for (const [code, line] of Object.entries(cities))
        for (const city of listed(line))
          if (folded(city) === center || written.includes(` ${folded(city)} `))
            metro.centers.push(this.#center(code, city));
      for (const core of [center, ...listed(names)]) add(this.metrosByCore, folded(core), metro);
      for (const name of listed(names)) if (name.startsWith("=")) this.metrosAlone.set(folded(name), metro);
    }
  }

  #center(code: string, label: string): Center {
    const [name, of] = [folded(label), this.#placeOf(code)];
    const city = this.cities.get(name)?.find((one) => liesIn(one.of, of)) ?? null;
    return { name: city?.name ?? name, label: city?.label ?? label, city, of };
  }

  #placeOf(code: string): Country | Region {
    return this.regions.get(code) ?? this.countries.get(code)!;
  }
}

function listed(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function add<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [value]);
  else if (!list.includes(value)) list.push(value);
}
