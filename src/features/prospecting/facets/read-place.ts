import {
  citiesNamed,
  countryNamed,
  countryOf,
  disputedName,
  isTerritoryOf,
  liesIn,
  metroNamed,
  metrosAround,
  metrosNamed,
  regionIn,
  regionsNamed,
  type City,
  type Country,
  type Disputed,
  type Metro,
  type Region,
} from "./gazetteer/gazetteer.ts";
import { cityBeforeRegion } from "./gazetteer/regions.ts";
import { piecesOf, type Piece } from "./place-pieces.ts";

/** An area around a city, which may be unknown: "Greater Toledo". */
export type Area = { name: string; label: string };
export type NamedCity = {
  name: string;
  label: string;
  known: City | null;
  /** The spelling is unique to this city: "Wien" is never Vienna in Virginia. */
  isOtherName: boolean;
};

/** A parsed place. */
export type Place = {
  /** Cities, and everything that is not a country, region, or area: districts, counties, "Remote". */
  cities: NamedCity[];
  /** Areas that are named. */
  areas: Area[];
  /** Areas that contain its cities. */
  around: Area[];
  /** Cities after which areas are named, with their regions. */
  centers: { city: NamedCity; region: Region | null }[];
  region: Region | null;
  country: Country | null;
  /** Region and country that are not named but implied by a known city or area. */
  implied: { region: Region | null; country: Country | null };
};

/**
 * Parses a place as written by people and vendors: "Austin, TX, USA", "Berlin, DE", "Greater Boston", "US -
 * California". Ambiguous names are resolved by their position and by adjacent names.
 */
export function readPlace(text: string): Place {
  const pieces = piecesOf(text);
  const { whole, rest } = wholeOf(pieces);
  if (whole === null) return placeIn(null, null, rest);
  if (whole.kind === "region") return placeIn(whole.country, whole, rest);
  const territory = rest.map(({ name }) => countryNamed(name)).find((other) => other && isTerritoryOf(other, whole));
  const country = territory ?? whole;
  // Nearest first: in "New York, New York, USA", the state follows the city.
  const at = rest.findLastIndex((piece) => canBeRegion(piece, country, rest.length));
  if (at === -1) return placeIn(country, null, rest);
  return placeIn(country, regionIn(country, rest[at]!.name), rest.toSpliced(at, 1));
}

function canBeRegion({ name, is }: Piece, country: Country, pieces: number): boolean {
  if (is === "city" || regionIn(country, name) === null) return false;
  return is === "state" || pieces > 1 || !cityBeforeRegion.includes(name);
}

/** The country or region in last, first, or middle position, and the remaining pieces, smallest first. */
function wholeOf(pieces: readonly Piece[]): { whole: Country | Region | null; rest: Piece[] } {
  const last = pieces.length - 1;
  for (const at of [last, 0, ...pieces.keys().drop(1)]) {
    const piece = pieces[at];
    if (piece === undefined) continue;
    const others = pieces.toSpliced(at, 1);
    const rest = at === 0 ? others.toReversed() : others;
    const whole = meaning(piece, rest);
    if (whole !== null && (at > 0 || mayStandFirst(whole, piece, rest))) return { whole, rest };
  }
  return { whole: null, rest: [...pieces] };
}

/** "Texas, Austin" starts with the state, "Washington, Tyne and Wear" with a city. */
function mayStandFirst(whole: Country | Region, { name, is }: Piece, rest: readonly Piece[]): boolean {
  const isToldApart = whole.kind === "country" || is !== undefined || rest.length === 0 || name.length <= longestCode;
  return isToldApart || rest.some((other) => isCityIn(other.name, whole));
}

const longestCode = 3;

