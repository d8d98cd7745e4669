import { expect, test } from "bun:test";
import { cityLines } from "../../src/features/prospecting/facets/gazetteer/cities.ts";
import { countryLines } from "../../src/features/prospecting/facets/gazetteer/countries.ts";
import { metroLines } from "../../src/features/prospecting/facets/gazetteer/metros.ts";
import { regionsByCode, regionsByName } from "../../src/features/prospecting/facets/gazetteer/regions.ts";
import { placeOfColumns } from "../../src/features/prospecting/facets/place-columns.ts";
import { placeTerms, wantedPlace } from "../../src/features/prospecting/facets/places.ts";

const valuesOf = (text: string): string[] => placeTerms(text).map(({ value }) => value);
const finds = (filter: string, place: string): boolean => {
  const wanted = wantedPlace(filter);
  return wanted.length > 0 && wanted.every((value) => valuesOf(place).includes(value));
};
const listed = (text: string): string[] => text.split(",").map((name) => name.trim().replace("~", ""));
const states = [...Object.entries(regionsByCode), ...Object.entries(regionsByName)].flatMap(([country, line]) =>
  listed(line).map((entry) => {
    const [code = "", ...name] = entry.split(" ");
    return { country, code: `${country}-${code}`, short: code, names: name.join(" ").split("|") };
  }),
);
const countries = countryLines
  .trim()
  .split("\n")
  .map((line) => ({ code: line.slice(0, 2), long: line.slice(3, 6), names: listed(line.slice(7)) }));

test.each([
  ["California", "San Francisco, CA"],
  ["California", "CA"],
  ["CA", "Sacramento, California, United States"],
  ["CA", "US-CA"],
  ["California, US", "Palo Alto"],
  ["United States", "Austin, TX"],
  ["U.S.", "TX"],
  ["USA", "Puerto Rico"],
  ["america", "NYC"],
  ["Germany", "Berlin, DE"],
  ["DE", "München, Deutschland"],
  ["deu", "Tuttlingen, DE"],
  ["Deutschland", "80331 München"],
  ["Delaware", "Wilmington, DE, United States"],
  ["Delaware", "Wilmington, DE"],
  ["Delaware", "Bear, DE 19701"],
  ["Canada", "Toronto, ON, CA"],
  ["Ontario", "Toronto, ON, CA"],
  ["ON", "London, Ontario"],
  ["Canada", "Toronto, CA"],
  ["Canada", "Kanata, ON K2K 2X8"],
  ["India", "Pune, IN"],
  ["India", "Nagpur, Maharashtra, IN"],
  ["Indiana", "Muncie, IN"],
  ["Indiana", "IN"],
  ["Israel", "Tel Aviv, IL"],
  ["Illinois", "Peoria, IL"],
  ["Georgia", "Macon, Georgia"],
  ["Georgia", "Macon, GA, USA"],
  ["Georgia (country)", "Tbilisi, Georgia"],
  ["GEO", "Georgia (country)"],
  ["Western Australia", "Perth, WA"],
  ["WA", "Seattle, Washington"],
  ["Australia", "Melbourne, Victoria"],
  ["NSW", "Sydney, NSW, Australia"],
  ["UK", "Leeds, England"],
  ["Great Britain", "London"],
  ["United Kingdom", "london uk"],
  ["Scotland", "Perth, Scotland, GB"],
  ["New York", "New York, NY"],
  ["New York", "Buffalo, NY"],
  ["New York City", "New York, NY"],
  ["NYC", "New York City, United States"],
  ["Washington", "Seattle, WA"],
  ["DC", "Washington, DC"],
  ["Washington, D.C.", "DC"],
  ["Washington DC", "511 Hart Senate Office Building Washington DC 20510"],
  ["Texas", "US - Texas - Dallas"],
  ["Texas", "Texas, Austin"],
  ["California", "San Francisco, California, Bay Area"],
  ["Berlin, Germany", "Germany, Berlin"],
  ["South Korea", "Seoul, Korea, Republic of"],
  ["Hong Kong", "Hong Kong, China"],
  ["Réunion", "Saint-Denis, Réunion, France"],
  ["Cologne", "Köln, Germany"],
  ["Wien", "Vienna, Austria"],
  ["Bangalore", "Bengaluru, Karnataka, India"],
  ["Lebanon", "Beirut, LB"],
  ["Singapore", "Singapore, Singapore"],
  ["San Francisco Bay Area", "Palo Alto, CA"],
  ["Bay Area", "San Francisco Bay Area"],
  ["California", "San Francisco Bay Area"],
  ["Greater London", "London, UK"],
  ["Greater London", "London Area, United Kingdom"],
  ["Greater New York City Area", "Brooklyn, NY"],
  ["United States", "New York City Metropolitan Area"],
  ["Dallas-Fort Worth Metroplex", "Plano, TX"],
  ["Texas", "Austin, Texas Metropolitan Area"],
  ["Greater Austin", "Austin, Texas Metropolitan Area"],
  ["Toledo Area", "Greater Toledo"],
  ["Toledo", "Greater Toledo"],
  ["Milwaukee, United States", "Milwaukee Metropolitan Area, United States"],
  ["San Francisco", "San Francisco Bay Area"],
  ["San Francisco, CA", "San Francisco Bay Area"],
  ["New York", "Greater New York City Area"],
  ["New York City", "Greater New York City Area"],
  ["New York, NY", "New York City Metropolitan Area"],
  ["Boston", "Greater Boston"],
  ["Boston, MA", "Greater Boston Area, United States"],
  ["Massachusetts", "Greater Boston"],
  ["Fort Worth", "Dallas-Fort Worth Metroplex"],
  ["Dallas, TX", "DFW"],
  ["Bonn", "Cologne Bonn Region"],
  ["London", "Greater London, England, United Kingdom"],
  ["London, UK", "London Area, United Kingdom"],
  ["Munich", "Greater Munich Metropolitan Area"],
  ["Austin, TX", "Austin, Texas Metropolitan Area"],
  ["Birmingham, AL", "Birmingham, Alabama Metropolitan Area"],
  ["Kansas", "Kansas City Metropolitan Area"],
  ["San Francisco Bay Area", "Oakland, CA"],
  ["Greater Boston", "Cambridge, Massachusetts, United States"],
])("%s finds %s", (filter, place) => expect(finds(filter, place)).toBe(true));

