import { signal } from "@preact/signals";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "outreachd.theme";

/** The user's choice. theme.ts applies it on the next page load, `chooseTheme` to the current page. */
export const theme = signal<Theme>(stored());

export function chooseTheme(choice: Theme): void {
  theme.value = choice;
  if (choice === "system") {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(storageKey, choice);
    document.documentElement.dataset["theme"] = choice;
  }
}

function stored(): Theme {
  const value = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === value) ?? "system";
}
