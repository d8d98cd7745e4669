import type { Country, Region } from "./gazetteer/gazetteer.ts";
import { readPlace, type Area, type NamedCity, type Place } from "./read-place.ts";

/** Index term of a place: a unique value, and a label that filters resolve to that value. */
export type PlaceTerm = { value: string; label: string };

/**
 * Index terms of a place: every city, region, country, and area that it names, and everything that contains them.
 * "Austin, TX" is also in the United States and in Greater Austin; "Greater Boston" is also found by Boston.
 */
export function placeTerms(text: string): PlaceTerm[] {
  const place = readPlace(text);
  const region = place.region ?? place.implied.region;
  const country = place.country ?? place.implied.country;
  const cities = new Map([...place.cities, ...place.centers.map(({ city }) => city)].map((city) => [city.name, city]));
  const ofCenters = region === null ? place.centers.flatMap((center) => center.region ?? []) : [region];
  return [
    ...[...cities.values()].map(cityTerm),
    ...[...place.areas, ...place.around].map(areaTerm),
    ...[...new Set(ofCenters)].map(regionTerm),
    ...(country === null ? [] : [countryTerm(country)]),
  ];
}

/**
 * Values of `placeTerms` that a prospect must have to match a place in a filter. A filter matches everything within its
 * place.
 */
export function wantedPlace(text: string): string[] {
  return valuesOf(readPlace(text));
}

/** The parts of a place, folded and by their common names: austin, texas, and united states for "Austin, TX, USA". */
export function placeParts(text: string): string[] {
  const { cities, areas, region, country } = readPlace(text);
  const parts = [...cities, ...areas, region, country].flatMap((part) => (part === null ? [] : [part.name]));
  return [...new Set(parts)];
}

function valuesOf(place: Place): string[] {
  const { cities, areas, region, country, implied } = place;
  const home = cities.some(({ isOtherName, known }) => isOtherName && known?.hasNamesakes) ? implied.country : null;
  const whole = region ?? country ?? home;
  return [
    ...cities.map(cityValue),
    ...areas.map(areaValue),
    ...(whole === null ? [] : [whole.kind === "region" ? regionValue(whole) : countryValue(whole)]),
  ];
}

// Folded names contain no @, so a city named Lebanon differs from the country.
const cityValue = ({ name }: { name: string }): string => name;
const areaValue = ({ name }: { name: string }): string => `${name}@area`;
const regionValue = ({ name, code }: { name: string; code: string }): string => `${name}@${code}`;
const countryValue = regionValue;

function cityTerm({ name, label, known }: NamedCity): PlaceTerm {
  return { value: name, label: nameFor(name, [label, ...(known?.others ?? [])]) ?? `${label} (city)` };
}

function areaTerm(area: Area): PlaceTerm {
  return { value: areaValue(area), label: area.label };
}

const regionTerm = termOnce(regionValue, (region: Region) => [
  region.label,
  `${region.label}, ${region.country.label}`,
  `${region.label} (state)`,
]);
export const countryTerm = termOnce(countryValue, ({ label }: Country) => [label, `${label} (country)`]);

function termOnce<T extends object>(valueOf: (place: T) => string, labelsOf: (place: T) => string[]) {
  const terms = new Map<T, PlaceTerm>();
  return (place: T): PlaceTerm => {
    const known = terms.get(place);
    if (known !== undefined) return known;
    const [value, labels] = [valueOf(place), labelsOf(place)];
    const term = { value, label: nameFor(value, labels) ?? labels[0]! };
    terms.set(place, term);
    return term;
  };
}

/** The first label that filters resolve to exactly this value. */
function nameFor(value: string, labels: readonly string[]): string | null {
  return labels.find((label) => isOnly(value, wantedPlace(label))) ?? null;
}

function isOnly(value: string, values: readonly string[]): boolean {
  return values.length === 1 && values[0] === value;
}
