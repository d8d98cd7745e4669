import { expect, test } from "bun:test";
import { signInAs } from "../support/page.ts";
import { isForPage } from "../../src/surfaces/dashboard/app/shortcuts.ts";

function pressIn(html: string): boolean {
  signInAs();
  document.body.innerHTML = html;
  let isMeantForPage: boolean | null = null;
  const listen = (event: KeyboardEvent) => {
    isMeantForPage = isForPage(event);
  };
  document.addEventListener("keydown", listen, { once: true });
  document.body.firstElementChild?.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
  document.body.innerHTML = "";
  if (isMeantForPage === null) throw new Error("The key did not reach the document.");
  return isMeantForPage;
}

test.each([
  ['<input type="checkbox">', true],
  ['<input type="radio">', true],
  ["<button>Select</button>", true],
  ["<input>", false],
  ['<input type="search">', false],
  ["<textarea></textarea>", false],
  ["<select></select>", false],
  ['<div contenteditable="true"></div>', false],
])("a key pressed in %s is a shortcut of the page: %p", (html, expected) => {
  expect(pressIn(html)).toBe(expected);
});
