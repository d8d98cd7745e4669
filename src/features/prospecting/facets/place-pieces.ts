import { folded } from "../../../platform/identity/names.ts";
import {
  beginsCity,
  citiesNamed,
  countryNamed,
  countryOfCode,
  disputedName,
  regionsNamed,
} from "./gazetteer/gazetteer.ts";

/** A piece of a place: folded, and as written. `is`: its type, if given in parentheses as in "Georgia (country)". */
export type Piece = { name: string; text: string; is?: "city" | "state" | "country" };

/** The pieces of a place in written order, usually smallest first. */
export function piecesOf(place: string): Piece[] {
  const whole = piece(place);
  if (isWide(whole.name)) return [whole];
  const pieces = place.replace(aside, ", $1").split(separators).flatMap(split);
  // "Korea, Republic of"
  const inverted = `${pieces.at(-1)?.name} ${pieces.at(-2)?.name}`;
  if (pieces.length > 1 && countryNamed(inverted) !== null) pieces.splice(-2, 2, piece(inverted));
  return pieces;
}

/** A hyphen separates only if surrounded by spaces: not in Baden-Baden. */
const separators = /[,;|/]|\s[-–—]\s/;
const aside = /\((?!(?:city|state|country)\))([^()]*)\)(?=\s*(?:$|[,;|/]))/gi;

function piece(text: string): Piece {
  return { name: folded(text), text: text.trim() };
}

/** Splits pieces that are not separated by a comma: "CO 80202", "Austin TX", "London UK", "80331 München". */
function split(raw: string): Piece[] {
  const text = raw.trim();
  const [, marked, is] = text.endsWith(")") ? (marker.exec(text) ?? []) : [];
  if (marked !== undefined) return [{ ...piece(marked), is: is!.toLowerCase() as NonNullable<Piece["is"]> }];
  const whole = piece(text);
  if (whole.name === "") return [];
  if (isKnown(whole.name)) return [whole];
  if (eastAsian.test(text)) return largestFirst(text) ?? [whole];
  return codesIn(text) ?? cityAndMore(text) ?? cityAlone(text) ?? [whole];
}

const eastAsian = /^[\p{Script=Han}\p{Script=Hangul}]/u;
const districts = /^(.{2,3}?[都府市]|.+?(?:특별시|광역시|시)|.+?(?= ))\s?(.+)$/u;
/** 神奈川県, 广东省, 北海道, 경기도, 内蒙古自治区; recognized only before a known city. */
const provinces = /^([^\s]{2,4}?[県縣省]|北海道|\p{Script=Hangul}{2,3}도|[^\s]{2,5}?自治[区區])\s?(.+)$/u;
const countries = /^(日本国?|中国|中國|대한민국|한국|台灣|台湾|臺灣)\s?(.+)$/u;

/** "東京都渋谷区", "广东省深圳市", "서울 강남구": the larger unit comes first, without a separator. */
function largestFirst(text: string): Piece[] | null {
  const [, country, inside] = countries.exec(text) ?? [];
  if (country !== undefined) return [...(largestFirst(inside!) ?? [piece(inside!)]), piece(country)];
  const [, city = "", rest = ""] = districts.exec(text) ?? [];
  if (citiesNamed(folded(city)).length > 0) return [piece(rest), piece(city)];
  const [, region, within = ""] = provinces.exec(text) ?? [];
  if (region === undefined) return null;
  const pieces = largestFirst(within) ?? (citiesNamed(folded(within)).length > 0 ? [piece(within)] : null);
  return pieces && [...pieces, piece(region)];
}

const marker = /^(.*\S)\s*\((city|state|country)\)$/i;

function isKnown(name: string): boolean {
  return citiesNamed(name).length > 0 || isWide(name);
}

/** Whether the name is that of a country or region. */
function isWide(name: string): boolean {
  return countryNamed(name) !== null || disputedName(name) !== null || regionsNamed(name).shared.length > 0;
}

function codesIn(text: string): Piece[] | null {
  const [, outer = "", inner] = iso3166.exec(text) ?? [];
  if (inner !== undefined && countryOfCode(folded(outer)) !== null)
    return [piece(inner), { ...piece(outer), is: "country" }];
  for (const [code, pattern] of digit.test(text) ? postal : []) {
    const [, before = "", state, digits = ""] = pattern.exec(text) ?? [];
    if (state !== undefined && isStateOf(code, state) && (state !== "DE" || digits.startsWith("19")))
      return [piece(before), piece(state), { name: code, text: code, is: "country" as const }].filter(
        ({ name }) => name,
      );
  }
  if (text.at(-3) !== " ") return null;
  const [, before = "", state] = trailingCode.exec(text) ?? [];
  return state !== undefined && (isStateOf("us", state) || isStateOf("ca", state))
    ? [piece(before), piece(state)]
    : null;
}

/** US-CA */
const iso3166 = /^([A-Z]{2})-([A-Z]{2,3})$/;
/** "San Francisco CA 94105". ZIP codes of Delaware start with 19; other five-digit codes after DE are German. */
const zip = /^(.*?)\b([A-Z]{2})[ -]*(\d{5})(?:-\d{4})?$/;
const postalCode = /^(.*?)\b([A-Z]{2}) +([A-Z]\d[A-Z]) ?\d[A-Z]\d$/;
const postal = [["us", zip] as const, ["ca", postalCode] as const];
const digit = /\d/;
const trailingCode = /^(.*[^\d\s]) +([a-z]{2})$/i;

function isStateOf(country: "us" | "ca", code: string): boolean {
  return regionsNamed(folded(code)).sure.some((region) => region.country.code === country);
}

/** A known city followed by a country or region. */
function cityAndMore(text: string): Piece[] | null {
  const words = text.split(/\s+/);
  if (words.length > maxWords || !beginsCity(folded(words[0]!))) return null;
  for (let count = words.length - 1; count > 0; count--) {
    const [city, more] = [piece(words.slice(0, count).join(" ")), piece(words.slice(count).join(" "))];
    if (citiesNamed(city.name).length > 0 && isWide(more.name)) return [city, more];
  }
  return null;
}

/** No city with a country has more words. */
const maxWords = 10;

/** A known city next to a postal code. */
function cityAlone(text: string): Piece[] | null {
  if (!digit.test(text)) return null;
  const words = text.replace(dutchCode, "").split(/\s+/);
  const city = piece(words.filter((word) => !digit.test(word)).join(" "));
  return citiesNamed(city.name).length > 0 ? [city] : null;
}

const dutchCode = /\b\d{4} ?[A-Z]{2}\b/;
