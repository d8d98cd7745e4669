import { personTextFields, type PersonTextField } from "../identity/person-fields.ts";
import { eastAsianHeaders } from "./east-asian-headers.ts";

/** Header of the column that says why a row failed, in a file of failed rows, which can be imported again. */
export const problemHeader = "Import problem";

const otherTargets = ["fullName", "city", "state", "country", "status", "tags", "customFields", "ignore"] as const;

/**
 * What a column maps to: a text field of the lead; `fullName`, which is split; `city`, `state`, and `country`, which
 * form the location if no column has all of it; `status`; `tags`, separated by semicolons or commas; `customFields`, a
 * JSON object; `customFields.x`, the custom field x; or `ignore`.
 */
export type ColumnTarget = PersonTextField | (typeof otherTargets)[number] | `customFields.${string}`;

/**
 * Header names that are recognized, and the product that exports them where it is not obvious. Case, spaces,
 * punctuation, and accents do not matter.
 */
export const personHeaders: Record<Exclude<ColumnTarget, `customFields.${string}`>, readonly string[]> = {
  firstName: [
    "First Name",
    "First",
    "Given Name",
    "Forename",
    "fname",
    "Vorname",
    "Prénom",
    "Nombre",
    "Nombres",
    "Voornaam",
  ],
  lastName: [
    ...["Last Name", "Last", "Family Name", "Surname", "lname", "Nachname", "Familienname", "Nom", "Nom de famille"],
    ...["Apellido", "Apellidos", "Cognome", "Achternaam"],
  ],
  fullName: [
    ...["Full Name", "Name", "Contact Name", "Lead Name", "Person Name", "Display Name", "Vollständiger Name"],
    ...["Vor- und Nachname", "Nom complet", "Nom et prénom", "Nombre completo", "Nombre y apellidos"],
  ],
  email: [
    ...["Email", "E-mail Address", "Mail", "Work Email", "Business Email", "Professional Email", "Company Email"],
    ...["Primary Email", "Contact Email", "Person Email", "Lead Email", "Email 1", "E-Mail-Adresse", "Mailadresse"],
    ...[
      "Adresse e-mail",
      "Adresse mail",
      "Adresse électronique",
      "Courriel",
      "Correo",
      "Correo electrónico",
      "Indirizzo e-mail",
    ],
    "E-mail 1 - Value", // Google Contacts
  ],
  company: [
    ...["Company", "Company Name", "Organization", "Organisation", "Organization Name", "Account", "Account Name"],
    ...["Employer", "Current Company", "Firma", "Firmenname", "Unternehmen", "Entreprise", "Société"],
    ...["Nom de l'entreprise", "Empresa", "Nombre de la empresa", "Compañía", "Azienda", "Bedrijf"],
    "Company / Account", // Salesforce
    ...["Associated Company", "Primary Company"], // HubSpot
    "Organization 1 - Name", // Google Contacts, up to 2023
  ],
  title: [
    ...["Title", "Job Title", "Position", "Role", "Job", "Occupation", "Current Position", "Current Title", "Jobtitel"],
    ...["Berufsbezeichnung", "Funktion", "Poste", "Intitulé du poste", "Fonction", "Cargo", "Puesto"],
    ...["Organization Title", "Organization 1 - Title"], // Google Contacts
  ],
  phone: [
    ...["Phone", "Phone Number", "Telephone", "Telephone Number", "Tel", "Mobile", "Mobile Phone", "Mobile Number"],
    ...["Cell", "Cell Phone", "Work Phone", "Business Phone", "Direct Phone", "Contact Number", "Telefon"],
    ...[
      "Telefonnummer",
      "Handy",
      "Handynummer",
      "Mobil",
      "Mobiltelefon",
      "Téléphone",
      "Numéro de téléphone",
      "Portable",
    ],
    ...["Teléfono", "Número de teléfono", "Móvil", "Celular"],
    "Mobile Phone Number", // HubSpot
    ...["First Phone", "Work Direct Phone"], // Apollo
    "Phone 1 - Value", // Google Contacts
  ],
  networkUrl: [
    ...["networkUrl", "LinkedIn", "LinkedIn URL", "LinkedIn Profile", "LinkedIn Profile URL", "LinkedIn Link"],
    ...["Person Linkedin Url", "Contact LinkedIn URL", "Lead LinkedIn URL", "Profile", "Profile URL", "Profile Link"],
    ...[
      "Public Profile URL",
      "Network Profile",
      "Profil-URL",
      "Profil LinkedIn",
      "LinkedIn-Profil",
      "Perfil de LinkedIn",
    ],
    "URL", // the connections export
  ],
  industry: [
    "Industry",
    "Company Industry",
    "Sector",
    "Branche",
    "Secteur",
    "Secteur d'activité",
    "Industria",
    "Settore",
  ],
  location: [
    ...[
      "Location",
      "Person Location",
      "Lead Location",
      "Contact Location",
      "Standort",
      "Lieu",
      "Localisation",
      "Ubicación",
    ],
  ],
  city: ["City", "Town", "Mailing City", "Stadt", "Ort", "Wohnort", "Ville", "Ciudad", "Città"],
  state: [
    "State",
    "State/Region",
    "State/Province",
    "Mailing State/Province",
    "Province",
    "Region",
    "Bundesland",
    "Provincia",
  ],
  country: ["Country", "Country/Region", "Mailing Country", "Land", "Pays", "País", "Paese"],
  source: ["Source", "Lead Source", "Original Source", "Quelle", "Herkunft", "Origine", "Fuente", "Origen"],
  notes: [
    ...["Notes", "Note", "Comment", "Comments", "Remarks", "Notiz", "Notizen", "Bemerkung", "Bemerkungen", "Kommentar"],
    ...["Remarques", "Commentaire", "Commentaires", "Nota", "Notas", "Comentario", "Comentarios"],
  ],
  tags: [
    ...["Tags", "Tag", "Label", "Labels", "Schlagwörter", "Étiquettes", "Etiquetas"],
    "Group Membership", // Google Contacts, up to 2023
  ],
  status: ["Status"],
  customFields: ["customFields", "Custom Fields"],
  // Our own export has them, but an imported lead gets new ones.
  ignore: ["id", "createdAt", "updatedAt", "assignedTo", problemHeader],
};

