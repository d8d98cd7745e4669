import { basename, extname, resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import {
  cloneStatuses,
  previewFormats,
  type CheckView,
  type CloneDetailView,
  type CloneView,
} from "../../features/voice/model.ts";
import { present, type CommandContext } from "./context.ts";
import { CommandError, exitCodes } from "./exit-codes.ts";
import { addConnectionFlags, addUserFlag, pairs } from "./flags.ts";
import { forUser } from "./for-user.ts";
import { watchJob } from "./job-watch.ts";
import { openOutputFile } from "./output-file.ts";
import type { ConnectionFlags } from "./session.ts";
import { checkText, voicesText, voiceText } from "./voice-text.ts";

type UserFlags = ConnectionFlags & { user?: string };
type DescriptionFlags = UserFlags & {
  description?: string;
  label?: Record<string, string>;
  stability?: number;
  clarity?: number;
};
type CreateFlags = DescriptionFlags & { speaker?: string; consentRecording?: string };
type UpdateFlags = DescriptionFlags & { name?: string; enable?: boolean; disable?: boolean };
type SpeakFlags = UserFlags & { output?: string; format?: string };

const waiting = { runsJobs: true } as const;

export function addVoiceCommands(program: Command, context: CommandContext): void {
  const group = program.command("voices").description("Train voices from recordings, and let them speak.");
  addReading(group, context);
  addTraining(group, context);
  addChanges(group, context);
  addSpeaking(group, context);
}

function addReading(group: Command, context: CommandContext): void {
  const list = group
    .command("list")
    .description("List voices, newest first.")
    .addOption(new Option("--status <STATUS>", "Only voices with this status.").choices(cloneStatuses));
  addConnectionFlags(addUserFlag(list)).action((flags: UserFlags & { status?: string }) =>
    forUser(context, flags, async (api, userId) => {
      const { status } = flags;
      const voiceClones = await api.getAll<CloneView>("/voice-clones", "voiceClones", { status, limit: 100, userId });
      await present(context, { voiceClones }, voicesText(voiceClones));
    }),
  );

  const show = group.command("show <VOICE_ID>").description("Show a voice with its recordings and their quality.");
  addConnectionFlags(addUserFlag(show)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const voice = await api.get<CloneDetailView>(pathOf(id), { userId });
      await present(context, voice, voiceText(voice));
    }),
  );

  const check = group
    .command("check <FILES...>")
    .description(
      "Measure recordings and suggest improvements. Nothing is stored. Exits with 1 if they cannot be used.",
    );
  addConnectionFlags(addUserFlag(check)).action((files: string[], flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      const init = { body: await formOf({}, files) };
      const checked = await api.upload<CheckView>("/voice-clones/check", { userId }, init);
      await present(context, checked, checkText(checked));
      if (!checked.isTrainable) context.exitCode = exitCodes.failed;
    }),
  );
}

function addTraining(group: Command, context: CommandContext): void {
  const create = group
    .command("create <NAME> <FILES...>")
    .description("Train a voice from 1 to 10 recordings of one person (WAV, MP3, M4A, FLAC), and wait for the result.")
    .option("--speaker <NAME>", "Confirms that this person consented to the voice and its use.")
    .option("--consent-recording <FILE>", "Recording of the person reading the consent, if the server requires one.");
  addConnectionFlags(addUserFlag(addDescriptionFlags(create))).action(
    (name: string, files: string[], flags: CreateFlags) =>
      forUser(
        context,
        flags,
        async (api, userId) => {
          const { speaker, consentRecording } = flags;
          const consent = speaker === undefined ? undefined : { attested: true, speakerName: speaker };
          const fields = { name, ...descriptionIn(flags), consent };
          const init = { body: await formOf(fields, files, consentRecording) };
          const created = await api.upload<{ voiceId: string; jobId: string }>("/voice-clones", { userId }, init);
          if (!context.json) await present(context, created, `Created the voice ${created.voiceId}.`);
          await watchJob(api, created.jobId, userId, context);
        },
        waiting,
      ),
  );

  const add = group
    .command("add-recordings <VOICE_ID> <FILES...>")
    .description("Add recordings to a voice, train it again, and wait. The current version stays in use meanwhile.");
  addConnectionFlags(addUserFlag(add)).action((id: string, files: string[], flags: UserFlags) =>
    forUser(
      context,
      flags,
      async (api, userId) => {
        const init = { body: await formOf({}, files) };
        const { jobId } = await api.upload<CloneView>(`${pathOf(id)}/samples`, { userId }, init);
        await watchJob(api, jobId, userId, context);
      },
      waiting,
    ),
  );

  const train = group
    .command("train <VOICE_ID>")
    .description("Train a voice again from its recordings, with the engine of the server, and wait for the result.");
  addConnectionFlags(addUserFlag(train)).action((id: string, flags: UserFlags) =>
    forUser(
      context,
      flags,
      async (api, userId) => {
        const { jobId } = await api.post<CloneView>(`${pathOf(id)}/train`, { userId });
        await watchJob(api, jobId, userId, context);
      },
      waiting,
    ),
  );
}

