import { expect, test } from "bun:test";
import { namesIn } from "../../src/features/prospecting/import/row-values.ts";

test.each([
  ["['E', 'F']", ["E", "F"]],
  ["{G,H}", ["G", "H"]],
  ['{"Ruby on Rails",I}', ["Ruby on Rails", "I"]],
  ['["I","J"]', ["I", "J"]],
  ['["K", 1]', ["K"]],
  ["[L;M]", ["L", "M"]],
  ["C|D", ["C", "D"]],
  ["A, B; C|D", ["A, B", " C", "D"]],
  ["C++;C#", ["C++", "C#"]],
  ["[]", []],
  ["[half, open", ["[half", " open"]],
  ["A\nB\r\nC", ["A", "B", "", "C"]],
  ["A, B\nC", ["A", " B", "C"]],
  ["A, B;C\nD", ["A, B", "C", "D"]],
  ["Salesforce / HubSpot /Jira/ C", ["Salesforce", "HubSpot", "Jira", "C"]],
  ["Salesforce/HubSpot", ["Salesforce", "HubSpot"]],
  ["Node.js/React", ["Node.js", "React"]],
  ["AWS/GCP/Azure", ["AWS", "GCP", "Azure"]],
  ["Oracle PL/SQL / TCP/IP", ["Oracle PL/SQL", "TCP/IP"]],
  ["Java/J2EE, CI/CD", ["Java/J2EE", " CI/CD"]],
  ...[
    "PL/SQL",
    "TCP/IP",
    "CI/CD",
    "A/B Testing",
    "A/B/n Testing",
    "S/4HANA",
    "AS/400",
    "z/OS",
    "HTTP/2",
    "C/C++",
    "GNU/Linux",
  ].map((name): [string, string[]] => [name, [name]]),
])("%s names %p", (text, names) => {
  expect(namesIn(text)).toEqual(names);
});
