import { memoize } from "../../../platform/base/text.ts";
import { folded } from "../../../platform/identity/names.ts";
import {
  citiesNamed,
  countryNamed,
  countryOf,
  disputedName,
  isTerritoryOf,
  regionIn,
  type Country,
  type Region,
} from "./gazetteer/gazetteer.ts";
import { countryTerm } from "./places.ts";
import { cityAndRegion, likeliestRegion, readPlace, type Place } from "./read-place.ts";

/**
 * Combines city, state, and country columns into one text. Keeps the values as written ("Toronto, ON, CA") unless the
 * result would be read as a different place: Rajkot in country "IN" becomes "Rajkot, India", a lone state "DE" becomes
 * "Delaware", and New York in a city column becomes "New York City".
 */
export function placeOfColumns(city?: Text, state?: Text, country?: Text): string | undefined {
  return city || state || country ? joinedOnce(`${city ?? ""}\0${state ?? ""}\0${country ?? ""}`) : undefined;
}

type Text = string | null;

const joinedOnce = memoize((columns: string) => {
  const [city = "", state = "", country = ""] = columns.split("\0");
  return joinedAs(intendedPlace(city, state, country), city, state, country);
});

type IntendedPlace = { country: Country | null; region: Region | null };

function intendedPlace(city: string, state: string, country: string): IntendedPlace {
  const [wide, name] = [folded(country), folded(state)];
  const dispute = disputedName(wide);
  const told = dispute?.country ?? countryNamed(wide);
  const anywhere = likeliestRegion(name, [{ name: folded(city) }]);
  if (told === null) return { country: null, region: anywhere };
  const region = regionIn(told, name);
  // "CA" in the country column next to California repeats the state.
  const isRepeated = dispute !== null && region === null && anywhere !== null;
  return isRepeated ? { country: null, region: anywhere } : { country: told, region };
}

/** The first spelling that is read as the intended place. */
function joinedAs(meant: IntendedPlace, city: string, state: string, country: string): string {
  const asTold = joined(city, state, country);
  const region = meant.region?.label ?? state;
  const wide = meant.country === null ? country : countryTerm(meant.country).label;
  const other = otherNameOf(city);
  const ways = [asTold, joined(city, region, wide), joined(other, state, country), joined(other, region, wide)];
  return ways.find((way) => isIntended(readPlace(way), meant, state)) ?? asTold;
}

function isIntended({ country, region }: Place, meant: IntendedPlace, state: string): boolean {
  if (meant.country !== null && country !== meant.country)
    if (country === null || !isTerritoryOf(country, meant.country)) return false;
  if (meant.region !== null || region === null) return region === meant.region;
  return state !== "" || region.code === cityAndRegion;
}

/** Unambiguous name of a city that shares its name with a state. */
function otherNameOf(city: string): string {
  const known = citiesNamed(folded(city)).find(({ name, of }) => regionIn(countryOf(of), name) !== null);
  return known?.others[0] ?? city;
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}