test.each([
  ["Germany", "Wilmington, DE, United States"],
  ["Germany", "Wilmington, DE"],
  ["Delaware", "Tuttlingen, DE"],
  ["California", "Toronto, ON, CA"],
  ["California", "Toronto, CA"],
  ["California", "California, MD"],
  ["Canada", "San Jose, CA"],
  ["Indiana", "Pune, IN"],
  ["India", "Muncie, IN"],
  ["India", "Indiana, PA"],
  ["Illinois", "Tel Aviv, IL"],
  ["Georgia", "Tbilisi, Georgia"],
  ["Georgia (country)", "Atlanta, Georgia"],
  ["Lebanon", "Lebanon, NH"],
  ["Mexico", "Mexico, MO"],
  ["Mexico", "Santa Fe, New Mexico"],
  ["Washington", "Perth, WA"],
  ["Washington", "Washington, DC"],
  ["Washington", "Washington, Tyne and Wear"],
  ["Delaware", "Delaware, OH"],
  ["New York City", "Buffalo, NY"],
  ["London, UK", "London, ON"],
  ["Wien", "Vienna, VA"],
  ["Paris, France", "Paris, TX"],
  ["France", "Saint-Denis, Réunion, France"],
  ["Oakland", "San Francisco Bay Area"],
  ["Tri-State", "Tri-State Area"],
  ["San Diego", "San Francisco Bay Area"],
  ["San Francisco Bay Area", "San Diego, CA"],
  ["San Francisco Bay Area", "Newark, NJ"],
  ["Greater London", "London, Ontario"],
  ["Greater Birmingham", "Birmingham, Alabama Metropolitan Area"],
  ["New Jersey", "Greater New York City Area"],
  ["Newark", "Greater New York City Area"],
  ["London, ON", "Greater London"],
  ["Pennsylvania", "Greater Pittsburgh, UK"],
  ["Poland", "Greater Noida, India"],
  ["", "Berlin"],
  [" , ;", "Berlin"],
])("%s does not find %s", (filter, place) => expect(finds(filter, place)).toBe(false));

test("a country is found by its codes and by each of its names", () => {
  for (const { code, long, names } of countries) {
    const known = names.map((name) => [name, wantedPlace(name)[0]?.split("@")[1]]);
    // Which of the two Georgias is meant, the other names say.
    expect(known.filter(([name, found]) => found !== code && name !== "Georgia")).toEqual([]);
    expect([long, finds(long, names[1] ?? names[0]!)]).toEqual([long, true]);
    expect([code, valuesOf(`Somewhere, Anywhere, ${code}`).at(-1)?.split("@")[1]]).toEqual([code, code]);
  }
});

