import { folded } from "./fold.ts";

/** The parts of a place, folded, each by its usual name: "Austin, TX, USA" has austin, texas and united states. */
export function placeParts(place: string): string[] {
  const parts = place
    .split(/[,;|/]/)
    .map(folded)
    .filter((part) => part !== "");
  const named = parts.map((part, index) => countries.get(part) ?? (index > 0 ? states.get(part) : undefined) ?? part);
  return [...new Set(named)].slice(0, maxParts);
}

/** Street, quarter, city, county, state, country: nobody needs more. */
const maxParts = 8;

const countries = new Map(
  Object.entries({
    "united states": "us,usa,u s,u s a,united states of america,america",
    "united kingdom": "uk,u k,great britain,gb,britain",
    germany: "deutschland,de,ger",
    france: "fr",
    spain: "espana,es",
    italy: "italia,it",
    netherlands: "the netherlands,nederland,holland,nl",
    switzerland: "schweiz,suisse,svizzera,ch",
    austria: "osterreich,at",
    belgium: "belgique,belgie,be",
    brazil: "brasil,br",
    mexico: "mx",
    poland: "polska,pl",
    portugal: "pt",
    sweden: "sverige,se",
    norway: "norge,no",
    denmark: "danmark,dk",
    finland: "suomi,fi",
    ireland: "ie",
    japan: "jp",
    australia: "au",
    "united arab emirates": "uae,u a e",
    "south korea": "korea,republic of korea,kr",
    "czech republic": "czechia,cz",
    turkey: "turkiye,tr",
    russia: "russian federation,ru",
    china: "cn,peoples republic of china",
    singapore: "sg",
    "new zealand": "nz",
    "south africa": "za",
    nigeria: "ng",
  }).flatMap(([name, others]) => others.split(",").map((other) => [other, name] as const)),
);

/** USPS abbreviations; not as the first part of a place, and where a country has the same letters the country wins. */
const states = new Map(
  (
    "al:alabama ak:alaska az:arizona ar:arkansas ca:california co:colorado ct:connecticut dc:district_of_columbia " +
    "fl:florida ga:georgia hi:hawaii id:idaho il:illinois in:indiana ia:iowa ks:kansas ky:kentucky la:louisiana " +
    "me:maine md:maryland ma:massachusetts mi:michigan mn:minnesota ms:mississippi mo:missouri mt:montana " +
    "nv:nevada nh:new_hampshire nj:new_jersey nm:new_mexico ny:new_york nc:north_carolina nd:north_dakota oh:ohio " +
    "ok:oklahoma or:oregon pa:pennsylvania ri:rhode_island sc:south_carolina sd:south_dakota tn:tennessee tx:texas " +
    "ut:utah vt:vermont va:virginia wa:washington wv:west_virginia wi:wisconsin wy:wyoming"
  )
    .split(" ")
    .map((pair) => pair.split(":"))
    .map(([short = "", name = ""]) => [short, name.replaceAll("_", " ")] as const),
);