let byName: ReadonlyMap<string, ColumnTarget> | null = null;

function targetsByName(): ReadonlyMap<string, ColumnTarget> {
  return new Map(
    [...Object.entries(personHeaders), ...Object.entries(eastAsianHeaders)].flatMap(([target, names]) =>
      names.map((name) => [normalized(name), target as ColumnTarget]),
    ),
  );
}

/** Headers that identify or describe a person, as examples for a file without a usable header. */
export const understoodHeaders = [
  ...[
    "Email",
    "First Name",
    "Last Name",
    "Full Name",
    "Company",
    "Title",
    "Phone",
    "LinkedIn URL",
    "Industry",
    "Location",
  ],
  ...["Source", "Notes", "Tags"],
];

/** The target of a column by its header; null if the header is unknown. `customFields.x` is always known. */
export function recognizedTarget(header: string): ColumnTarget | null {
  const name = header.trim();
  const custom = /^customFields\.(.+)$/is.exec(name)?.[1];
  if (custom !== undefined) return `customFields.${custom}`;
  return (byName ??= targetsByName()).get(normalized(name)) ?? null;
}

/** Parses the target of a column; null if no such target exists. */
export function columnTarget(text: string): ColumnTarget | null {
  const custom = /^customFields\.(.{1,100})$/s.exec(text)?.[1];
  if (custom !== undefined) return `customFields.${custom}`;
  return columnTargets.find((target) => target === text) ?? null;
}

/** Every target except `customFields.x`. */
export const columnTargets = [...personTextFields, ...otherTargets];

/** The form in which headers are compared: lower case, without accents, spaces, and punctuation. */
export function normalized(header: string): string {
  const letters = header.normalize("NFKD").toLowerCase();
  return letters.replace(/[^\p{L}\p{N}]/gu, "") || header.trim();
}
