import { expect, test } from "bun:test";
import { join } from "node:path";
import { Command } from "commander";
import { renderManual } from "../../src/surfaces/cli/manual.ts";
import { createCommandLine } from "../support/command-line.ts";

const facts = {
  version: "1.2.3",
  date: "2026-01-31",
  firstSteps: "\nFirst:\n  outreachd serve",
  exitCodes: "\n  0  done",
};

test("the page has every command, and an option of several commands once", async () => {
  await using cli = await createCommandLine();
  const { exitCode, out } = await cli.run("man");
  expect(exitCode).toBe(0);
  for (const heading of ['.SS "outreachd serve [options]"', '.SS "outreachd person erase <WHO> [options]"'])
    expect(out).toContain(`\n${heading}\n`);
  for (const flags of ["--api-key-file <FILE>", "--database <URL>", "--json", "--listen <HOST:PORT>"])
    expect(out.split(`\n.B "${flags.replaceAll("-", "\\-")}"\n`)).toHaveLength(2);
  expect(out).toContain('\n.SH "EXIT STATUS"\n'.replaceAll('"', ""));
  expect(out).toContain("outreachd suppress check ada@mail.example.org");
});

test("what roff would read as a command or another character is escaped", () => {
  const program = new Command("outreachd").description("A program.");
  program.command("do").description('.hidden it\'s `outreachd do --all` C:\\x … "yes"').option("--all", "'quoted' ~ ^");
  const page = renderManual(program, facts);
  expect(page).toContain('\n\\&.hidden it\\(aqs \\%\\fBoutreachd do \\%\\-\\-all\\fR C:\\ex \\[u2026] "yes"\n');
  expect(page).toContain("\n\\(aqquoted\\(aq \\(ti \\(ha\n");
  expect(page).toStartWith('.TH OUTREACHD 1 "2026-01-31" "outreachd 1.2.3"');
});

const mandoc = Bun.which("mandoc");
test.skipIf(mandoc === null)("mandoc has nothing to say about the page", async () => {
  await using cli = await createCommandLine();
  const path = join(cli.directory, "outreachd.1");
  // From source, the day of the commit is unknown.
  const page = (await cli.run("man")).out.replace('OUTREACHD 1 ""', 'OUTREACHD 1 "2026-01-31"');
  await Bun.write(path, page);
  const { stdout, stderr } = Bun.spawnSync([mandoc!, "-Tlint", "-Wstyle", path]);
  expect(stdout.toString() + stderr.toString()).toBe("");
});

const groff = Bun.which("groff");
test.skipIf(groff === null)("groff formats the page without warnings", async () => {
  await using cli = await createCommandLine();
  const page = (await cli.run("man")).out;
  // -P-cbou: without escapes or letters printed over themselves for bold text.
  const command = [groff!, "-man", "-Tutf8", "-ww", "-rLL=90n", "-P-cbou"];
  const { stdout, stderr } = Bun.spawnSync(command, { stdin: Buffer.from(page) });
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toContain("\nEXIT STATUS\n");
});