function meaning({ name, is }: Piece, beside: readonly Piece[]): Country | Region | null {
  if (is === "city") return null;
  const dispute = disputedName(name);
  if (is === "country") return dispute?.country ?? countryNamed(name);
  if (dispute !== null && is !== "state") return settled(name, dispute, beside);
  if (is === "state") return likeliestRegion(name, beside) ?? regionsNamed(name).shared[0] ?? null;
  return countryNamed(name) ?? likeliestRegion(name, beside);
}

/** Georgia, CA, DE */
function settled(name: string, { country, regions, isCode }: Disputed, beside: readonly Piece[]): Country | Region {
  const before = beside.at(-1);
  if (before !== undefined && regionIn(country, before.name) !== null) return country;
  const likeliest = likeliestRegion(name, beside) ?? regions[0]!;
  for (const other of beside) {
    const named = countryNamed(other.name);
    if (named === country) return country;
    if (named === likeliest.country || isCityIn(other.name, likeliest)) return likeliest;
    if (isCityIn(other.name, country)) return country;
  }
  // Street, city, state; or city, state, country.
  const places = beside.filter((other) => !ofStreetOrCounty.test(other.text));
  const isThird = isCode && places.length > 1;
  return isThird || isUsuallyCountry(name, likeliest) ? country : likeliest;
}

const ofStreetOrCounty = /\d|\b(county|parish|borough)$/i;

/** Delaware has few inhabitants, and NL and SA rarely mean Newfoundland or South Australia. */
function isUsuallyCountry(name: string, region: Region): boolean {
  return name === "de" || region.country.code !== "us";
}

/** Next to a city known to be there, an ambiguous name is taken as the region: "Perth, WA". */
export function likeliestRegion(name: string, beside: readonly { name: string }[]): Region | null {
  const { sure, shared } = regionsNamed(name);
  return (
    shared.find((region) => beside.some((other) => isCityIn(other.name, region))) ??
    sure[0] ??
    shared.find((region) => beside.some((other) => isCityIn(other.name, region.country))) ??
    null
  );
}

function isCityIn(name: string, whole: Country | Region): boolean {
  return citiesNamed(name).some(({ of }) => liesIn(of, whole));
}

function placeIn(country: Country | null, region: Region | null, rest: readonly Piece[]): Place {
  const place: Place = {
    cities: [],
    areas: [],
    around: [],
    centers: [],
    region,
    country,
    implied: { region: null, country: null },
  };
  const metros: Metro[] = [];
  for (const piece of rest)
    if (piece.is === "city") noteCity(piece, place);
    else if (!isSaid(piece.name, place) && !readArea(piece, place, metros)) noteCity(piece, place);
  place.cities.splice(maxCities);
  imply(place, metros);
  noteAround(place);
  return place;
}

/** Enough for street, district, city, and county. */
const maxCities = 8;

/** Whether a name is that of the country or region and not also of a city in it, as for New York. */
function isSaid(name: string, { country, region }: Place): boolean {
  if (country !== null && (countryNamed(name) ?? disputedName(name)?.country) === country) return true;
  if (region === null) return false;
  const isCity = isCityIn(name, region);
  return region.code === cityAndRegion ? isCity : !isCity && regionIn(region.country, name) === region;
}

/** The District of Columbia is identical to the city of Washington. */
export const cityAndRegion = "us-dc";

function readArea({ name, text }: Piece, place: Place, metros: Metro[]): boolean {
  const alone = metroNamed(name);
  if (alone !== null && canBe(alone.of, place)) return noteMetro(alone, place, metros);
  let core = cityInside(name);
  if (core === null || knownCity(name, place) !== null) return false;
  let label = text;
  const region = place.country === null ? (regionsNamed(core).sure[0] ?? null) : regionIn(place.country, core);
  const city = place.cities.at(-1);
  // "Austin, Texas Metropolitan Area"
  if (region !== null && city !== undefined && canBe(region, place)) {
    [place.region, place.country] = [region, region.country];
    place.cities.pop();
    place.centers.push({ city, region });
    [core, label] = [city.name, `${city.label} Metropolitan Area`];
  }
  const metro = metrosNamed(core).find((one) => isAround(one, place));
  if (metro !== undefined) return noteMetro(metro, place, metros);
  place.areas.push({ name: core, label });
  const center = knownCity(core, place);
  if (center !== null) noteCenter(core, center.label, center, place);
  else if (isNamedByCity(core, text))
    noteCenter(core, text.replace(beforeCity, "").replace(behindCity, ""), null, place);
  return true;
}

