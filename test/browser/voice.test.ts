import { afterAll, expect } from "bun:test";
import { closeBrowser, findings, openSignedIn, testInBrowser } from "../support/browser.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { spokenWav } from "../support/voices.ts";

afterAll(closeBrowser);

testInBrowser(
  "records, uploads, checks, and trains a voice, then plays a preview",
  async () => {
    await using directory = await createDirectory();
    await using server = await startServer(`${directory.path}/data`);
    await using opened = await openSignedIn(server, "/app/voice", { permissions: ["microphone"] });
    const { page, problems } = opened;

    await page.getByRole("link", { name: "Clone a voice" }).first().click();
    await page.getByRole("button", { name: "Record here" }).click();
    await page.getByText("0:01").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("recording-1.wav").waitFor();
    await page.getByLabel("Drop recordings of one person").setInputFiles({
      name: "ada <b>.wav",
      mimeType: "audio/wav",
      buffer: Buffer.from(await spokenWav(13, "slt")),
    });
    await page.getByRole("button", { name: "Check quality" }).click();
    // The browser's fake microphone beeps, which is not speech.
    await page.getByText("Unusable").first().waitFor({ timeout: 60_000 });
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove recording-1.wav" }).click();

    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Speaker", { exact: true }).fill("Ada Byron");
    await page.getByRole("button", { name: "Train voice" }).click();
    await page.getByText("requires the person").waitFor();
    await page.getByLabel("The speaker has agreed").check();
    await page.getByRole("button", { name: "Train voice" }).click();
    await page.getByRole("heading", { name: "Ada" }).waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor({ timeout: 200_000 });
    await page.getByText("Ada Byron consented").waitFor();
    await page.getByRole("button", { name: "Play ada <b>.wav" }).click();
    await page.locator("audio").first().waitFor();
    await page.getByLabel("Text", { exact: true }).fill("Hello.");
    await page.getByRole("button", { name: "Play", exact: true }).click();
    const sound = page.locator('audio[aria-label="Voice preview"]');
    await sound.waitFor({ timeout: 60_000 });
    await page.waitForFunction(
      () => (document.querySelector('audio[aria-label="Voice preview"]') as HTMLAudioElement).readyState > 0,
    );
    expect(await findings(page)).toEqual([]);
    expect(problems).toEqual([]);
  },
  360_000,
);