test("countries are those of ISO 3166, and names in English are understood", () => {
  const english = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  const codes = letters.flatMap((one) => letters.map((other) => one + other));
  const known = new Set(countries.map(({ code }) => code));
  expect(known.size).toBe(countries.length);
  // Which of the two Georgias is meant, nobody says there.
  for (const code of codes.filter((one) => known.has(one) && one !== "ge"))
    expect([code, wantedPlace(english.of(code.toUpperCase())!)]).toEqual([
      code,
      [expect.stringMatching(new RegExp(`@${code}$`))],
    ]);
});

test("a state is found by its name and its code, beside its country and, where that is usual, alone", () => {
  for (const { country, code, short, names } of states) {
    for (const name of [...names, short])
      expect([name, country, valuesOf(`Somewhere, ${name}, ${country}`)]).toEqual([
        name,
        country,
        [
          "somewhere",
          expect.stringMatching(new RegExp(`@${code}$`)),
          expect.stringMatching(new RegExp(`@${country}$`)),
        ],
      ]);
    if (country === "us")
      expect([names[0], wantedPlace(names[0]!)]).toEqual([names[0], wantedPlace(`US-${short.toUpperCase()}`)]);
  }
});

test("what a place is found by goes by a name that finds just that", () => {
  const cities = Object.entries(cityLines).flatMap(([code, line]) =>
    listed(line).flatMap((entry) =>
      entry.split("|").flatMap((name) => [name, `${name}, ${code.split("-").toReversed().join(", ")}`]),
    ),
  );
  const texts = [
    ...cities,
    ...countries.flatMap(({ names }) => names),
    ...states.flatMap(({ country, names }) => names.flatMap((name) => [name, `${name}, ${name}, ${country}`])),
    ...metroLines.map(({ name }) => name),
    ...["Lebanon, NH", "Victoria, BC", "Greater Toledo", "Bear, DE 19701", "1 Main St, Springfield", "Remote (US)"],
  ];
  const wrong = texts.flatMap((text) =>
    placeTerms(text).filter(({ value, label }) => wantedPlace(label).join("\n") !== value),
  );
  expect(wrong).toEqual([]);
  expect(texts.filter((text) => !finds(text, text))).toEqual([]);
});

test.each([
  [["Austin", "TX", "USA"], "Austin, TX, USA", "Texas"],
  [["Toronto", "ON", "CA"], "Toronto, ON, CA", "Ontario"],
  [["", "CA", ""], "CA", "California"],
  [["", "DE", ""], "Delaware", "Delaware"],
  [["", "", "DE"], "DE", "Germany"],
  [["", "", "CA"], "Canada", "Canada"],
  [["Moose Factory", "", "CA"], "Moose Factory, Canada", "Canada"],
  [["Alwar", "", "IN"], "Alwar, India", "India"],
  [["Alwar", "", "India"], "Alwar, India", "India"],
  [["Muncie", "IN", ""], "Muncie, IN", "Indiana"],
  [["", "Georgia", ""], "Georgia", "GA, US"],
  [["", "", "Georgia"], "Georgia (country)", "GEO"],
  [["Gldani", "", "Georgia"], "Gldani, Georgia (country)", "GEO"],
  [["New York", "", "US"], "New York City, US", "NYC"],
  [["New York", "NY", "US"], "New York, NY, US", "NYC"],
  [["Washington", "", "US"], "Washington DC, US", "DC"],
  [["Washington", "PA", ""], "Washington, PA", "Pennsylvania"],
  [["Quebec", "", "Canada"], "Quebec City, Canada", "Quebec City"],
  [["Albany", "WA", "AU"], "Albany, WA, AU", "Western Australia"],
  [["San Francisco", "California", "CA"], "San Francisco, California, CA", "California"],
  [["Austin, TX", "", ""], "Austin, TX", "Austin, Texas"],
  [["Lebanon", "NH", ""], "Lebanon, NH", "New Hampshire"],
  [["Paris", "Île-de-France", "FR"], "Paris, Île-de-France, FR", "France"],
  [["Somewhere", "", "EMEA"], "Somewhere, EMEA", "EMEA"],
] as const)("columns %j are the place %s", (columns, text, filter) => {
  expect(placeOfColumns(...columns)).toBe(text);
  expect(finds(filter, text)).toBe(true);
});

test("columns that say nothing are no place", () => {
  expect(placeOfColumns("", null, undefined)).toBeUndefined();
});
