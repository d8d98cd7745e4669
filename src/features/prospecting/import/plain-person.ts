import { businessDomain } from "../../../platform/identity/email-domain.ts";
import { splitFullName } from "../../../platform/identity/full-name.ts";
import { canonicalProfileUrl } from "../../../platform/identity/profile-url.ts";
import { placeOfColumns } from "../facets/place-columns.ts";
import { besideName, companyDomainKey, keyKinds, networkKey } from "../keys.ts";
import { prospectTextLimits, type RevenueRange } from "../model.ts";
import { memoize } from "../../../platform/base/text.ts";
import { endOf, kinds } from "./ascii.ts";
import { KeyText } from "./key-text.ts";
import {
  knownParts,
  knownTechnologies,
  noPart,
  noteTechnology,
  revenuePart,
  technologiesPart,
  type Part,
  type Technology,
} from "./parts.ts";
import { prospectTargetNames, type ProspectTarget } from "./prospect-targets.ts";
import { hashBasis, hashed } from "../../../lib/table-file/plain-record.ts";
import { hostOfPlainProfile, isPlainDomain, isPlainEmail, isPlainName, isPlainText } from "./plain-text.ts";
import type { RowBuffer } from "./row-buffer.ts";
import { numberOfTarget, type RowText } from "./row-text.ts";
import { confidenceIn, likelihoodIn, type NumberedRaw } from "./row-values.ts";

/**
 * Writes people directly from the bytes of a file into a buffer, with exactly the same result as `checkedProspect`.
 * Recurring values are cached parts; values that differ in every row are checked and copied byte by byte, without
 * intermediate strings.
 */
export class PlainPeople {
  readonly #to: RowBuffer;
  readonly #key = new KeyText();
  readonly #technologies: Technology[] = [];
  // State of the current row.
  #text!: RowText;
  #firstName = noPart;
  #lastName = noPart;
  #title = noPart;
  #seniority = noPart;
  #department = noPart;
  #industry = noPart;
  #location = noPart;
  #companyLocation = noPart;
  #size = noPart;
  #source = noPart;
  #revenue = noPart;
  /** Null if the value is plain and copied from the text. */
  #company: Part | null = noPart;
  #domain: Part | null = noPart;
  #phone: Part | null = noPart;

  constructor(to: RowBuffer) {
    this.#to = to;
  }

  /**
   * False if the row is not plain: then nothing was written, and the full rules must process it. `technologies` and
   * `revenue` are passed if the file has them as a list and a range.
   */
  write(row: number, text: RowText, technologies: string[] | null, revenue: RevenueRange | null): boolean {
    const list = technologies === null ? null : technologiesPart(technologies);
    this.#text = text;
    this.#to.begin(text.length * maxBytesPerByte + (list?.json.length ?? 0) + ownBytes);
    if (this.#findParts(revenue) && this.#writeKeys()) {
      this.#writeContent(list);
      this.#to.end(row, "person", besideName(text.has(email), text.has(networkUrl)));
      return true;
    }
    this.#to.cancel();
    return false;
  }

