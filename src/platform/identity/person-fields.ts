/** Maximum length of each text field of a person, in characters. */
export const personTextLimits = {
  firstName: 200,
  lastName: 200,
  email: 254, // RFC 5321: the longest deliverable address
  company: 300,
  title: 300,
  phone: 50,
  networkUrl: 500,
  industry: 200,
  location: 300,
  source: 200,
  notes: 10_000,
} as const;

export type PersonTextField = keyof typeof personTextLimits;
export const personTextFields = Object.keys(personTextLimits) as PersonTextField[];
