import {
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  property,
  record,
  string,
  stringMatching,
  tuple,
} from "fast-check";
import { describe, expect, test } from "bun:test";
import { prospectIdentity } from "../../src/features/prospecting/keys.ts";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import { readValue } from "../../src/features/suppression/value.ts";
import { companyKey, folded, canonicalName, personNameKey } from "../../src/platform/identity/names.ts";
import { canonicalDomain, domainOfWebsite, registeredDomain } from "../../src/platform/identity/domain.ts";
import { businessDomain, domainOfEmail } from "../../src/platform/identity/email-domain.ts";
import { canonicalEmail, displayEmail, isEmailAddress } from "../../src/platform/identity/email.ts";
import { phoneNumber } from "../../src/platform/identity/phone.ts";
import { canonicalProfileUrl } from "../../src/platform/identity/profile-url.ts";

const anyText = string({ unit: "grapheme", maxLength: 40 });
const word = oneof(
  stringMatching(/^[A-Za-z0-9-]{1,12}$/),
  constantFrom("Bücher", "BÜCHER", "bu\u0308cher", "Straße", "пример", "例え", "ﬁn", "Ａｄａ", "Ğ", "İ", "Å"),
);
const domain = tuple(
  word,
  constantFrom("example", "co.uk", "рф", "de", "github.io", "xn--p1ai"),
  array(word, { maxLength: 2 }),
).map(([name, ending, hosts]) => [...hosts, name, ending].join("."));
const email = tuple(word, domain).map((parts) => parts.join("@"));
const company = tuple(
  constantFrom("", "The ", "株式会社", "(株)", "ООО "),
  array(oneof(word, constantFrom("&", "and", "Co", "the", "und")), { minLength: 1, maxLength: 3 }),
  array(constantFrom(" Inc.", " GmbH", ", LLC", " & Co. KG", " (The)", "㈱", " S.A.", " Corp"), { maxLength: 3 }),
).map(([before, words, forms]) => before + words.join(" ") + forms.join(""));
const url = tuple(
  constantFrom("https://", "http://", "HTTPS://", ""),
  constantFrom("www.", "uk.", "m.", ""),
  domain,
  array(oneof(stringMatching(/^[A-Za-z0-9._~%-]{1,10}$/), word, anyText.map(encodeWellFormed)), {
    minLength: 1,
    maxLength: 2,
  }),
  constantFrom("", "/", "?trk=1", "#top", "/en/"),
)
  .map(([scheme, sub, host, path, end]) => scheme + sub + host + "/in/" + path.join("/") + end)
  // Of two locales only the last is dropped: the first may be a part of an old profile, as in /pub/ada/1b/2c.
  .filter((text) => !/(\/[a-z]{2}([-_][a-z]{2})?){2}\/?([?#]|$)/i.test(text));

function encodeWellFormed(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

describe("every normal form is its own normal form", () => {
  const normalForms: [string, (text: string) => string | null, typeof anyText][] = [
    ["email address", canonicalEmail, oneof(email, anyText)],
    ["domain", canonicalDomain, oneof(domain, anyText)],
    ["website", domainOfWebsite, oneof(domain, url, anyText)],
    ["registered domain", registeredDomain, domain.map(canonicalDomain)],
    ["company", companyKey, oneof(company, anyText)],
    ["name", canonicalName, oneof(word, anyText)],
    ["folded text", folded, oneof(company, anyText)],
    ["profile URL", canonicalProfileUrl, oneof(url, anyText)],
    ["phone number", (text) => phoneNumber(text, null), stringMatching(/^\+[1-9][0-9 ().-]{4,16}[0-9]$/)],
  ];
  test.each(normalForms)("%s", (_what, normalize, texts) => {
    assert(
      property(texts, (text) => {
        const normal = normalize(text);
        if (normal !== null) expect(normalize(normal)).toBe(normal);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("features agree", () => {
  test("on who has an address, however its domain is spelled", () => {
    assert(
      property(email.filter(isEmailAddress), (address) => {
        const canonical = canonicalEmail(address);
        for (const spelling of [address, address.toUpperCase(), canonical, displayEmail(canonical)]) {
          if (spelling.toLowerCase().normalize("NFC") !== spelling.normalize("NFC").toLowerCase()) continue;
          expect(identityOf({ email: spelling }).email).toBe(canonicalEmail(spelling));
        }
        expect(identityOf({ email: displayEmail(canonical) }).email).toBe(canonical);
        expect(prospectIdentity({ email: address }).domain).toBe(businessDomain(canonical));
        expect(domainOfEmail(address)).toBe(canonicalDomain(address.slice(address.lastIndexOf("@") + 1)));
        const entry = readValue(address, null);
        if (!("problem" in entry)) expect(entry).toMatchObject({ kind: "email", value: canonical });
      }),
    );
  });

  test("on who is meant by a name and a company", () => {
    const person = record({ firstName: word, lastName: word, company });
    assert(
      property(person, constantFrom("", ", Inc.", " GmbH", " Ltd"), (one, form) => {
        const other = { ...one, company: one.company + form };
        const name = personNameKey(one.firstName, one.lastName, one.company);
        expect(identityOf(one).name).toBe(name);
        expect(prospectIdentity(one)).toMatchObject({ name, company: companyKey(one.company) });
        if (companyKey(one.company) === companyKey(other.company)) expect(identityOf(other).name).toBe(name);
      }),
    );
  });

  test("on whose profile a URL is", () => {
    assert(
      property(url, (networkUrl) => {
        const network = canonicalProfileUrl(networkUrl);
        expect(identityOf({ networkUrl }).network).toBe(network);
        expect(prospectIdentity({ networkUrl }).network).toBe(network);
        const entry = readValue(networkUrl, null);
        if (!("problem" in entry) && entry.kind === "profile") expect(entry.value).toBe(network);
      }),
    );
  });

  test("that domains are compared in one form", () => {
    assert(
      property(domain, integer({ min: 0, max: 2 }), (host, way) => {
        const written = [host, `https://${host}/`, `@${host}`][way]!;
        const entry = readValue(written, null);
        if (!("problem" in entry) && entry.kind === "domain") expect(entry.value).toBe(canonicalDomain(host));
      }),
    );
  });
});

type Texts = { email?: string; networkUrl?: string; firstName?: string; lastName?: string; company?: string };

function identityOf(texts: Texts) {
  return leadIdentity({ email: null, networkUrl: null, firstName: null, lastName: null, company: null, ...texts });
}