  /** False if a value is too long or needs the full rules. */
  #findParts(revenue: RevenueRange | null): boolean {
    return (
      this.#findNames() &&
      (this.#title = this.#known(title)!) !== null &&
      (this.#seniority = this.#known(seniority)!) !== null &&
      (this.#department = this.#known(department)!) !== null &&
      (this.#industry = this.#known(industry)!) !== null &&
      (this.#size = this.#known(companySize)!) !== null &&
      (this.#source = this.#known(source)!) !== null &&
      (this.#location = this.#place(location, city, state, country)!) !== null &&
      (this.#companyLocation = this.#place(companyLocation, companyCity, companyState, companyCountry)!) !== null &&
      (this.#revenue = revenue === null ? this.#revenueIn() : revenuePart(revenue)) !== null &&
      this.#findOwn()
    );
  }

  #findNames(): boolean {
    const text = this.#text;
    let first = this.#known(firstName);
    let last = this.#known(lastName);
    if (text.has(fullName) && !text.has(firstName)) {
      const names = splitFullName(text.slice(fullName));
      first = names.firstName ? knownParts.of(firstName, names.firstName) : noPart;
      if (names.lastName) last = knownParts.of(lastName, names.lastName);
    }
    if (first === null || last === null) return false;
    if (last === noPart && first.isWholeName) return false;
    this.#firstName = first;
    this.#lastName = last;
    return true;
  }

  /** Finds fields whose values differ in nearly every row. */
  #findOwn(): boolean {
    const text = this.#text;
    const isCompanyPlain = this.#isPlain(company, prospectTextLimits.company);
    this.#company = this.#own(
      company,
      isCompanyPlain && isPlainName(text.bytes(company), text.start(company), text.end(company)),
    );
    this.#phone = this.#own(phone, this.#isPlain(phone, prospectTextLimits.phone));
    this.#domain = this.#own(domain, isPlainDomain(text.bytes(domain), text.start(domain), text.end(domain)));
    return this.#company !== tooLong && this.#phone !== tooLong && this.#domain !== tooLong;
  }

  #isPlain(target: number, most: number): boolean {
    const text = this.#text;
    const length = text.end(target) - text.start(target);
    return length <= most && isPlainText(text.bytes(target), text.start(target), text.end(target));
  }

  /** Null if the value is copied from the text. */
  #own(target: number, isAsItStands: boolean): Part | null {
    if (!this.#text.has(target)) return noPart;
    return isAsItStands ? null : (this.#known(target) ?? tooLong);
  }

  #known(target: number): Part | null {
    const text = this.#text;
    if (!text.has(target)) return noPart;
    return knownParts.get(target, text.hash(target), text.bytes(target), text.start(target), text.end(target));
  }

  #place(whole: number, city: number, state: number, country: number): Part | null {
    const text = this.#text;
    if (text.has(whole)) return this.#known(whole);
    if (!text.has(city) && !text.has(state) && !text.has(country)) return noPart;
    return knownParts.of(whole, placeOfColumns(text.slice(city), text.slice(state), text.slice(country))!);
  }

  /** Same result as the function `revenueIn`. */
  #revenueIn(): Part {
    const close = this.#known(amountThousands)!;
    const usual = close === noPart ? this.#known(amount)! : close;
    return usual === noPart ? this.#known(amountNamed)! : usual;
  }

  /** False without an identifier, or if it is not plain. */
  #writeKeys(): boolean {
    const to = this.#to;
    const text = this.#text;
    if (text.has(email)) {
      if (!isPlainEmail(text.bytes(email), text.start(email), text.end(email))) return false;
      const key = this.#key.begin(kind.email);
      to.key(key.lower(text.bytes(email), text.start(email), text.end(email)).key());
    }
    if (text.has(networkUrl) && !this.#writeProfileKey()) return false;
    if (this.#firstName !== noPart && this.#lastName !== noPart && this.#company !== noPart) {
      const key = this.#key.begin(kind.name).bytes(this.#firstName.regular).byte(newline);
      key.bytes(this.#lastName.regular).byte(newline);
      to.key(this.#addCompany(key).key());
    }
    if (to.keyCount === 0) return false;
    if (this.#company !== noPart) to.key(this.#company?.key ?? this.#addCompany(this.#key.begin(kind.company)).key());
    if (this.#domain !== noPart) to.key(this.#domain?.key ?? this.#domainKey());
    else if (text.has(email)) {
      const address = text.slice(email);
      const key = keyOfMailDomain(address.slice(address.lastIndexOf("@") + 1));
      if (key !== 0) to.key(key);
    }
    return true;
  }

  #writeProfileKey(): boolean {
    const text = this.#text;
    const of = text.bytes(networkUrl);
    const start = text.start(networkUrl);
    const end = text.end(networkUrl);
    if (end - start > prospectTextLimits.networkUrl || endOf(kinds.url, of, start, end) !== end) return false;
    const host = hostOfPlainProfile(of, start, end);
    if (host !== -1) {
      const last = of[end - 1] === slash ? end - 1 : end;
      this.#to.key(this.#key.begin(kind.network).bytes(https).lower(of, host, last).key());
      return true;
    }
    const network = canonicalProfileUrl(text.slice(networkUrl));
    if (network === null) return false;
    this.#to.key(networkKey(network));
    return true;
  }

  /** Same result as `companyKey`. */
  #addCompany(to: KeyText): KeyText {
    if (this.#company !== null) return to.bytes(this.#company.regular);
    const text = this.#text;
    return to.lower(text.bytes(company), text.start(company), text.end(company));
  }

  #domainKey(): number {
    const text = this.#text;
    if (!isRegistered(text.bytes(domain), text.start(domain), text.end(domain)))
      return companyDomainKey(text.slice(domain).toLowerCase());
    return this.#key.begin(kind.domain).lower(text.bytes(domain), text.start(domain), text.end(domain)).key();
  }

  /** Writes fields in the same order as the object would have. */
  #writeContent(technologies: Part | null): void {
    const to = this.#to;
    to.byte(brace);
    to.bytes(this.#firstName.json);
    to.bytes(this.#lastName.json);
    this.#copy(email, null);
    this.#copy(phone, this.#phone);
    this.#copy(networkUrl, null);
    to.bytes(this.#title.json);
    to.bytes(this.#seniority.json);
    to.bytes(this.#department.json);
    this.#copy(company, this.#company);
    this.#copy(domain, this.#domain);
    to.bytes(this.#industry.json);
    to.bytes(this.#location.json);
    to.bytes(this.#companyLocation.json);
    to.bytes(this.#size.json);
    to.bytes(this.#source.json);
    const hasTools = technologies === null ? this.#writeTechnologies() : addPart(to, technologies);
    to.bytes(this.#revenue.json);
    const percent = this.#percent(hasTools);
    to.bytes(confidences[percent]!);
    to.raw(this.#revenue.numbers(percent));
    addRaws(to, this.#industry.raws);
    addRaws(to, this.#size.raws);
    addRaws(to, (this.#companyLocation === noPart ? this.#location : this.#companyLocation).raws);
    addRaws(to, this.#title.raws);
    const { implied } = this.#title;
    if (this.#seniority.isNonManager) addRaws(to, implied.nonManager);
    else addRaws(to, this.#seniority === noPart ? implied.seniority : this.#seniority.raws);
    addRaws(to, this.#department === noPart ? implied.department : this.#department.raws);
  }

  #copy(target: number, part: Part | null): void {
    const text = this.#text;
    if (part !== null) this.#to.bytes(part.json);
    else if (text.has(target)) {
      this.#to.bytes(opened[target]!);
      this.#to.piece(text.bytes(target), text.start(target), text.end(target));
      this.#to.bytes(closed);
    }
  }

  /** False without technologies. */
  #writeTechnologies(): boolean {
    const text = this.#text;
    if (!text.has(tools)) return false;
    const of = text.bytes(tools);
    const start = text.start(tools);
    const end = text.end(tools);
    const separator = separatorIn(of, start, end);
    if (of[start] === bracket || of[start] === brace || separator === slash)
      return addPart(this.#to, this.#known(tools)!);
    const found = this.#technologies;
    found.length = 0;
    for (let at = start; at <= end; at++) {
      while (at < end && of[at] === blank) at++;
      const first = at;
      let hash = hashBasis;
      for (let code = 0; at < end && (code = of[at]!) !== separator && !isAlwaysSeparator(code); at++)
        hash = hashed(hash, code);
      if (at > first) noteTechnology(found, knownTechnologies.get(0, hash, of, first, at));
    }
    if (found.length === 0) return false;
    this.#to.bytes(openedTechnologies);
    for (let at = 0; at < found.length; at++) {
      this.#to.bytes(found[at]!.quoted);
      this.#to.byte(comma);
      this.#to.raw(found[at]!.value);
    }
    this.#to.lastByte(closingBracket);
    this.#to.byte(comma);
    return true;
  }

  /** Confidence from the file, or else based on completeness; see `completeness`. */
  #percent(hasTools: boolean): number {
    const text = this.#text;
    const told = text.has(confidence)
      ? confidenceIn(text.slice(confidence))
      : text.has(likelihood)
        ? likelihoodIn(text.slice(likelihood))
        : undefined;
    if (told !== undefined) return Math.round(told * 100);
    return (
      (this.#firstName !== noPart && this.#lastName !== noPart ? 10 : 0) +
      (text.has(email) ? 40 : 0) +
      (text.has(networkUrl) ? 10 : 0) +
      (this.#title === noPart ? 0 : 10) +
      (this.#company === noPart ? 0 : 10) +
      (this.#industry === noPart ? 0 : 5) +
      (this.#size === noPart ? 0 : 5) +
      (this.#phone === noPart ? 0 : 4) +
      (this.#location === noPart ? 0 : 3) +
      (hasTools ? 3 : 0)
    );
  }
}

const encoder = new TextEncoder();
const code = (kind: keyof typeof keyKinds): number => keyKinds[kind].charCodeAt(0);
const kind = { email: code("email"), network: code("network"), name: code("name"), company: code("company"), domain: code("domain") }; // prettier-ignore
const number = (target: ProspectTarget): number => numberOfTarget(target);
const [firstName, lastName, fullName, email, phone, networkUrl] = [
  number("firstName"), number("lastName"), number("fullName"), number("email"), number("phone"), number("networkUrl"),
]; // prettier-ignore
const [title, seniority, department, confidence, source] = [
  number("title"), number("seniority"), number("department"), number("confidence"), number("source"),
]; // prettier-ignore
const [company, domain, industry, companySize, amount, tools] = [
  number("company"), number("domain"), number("industry"), number("companySize"), number("revenue"), number("technologies"),
]; // prettier-ignore
const [amountThousands, amountNamed] = [number("revenueThousands"), number("revenueNamed")];
const likelihood = number("likelihood");
const [location, city, state, country] = [number("location"), number("city"), number("state"), number("country")];
const [companyLocation, companyCity, companyState, companyCountry] = [
  number("companyLocation"), number("companyCity"), number("companyState"), number("companyCountry"),
]; // prettier-ignore

/** Maximum output per byte: an escape sequence. */
const maxBytesPerByte = 6;
/** Space for field names. */
const ownBytes = 4096;
const [newline, blank, comma, slash, bracket, closingBracket, brace] = [10, 32, 44, 47, 91, 93, 123];
/** `"field":"` by target number. */
const opened = prospectTargetNames.map((name) => encoder.encode(`"${name}":"`));
const closed = encoder.encode('",');
const openedTechnologies = encoder.encode('"technologies":[');
const https = encoder.encode("https://");
const confidences = Array.from({ length: 101 }, (_, percent) => encoder.encode(`"confidence":${percent / 100}}`));
/** Placeholder for an impossible part. */
const tooLong = revenuePart({ min: 0, max: null });

/** 0 for public email providers. */
const keyOfMailDomain = memoize((text) => {
  const domain = businessDomain(`x@${text}`);
  return domain === null ? 0 : companyDomainKey(domain);
});

/** False if the piece is empty. */
function addPart(to: RowBuffer, part: Part): boolean {
  to.bytes(part.json);
  addRaws(to, part.raws);
  return part !== noPart;
}

function addRaws(to: RowBuffer, raws: readonly NumberedRaw[]): void {
  for (let place = 0; place < raws.length; place++) to.raw(raws[place]!);
}

/** The separator that `namesIn` chooses for text without brackets. A slash needs the full rules. */
function separatorIn(bytes: Uint8Array, start: number, end: number): number {
  let found = 0;
  for (let place = start; place < end; place++) {
    const code = bytes[place]!;
    if (code === semicolon) return semicolon;
    if (code === bar) found = bar;
    else if (code === slash) found ||= slash;
    else if (found !== bar && (code === comma || isAlwaysSeparator(code))) found = comma;
  }
  return found || comma;
}

/** Whether a host name has few enough labels to be a registered domain itself. */
function isRegistered(bytes: Uint8Array, start: number, end: number): boolean {
  return bytes.subarray(start, end).indexOf(dot) === bytes.subarray(start, end).lastIndexOf(dot);
}

function isAlwaysSeparator(code: number): boolean {
  return code === bar || code === newline || code === carriageReturn;
}

const [carriageReturn, dot, semicolon, bar] = [13, 46, 59, 124];
