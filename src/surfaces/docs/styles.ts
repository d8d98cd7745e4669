/** Styles of the pages, with the colors of the dashboard, light or dark as the system is. */
export const styles = `:root {
  color-scheme: light dark;
  --canvas: #ffffff;
  --sunken: #f3f5f8;
  --line: #dfe3ea;
  --text: #161b26;
  --faint: #566073;
  --accent: #3558d4;
  --accent-soft: #e8edfd;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: #0f1218;
    --sunken: #1b2029;
    --line: #2a303c;
    --text: #e8ebf1;
    --faint: #a2acbd;
    --accent: #8aa4ff;
    --accent-soft: #222c4d;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; }
body {
  margin: 0;
  background: var(--canvas);
  color: var(--text);
  font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, sans-serif;
}
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; z-index: 2; padding: 0.5rem 1rem; background: var(--canvas); }
header {
  position: sticky; top: 0; z-index: 1;
  display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 2rem;
  padding: 0.75rem 1.5rem;
  background: var(--canvas);
  border-bottom: 1px solid var(--line);
}
header nav { display: flex; gap: 1.25rem; }
header a { color: var(--faint); text-decoration: none; }
header a:hover, header .here { color: var(--text); }
.brand { display: flex; align-items: center; gap: 0.6rem; color: var(--text); font-weight: 650; }
.columns {
  display: grid; grid-template-columns: 15rem minmax(0, 46rem) 13rem; justify-content: center; gap: 3rem;
  padding: 0 1.5rem;
}
.pages, .sections { position: sticky; top: 3.6rem; align-self: start; max-height: calc(100vh - 3.6rem); overflow: auto; padding: 2rem 0; font-size: 0.9rem; line-height: 1.4; }
.pages ul, .sections ul { list-style: none; margin: 0 0 1.5rem; padding: 0; }
.pages li a { display: block; padding: 0.3rem 0.75rem; border-radius: 6px; color: var(--text); text-decoration: none; }
.pages li a:hover { background: var(--sunken); }
.pages li a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.pages p, .sections p { margin: 0 0 0.5rem; color: var(--faint); font-weight: 600; font-size: 0.8rem; }
.pages p { padding-left: 0.75rem; }
.sections li { margin: 0.4rem 0; }
.sections a { color: var(--faint); text-decoration: none; }
.sections a:hover { color: var(--accent); }
details { display: none; }
summary { cursor: pointer; padding: 0.5rem 0; font-weight: 600; }
main { padding: 2rem 0 4rem; min-width: 0; }
main:focus { outline: none; }
h1, h2, h3, h4 { line-height: 1.25; margin: 2.5rem 0 0.75rem; text-wrap: balance; }
h1 { margin-top: 0; font-size: 2rem; letter-spacing: -0.02em; }
h2 { padding-top: 0.5rem; font-size: 1.4rem; letter-spacing: -0.01em; }
h3 { font-size: 1.1rem; }
h1 a, h2 a, h3 a, h4 a { color: inherit; text-decoration: none; }
h2 > a:hover::after, h3 > a:hover::after { content: " #"; color: var(--accent); }
p, ul, ol, pre, picture { margin: 0 0 1rem; }
li + li { margin-top: 0.3rem; }
code { font: 0.875em var(--mono); background: var(--sunken); border-radius: 4px; padding: 0.1em 0.3em; overflow-wrap: break-word; }
pre { padding: 1rem 1.1rem; overflow-x: auto; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; line-height: 1.5; }
pre code { padding: 0; background: none; font-size: 0.84rem; overflow-wrap: normal; }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; font-size: 0.92rem; line-height: 1.5; }
th, td { padding: 0.5rem 0.75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--faint); font-weight: 600; white-space: nowrap; }
th:first-child, td:first-child { padding-left: 0; }
[align="right"] { text-align: right; }
[align="center"] { text-align: center; }
blockquote { margin: 0 0 1rem; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--faint); }
img { max-width: 100%; height: auto; }
main img { display: block; border: 1px solid var(--line); border-radius: 10px; }
main footer { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem; margin-top: 3rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
@media (max-width: 75rem) {
  .columns { grid-template-columns: 15rem minmax(0, 46rem); }
  .sections { display: none; }
}
@media (max-width: 52rem) {
  .columns { display: block; }
  .pages { position: static; max-height: none; padding: 1rem 0 0; }
  .pages .wide { display: none; }
  details { display: block; }
}
@media print {
  header, .pages, .sections, main footer { display: none; }
  .columns { display: block; }
}
`;
