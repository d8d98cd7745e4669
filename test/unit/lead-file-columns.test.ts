import { describe, expect, test } from "bun:test";
import { columnOverrides, columnPlan, identifies } from "../../src/features/leads/import/column-plan.ts";
import { recognizedTarget } from "../../src/platform/imports/person-columns.ts";

const targetsOf = (headers: string[]) => columnPlan(headers, columnOverrides(null)).map(({ target }) => target);

describe("the headers of well-known exports are understood", () => {
  test.each([
    [
      "LinkedIn connections",
      "First Name,Last Name,URL,Email Address,Company,Position",
      "firstName,lastName,networkUrl,email,company,title",
    ],
    [
      "HubSpot",
      "First Name,Last Name,Email,Phone Number,Job Title,Company Name,State/Region",
      "firstName,lastName,email,phone,title,company,state",
    ],
    [
      "Salesforce",
      "First Name,Last Name,Title,Account Name,Email,Lead Source",
      "firstName,lastName,title,company,email,source",
    ],
    [
      "Apollo",
      "First Name,Last Name,Title,Company,Email,Work Direct Phone,Industry,Person Linkedin Url",
      "firstName,lastName,title,company,email,phone,industry,networkUrl",
    ],
    [
      "lemlist",
      "email,firstName,lastName,companyName,linkedinUrl,phone,jobTitle",
      "email,firstName,lastName,company,networkUrl,phone,title",
    ],
    [
      "Google Contacts",
      "First Name,Last Name,Organization Name,Organization Title,Labels,E-mail 1 - Value,Phone 1 - Value",
      "firstName,lastName,company,title,tags,email,phone",
    ],
    [
      "German",
      "Vorname,Nachname,E-Mail-Adresse,Firma,Telefonnummer,Branche,Ort,Land",
      "firstName,lastName,email,company,phone,industry,city,country",
    ],
    [
      "French",
      "Prénom,Nom,Adresse e-mail,Société,Poste,Téléphone,Ville,Pays",
      "firstName,lastName,email,company,title,phone,city,country",
    ],
    [
      "Spanish",
      "Nombre,Apellidos,Correo electrónico,Empresa,Cargo,Teléfono,Ciudad,País",
      "firstName,lastName,email,company,title,phone,city,country",
    ],
  ])("%s", (_, headers, targets) => {
    expect(targetsOf(headers.split(","))).toEqual(targets.split(",") as ReturnType<typeof targetsOf>);
  });
});

describe("columns", () => {
  test("case, spaces, punctuation and accents of a header don't matter", () => {
    expect(["  E-MAIL ", "e_mail", "E mail:"].map(recognizedTarget)).toEqual(["email", "email", "email"]);
    expect(recognizedTarget("prenom")).toBe("firstName");
  });

  test("a header customFields.x is the custom field x, as it is written", () => {
    expect(recognizedTarget("customFields.Shoe Size")).toBe("customFields.Shoe Size");
  });

  test("names of custom fields stay within their limit and apart", () => {
    const [first, second] = columnPlan(["x".repeat(300), "x".repeat(300)], columnOverrides(null));
    expect(first?.spareField.length).toBeLessThanOrEqual(100);
    expect(second?.spareField).not.toBe(first?.spareField);
  });

  test.each([
    [["Email"], true],
    [["Profile URL"], true],
    [["Name", "Company"], true],
    [["First Name", "Last Name", "Company"], true],
    [["First Name", "Company"], false],
    [["Name"], false],
  ])("%j identify a person: %p", (headers, expected) => {
    expect(identifies(columnPlan(headers, columnOverrides(null)))).toBe(expected);
  });
});
