import { loadConfig } from "../../src/app/config/config.ts";
import { expect, test } from "bun:test";
import { describeOptions } from "../../src/app/config/describe.ts";
import { resolveOptions, unknownVariables, type Option, type Sources } from "../../src/app/config/sources.ts";
import { text } from "../../src/app/config/values.ts";

const smtpPassword: Option<string | null> = {
  argument: "FILE",
  parse: text,
  default: null,
  description: "",
  secret: true,
};
const options = { smtpPassword };

function resolve(sources: Partial<Sources>) {
  const readFile = (path: string) => `from ${path}\n`;
  return resolveOptions(options, { flags: {}, env: {}, file: null, readFile, ...sources });
}

test("a secret comes from a variable, or from the file that a variable or a flag names", () => {
  expect(resolve({ env: { OUTREACHD_SMTP_PASSWORD: "s3cret" } }).values.smtpPassword).toBe("s3cret");
  expect(resolve({ env: { OUTREACHD_SMTP_PASSWORD_FILE: "/run/a" } }).values.smtpPassword).toBe("from /run/a");
  expect(resolve({ flags: { smtpPasswordFile: "/run/b" } }).values.smtpPassword).toBe("from /run/b");
});

test("a secret is no flag, because flags show in the process list", () => {
  expect(resolve({ flags: { smtpPassword: "s3cret" } }).values.smtpPassword).toBeNull();
});

test("a secret that is given twice is a problem", () => {
  const env = { OUTREACHD_SMTP_PASSWORD: "a", OUTREACHD_SMTP_PASSWORD_FILE: "b" };
  expect(resolve({ env }).problems).toEqual([
    {
      option: "OUTREACHD_SMTP_PASSWORD",
      message: "Set either OUTREACHD_SMTP_PASSWORD or OUTREACHD_SMTP_PASSWORD_FILE, not both.",
    },
  ]);
});

test("a secret's file that can't be read is a problem of the variable that names it", () => {
  const readFile = () => {
    throw new Error("no such file");
  };
  const { problems } = resolve({ env: { OUTREACHD_SMTP_PASSWORD_FILE: "/run/a" }, readFile });
  expect(problems).toEqual([{ option: "OUTREACHD_SMTP_PASSWORD_FILE", message: "no such file" }]);
});

test("a description masks a secret that is set", () => {
  const described = (sources: Partial<Sources>) => describeOptions(options, resolve(sources))[0];
  expect(described({ env: { OUTREACHD_SMTP_PASSWORD: "s3cret" } })).toMatchObject({
    value: "[secret]",
    flag: "--smtp-password-file",
    origin: "environment",
  });
  expect(described({})).toMatchObject({ value: null, origin: "default" });
});

test("only secrets have a variable that names a file", () => {
  expect(unknownVariables(options, { OUTREACHD_SMTP_PASSWORD_FILE: "/run/a" }, [])).toEqual([]);
  expect(unknownVariables({}, { OUTREACHD_DATA_FILE: "/run/a" }, [])).toHaveLength(1);
});

test("a default of the image is outranked by a file, and its name is checked", () => {
  const env = { OUTREACHD_IMAGE_LISTEN: "0.0.0.0:1", OUTREACHD_CONFIG: "/config.toml" };
  const listenOf = (file: string) => loadConfig({ flags: {}, env, readFile: () => file }).listen;
  expect(listenOf("")).toEqual({ host: "0.0.0.0", port: 1 });
  expect(listenOf('listen = "127.0.0.1:2"')).toEqual({ host: "127.0.0.1", port: 2 });
  expect(() => loadConfig({ flags: {}, env: { OUTREACHD_IMAGE_LISTNE: "x" } })).toThrow("Unknown variable");
});
