import type { Country, Region } from "./gazetteer/gazetteer.ts";
import { readPlace, type Area, type NamedCity, type Place } from "./read-place.ts";

/** What a place is found by: a value that no other place has, and a name for it that a filter reads as that value. */
export type PlaceTerm = { value: string; label: string };

/**
 * What a place is found by: each city, region, country and area that it names or that these lie in. "Austin, TX" lies in
 * the United States and in Greater Austin, too; "Greater Boston" is found by Boston.
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

/** What a place that somebody asks for must be found by: values of `placeTerms`. A filter finds what lies in its place. */
export function wantedPlace(text: string): string[] {
  return valuesOf(readPlace(text));
}

/** The parts of a place, folded, each by its usual name: "Austin, TX, USA" has austin, texas and united states. */
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

// Folded names have no @: a city of Lebanon is not the country.
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

/** The first name that a filter reads as that value and nothing more. */
function nameFor(value: string, labels: readonly string[]): string | null {
  return labels.find((label) => isOnly(value, wantedPlace(label))) ?? null;
}

function isOnly(value: string, values: readonly string[]): boolean {
  return values.length === 1 && values[0] === value;
}