function noteCenter(name: string, label: string, known: City | null, place: Place, of = known?.of): void {
  const region = of?.kind === "region" ? of : null;
  place.centers.push({ city: { name, label, known, isOtherName: false }, region });
}

function noteMetro(metro: Metro, place: Place, metros: Metro[]): true {
  metros.push(metro);
  place.areas.push(metro);
  for (const { name, label, city, of } of metro.centers) noteCenter(name, label, city, place, of);
  return true;
}

/** The city of an area: boston for "Greater Boston Area". Null if the name is not an area. */
function cityInside(name: string): string | null {
  const inside = name.replace(beforeCity, "").replace(behindCity, "");
  return inside === name || inside === "" ? null : inside;
}

/** Whether an area is named after a city: "Greater Toledo" is, "Tri-State Area" is not. */
function isNamedByCity(core: string, text: string): boolean {
  if (!beforeCity.test(text) && !/ metro(?:politan)? (?:area|region)$/i.test(text)) return false;
  return countryNamed(core) === null && regionsNamed(core).shared.length === 0;
}

const beforeCity = /^(?:greater |metropolitan |metro )+/i;
const behindCity = /(?: metropolitan| metro)? (?:area|region|metroplex)$| (?:metropolitan|metro)$/i;

function canBe(of: Country | Region, { country, region }: Place): boolean {
  if (country !== null && countryOf(of) !== country) return false;
  return region === null || of.kind === "country" || of === region;
}

/** Whether part of an area is in the country and region of the place. */
function isAround({ of, within }: Metro, { country, region }: Place): boolean {
  if (country !== null && countryOf(of) !== country) return false;
  return region === null || of === region || within.includes(region.code) || within.includes(region.country.code);
}

function noteCity({ name, text }: Piece, place: Place): void {
  const known = knownCity(name, place);
  const isOtherName = known !== null && known.name !== name;
  const city = { name: known?.name ?? name, label: known?.label ?? text, known, isOtherName };
  if (!place.cities.some((other) => other.name === city.name)) place.cities.push(city);
}

/** The intended city, if it is unambiguous. */
function knownCity(name: string, place: Place): City | null {
  const found = citiesNamed(name).filter(({ of }) => canBe(of, place));
  const sure = found.find((city) => !city.hasNamesakes || city.name !== name);
  if (sure !== undefined || place.country === null) return sure ?? null;
  // For countries other than the United States, the gazetteer has all cities of each known name.
  const isCertain = found.length === 1 && (place.region !== null || place.country.code !== "us");
  return isCertain ? found[0]! : null;
}

function imply(place: Place, metros: readonly Metro[]): void {
  const known = place.cities.flatMap((city) => (city.known === null ? [] : [city.known]));
  for (const { of } of [...metros, ...known]) {
    const { country, region } = place.implied;
    const fits = canBe(of, { ...place, country: place.country ?? country, region: place.region ?? region });
    if (!fits) continue;
    if (place.country === null) place.implied.country = countryOf(of);
    if (place.region === null && of.kind === "region") place.implied.region = of;
  }
}

function noteAround(place: Place): void {
  const within = [place.region ?? place.implied.region, place.country ?? place.implied.country];
  for (const city of place.cities)
    for (const whole of within)
      for (const metro of whole === null ? [] : metrosAround(city.name, whole))
        if (!place.areas.includes(metro) && !place.around.includes(metro)) place.around.push(metro);
}