function addChanges(group: Command, context: CommandContext): void {
  const update = group
    .command("update <VOICE_ID>")
    .description("Change the name, description, labels, or settings of a voice. It is not trained again.")
    .option("--name <NAME>", "New name.")
    .addOption(new Option("--enable", "Let it be used again.").conflicts("disable"))
    .option("--disable", "Keep it, but do not let it be used.");
  addConnectionFlags(addUserFlag(addDescriptionFlags(update))).action((id: string, flags: UpdateFlags) =>
    forUser(context, flags, async (api, userId) => {
      const { name, enable, disable } = flags;
      const isActive = enable === true ? true : disable === true ? false : undefined;
      const change = { name, ...descriptionIn(flags), isActive };
      if (Object.values(change).every((value) => value === undefined))
        throw new CommandError(exitCodes.usage, "Nothing to change. See `outreachd voices update --help`.");
      const changed = await api.put<{ name: string }>(pathOf(id), { ...change, userId });
      await present(context, changed, `Updated ${changed.name}.`);
    }),
  );

  const remove = group
    .command("delete <VOICE_ID>")
    .description("Delete a voice with its recordings and all that it spoke, permanently.");
  addConnectionFlags(addUserFlag(remove)).action((id: string, flags: UserFlags) =>
    forUser(context, flags, async (api, userId) => {
      await api.delete(pathOf(id), { userId });
      await present(context, { deleted: id }, `Deleted the voice ${id}.`);
    }),
  );
}

function addSpeaking(group: Command, context: CommandContext): void {
  const speak = group
    .command("speak <VOICE_ID> <TEXT>")
    .description("Let a voice speak a text, into an audio file. The file is marked as synthetic.")
    .option("--output <FILE>", "File to write. It appears only once it is complete. Default: standard output.")
    .addOption(
      new Option("--format <FORMAT>", "wav, or m4a (smaller). Default: by the extension of FILE, or wav.").choices(
        previewFormats,
      ),
    );
  addConnectionFlags(addUserFlag(speak)).action((id: string, text: string, flags: SpeakFlags) => {
    const { output } = flags;
    if (output === undefined && (context.terminal.showsOutput || context.json))
      throw new CommandError(exitCodes.usage, "Audio cannot be shown here. Specify a file with --output FILE.");
    const format = flags.format ?? (extname(output ?? "").toLowerCase() === ".m4a" ? "m4a" : "wav");
    return forUser(context, flags, async (api, userId) => {
      const headers = { "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify({ text, format, userId }) };
      const response = await api.send(`${pathOf(id)}/preview`, {}, init);
      const audio = new Uint8Array(await response.arrayBuffer());
      if (output === undefined) return context.terminal.out(audio);
      const file = await openOutputFile(output);
      try {
        await file.write(audio);
        await file.complete();
      } catch (error) {
        await file.discard();
        throw error;
      }
      const path = resolve(output);
      await present(context, { file: path, bytes: audio.length }, `Wrote ${path}.`);
    });
  });
}

const pathOf = (id: string) => `/voice-clones/${encodeURIComponent(id)}`;

function addDescriptionFlags(command: Command): Command {
  return command
    .option("--description <TEXT>", "What the voice is for.")
    .option(
      "--label <NAME=VALUE>",
      "Label, such as language=de. Repeat it for several; they replace all.",
      pairs("language=de"),
    )
    .option("--stability <NUMBER>", "From 0 (expressive) to 1 (even).", fraction)
    .option("--clarity <NUMBER>", "Similarity to the recordings, from 0 to 1.", fraction);
}

function descriptionIn({ description, label: labels, stability, clarity }: DescriptionFlags) {
  const settings = stability === undefined && clarity === undefined ? undefined : { stability, clarity };
  return { description, labels, settings };
}

/** A form in the order that the server reads it: fields decide what to do with the files. */
async function formOf(
  fields: Readonly<Record<string, unknown>>,
  files: readonly string[],
  consentRecording?: string,
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) form.append(name, typeof value === "string" ? value : JSON.stringify(value));
  for (const path of files) form.append("files", await fileAt(path), basename(path));
  if (consentRecording !== undefined)
    form.append("consentRecording", await fileAt(consentRecording), basename(consentRecording));
  return form;
}

async function fileAt(path: string): Promise<Blob> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw new CommandError(exitCodes.usage, `File ${path} not found.`);
  return file;
}

function fraction(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError("Expected a number from 0 to 1.");
  return number;
}
