import type { Command } from "commander";

/** A command line, and what it does where that is not obvious. */
type Example = readonly [line: string, meaning?: string];

const id = "019b2c4e-7d10-7000-8000-0242ac120002";

/** By the path of the command. Every command has at least one; a test runs each through the parser. */
export const examples: Readonly<Record<string, readonly Example[]>> = {
  serve: [
    ["outreachd serve", "data in ./outreachd-data, on http://127.0.0.1:8080"],
    ["outreachd serve --data /var/lib/outreachd --listen 0.0.0.0:8080 --public-url https://outreach.example.com"],
    ['outreachd serve --backup-schedule "15 3 * * *" --backup-to /mnt/nas/outreachd'],
    ["outreachd serve --simulate --data ./play", "try it: nothing is sent"],
  ],
  "user create": [
    ["outreachd user create ada@example.com --name Ada --key", "with an API key, shown once"],
    ["outreachd user create grace@example.com --role admin --time-zone America/New_York"],
  ],
  "user update": [
    ["outreachd user update ada@example.com --role admin"],
    ["outreachd user update ada@example.com --deactivate"],
  ],
  "user list": [["outreachd user list"], ["outreachd user list --json"]],
  "user link": [["outreachd user link ada@example.com", "a link to sign in, if the key is not at hand"]],
  "user grant": [['outreachd user grant ada@example.com 500 --note "Trial"']],
  "member list": [["outreachd member list"], ["outreachd member list --workspace ada@example.com"]],
  "member update": [
    ["outreachd member update bob@example.com --role viewer"],
    ["outreachd member update bob@example.com --role custom --permission leads:read --permission leads:write"],
  ],
  "member remove": [
    ["outreachd member remove bob@example.com --leads-to ada@example.com --accounts-to ada@example.com"],
  ],
  "invite create": [["outreachd invite create grace@example.com --role member", "prints the link to send"]],
  "invite list": [["outreachd invite list"]],
  "invite revoke": [[`outreachd invite revoke ${id}`]],
  "workspace create": [["outreachd workspace create Sales --owner ada@example.com"]],
  "workspace list": [["outreachd workspace list"]],
  "workspace update": [[`outreachd workspace update ${id} --name Marketing`]],
  "workspace merge": [
    ["outreachd workspace merge bob@example.com ada@example.com", "shows what would happen"],
    ["outreachd workspace merge bob@example.com ada@example.com --yes"],
  ],
  "key create": [
    ["outreachd key create --name laptop"],
    [
      "outreachd key create --name n8n --permission leads:read --permission leads:write --allow 10.0.0.0/8 --per-hour 500",
    ],
    ["outreachd key create --name prometheus --permission metrics:read --expires-in-days 365"],
  ],
  "key list": [["outreachd key list"], ["outreachd key list --user ada@example.com"]],
  "key update": [
    [`outreachd key update ${id} --permission leads:read --expires-in-days 90`],
    [`outreachd key update ${id} --per-hour 500 --per-minute none --allow none`, "a limit, and any network"],
    [`outreachd key update ${id} --disable`],
  ],
  "key regenerate": [[`outreachd key regenerate ${id}`, "the old secret stops working immediately"]],
  "key usage": [[`outreachd key usage ${id} --days 7`]],
  "key revoke": [[`outreachd key revoke ${id}`]],
  "leads list": [
    ["outreachd leads list --status new --tag spring"],
    ["outreachd leads list --title-contains CTO --has-email true --in-campaign false --limit 100"],
    ['outreachd leads list --view "Hot in Berlin" --json'],
  ],
  "leads show": [[`outreachd leads show ${id}`]],
  "leads campaigns": [[`outreachd leads campaigns ${id}`]],
  "leads values": [
    ["outreachd leads values company --contains gmbh"],
    ["outreachd leads values customField", "the names of custom fields"],
    ["outreachd leads values customField --name size"],
  ],
  "leads create": [
    ["outreachd leads create --set email=ada@example.com --set firstName=Ada --tag math --on-duplicate update"],
    ["outreachd leads create --set networkUrl=https://network.example/in/ada --set customFields.size=12"],
  ],
  "leads update": [
    [`outreachd leads update ${id} --set title=CTO --set phone=`, "without a phone number from now on"],
    [`outreachd leads update ${id} 019b2c4e-8a20-7000-8000-0242ac120002 --set-status contacted --add-tag called`],
  ],
  "leads delete": [[`outreachd leads delete ${id}`], [`outreachd leads delete ${id} --suppress`]],
  "leads bulk": [
    ["outreachd leads bulk --tag spring --status new --dry-run", "how many match"],
    ["outreachd leads bulk --tag spring --status new --set-status contacted --add-tag called"],
    [`outreachd leads bulk --list Berlin --has-profile true --enroll-in ${id}`],
    ["outreachd leads bulk --source trial --updated-before 2030-01-01 --delete", "asks for the number above 100"],
  ],
  "leads duplicates": [["outreachd leads duplicates"], ["outreachd leads duplicates --limit 50 --json"]],
  "leads merge": [
    [`outreachd leads merge ${id} 019b2c4e-8a20-7000-8000-0242ac120002 --take email`, "the second one is deleted"],
  ],
  "leads views list": [["outreachd leads views list"]],
  "leads views save": [
    ['outreachd leads views save "Hot in Berlin" --tags hot --location-contains berlin --column name --column company'],
  ],
  "leads views update": [['outreachd leads views update "Hot in Berlin" --name "Warm in Berlin" --sort -updatedAt']],
  "leads views delete": [['outreachd leads views delete "Hot in Berlin"']],
  "import leads": [
    ["outreachd import leads people.csv --dry-run", "what would happen, row by row"],
    ["outreachd import leads people.csv --tag spring --on-duplicate update"],
    ['outreachd import leads people.csv --column "Mail=email" --assign-to roundRobin'],
    ["gunzip -c people.ndjson.gz | outreachd import leads -"],
  ],
  "import prospects": [
    ["outreachd import prospects people.csv --dry-run"],
    ['outreachd import prospects companies.csv --source "trade fair"'],
  ],
  "import watch": [[`outreachd import watch ${id}`]],
  "import report": [[`outreachd import report ${id}`]],
  "import failed": [[`outreachd import failed ${id} --output fix.csv`]],
  "export leads": [
    ["outreachd export leads --output leads.csv"],
    ["outreachd export leads --format ndjson --status new --tag spring | head"],
  ],
  "suppress add": [
    ['outreachd suppress add ada@example.com @example.org +442079460018 --reason "asked us to stop"'],
    ["outreachd suppress add @competitor.example --team", "for the whole installation"],
  ],
  "suppress list": [["outreachd suppress list"], ["outreachd suppress list --kind domain --json"]],
  "suppress check": [["outreachd suppress check ada@mail.example.org", "exit code 1: do not contact"]],
  "suppress remove": [["outreachd suppress remove @example.org"]],
  "suppress import": [["outreachd suppress import unsubscribed.csv", "CSV with a header, or one value per line"]],
  "suppress export": [["outreachd suppress export --output do-not-contact.csv"]],
  "person export": [["outreachd person export ada@example.com --output ada.json"]],
  "person erase": [
    ["outreachd person erase ada@example.com", "shows what would be erased"],
    ["outreachd person erase ada@example.com --yes"],
  ],
  enrich: [
    ["outreachd enrich ada@example.com --dry-run", "what it would cost at most"],
    ["outreachd enrich https://network.example/in/ada --provider local --write-back"],
  ],
  credits: [["outreachd credits"], ["outreachd credits --last 50 --user ada@example.com"]],
  "accounts list": [["outreachd accounts list"]],
  "accounts show": [[`outreachd accounts show ${id}`], [`outreachd accounts show ${id} --json > account.json`]],
  "accounts create": [
    ["outreachd accounts create Ada --plan premium --time-zone Europe/Berlin"],
    ["outreachd accounts create Grace --connector unipile --setting accountId=x7 --settings account.json"],
  ],
  "accounts update": [
    [`outreachd accounts update ${id} --approval yes`],
    [`outreachd accounts update ${id} --connector simulated --always-open`, "to try it, at any time of day"],
    [`outreachd accounts update ${id} --settings account.json`, "caps, working hours, and all other settings"],
  ],
  "accounts pause": [[`outreachd accounts pause ${id}`]],
  "accounts resume": [[`outreachd accounts resume ${id}`]],
  "accounts delete": [[`outreachd accounts delete ${id}`]],
  "accounts holidays": [[`outreachd accounts holidays ${id}`]],
  "accounts add-holiday": [[`outreachd accounts add-holiday ${id} 2030-12-24 2030-12-26 --name Christmas`]],
  "accounts remove-holiday": [[`outreachd accounts remove-holiday ${id} 2030-12-24`]],
  "campaigns list": [["outreachd campaigns list"]],
  "campaigns templates": [["outreachd campaigns templates"]],
  "campaigns show": [[`outreachd campaigns show ${id}`], [`outreachd campaigns show ${id} --json > campaign.json`]],
  "campaigns preview": [[`outreachd campaigns preview ${id} --leads 100 --none-connects`]],
  "campaigns funnel": [
    [`outreachd campaigns funnel ${id} --from 2030-01-01`],
    [`outreachd campaigns funnel ${id} --days --csv > days.csv`],
  ],
  "campaigns series": [
    [`outreachd campaigns series ${id} --by step`],
    [`outreachd campaigns series ${id} --by account --from 2030-01-01 --csv > accounts.csv`],
  ],
  "campaigns compare": [["outreachd campaigns compare"], ["outreachd campaigns compare --from 2030-01-01 --csv"]],
  "campaigns create": [
    ["outreachd campaigns create Spring --template connect-and-follow-up"],
    ["outreachd campaigns create Spring --steps steps.json"],
  ],
  "campaigns update": [[`outreachd campaigns update ${id} --name Summer`]],
  "campaigns start": [[`outreachd campaigns start ${id}`]],
  "campaigns pause": [[`outreachd campaigns pause ${id}`]],
  "campaigns cancel": [[`outreachd campaigns cancel ${id}`]],
  "campaigns duplicate": [[`outreachd campaigns duplicate ${id} --name Autumn`]],
  "campaigns delete": [[`outreachd campaigns delete ${id}`]],
  "campaigns enroll": [
    [`outreachd campaigns enroll ${id} --tag spring --dry-run`, "who, and who not"],
    [`outreachd campaigns enroll ${id} --tag spring`],
  ],
  "campaigns leads": [[`outreachd campaigns leads ${id} --limit 100`]],
  "campaigns remove": [[`outreachd campaigns remove ${id} 019b2c4e-8a20-7000-8000-0242ac120002`]],
  "actions list": [
    ["outreachd actions list --state open --order soonest"],
    [`outreachd actions list --lead ${id} --json`],
  ],
  "actions show": [[`outreachd actions show ${id}`]],
  "actions schedule": [
    [
      `outreachd actions schedule sendConnectionRequest https://network.example/in/ada --lead ${id} --message "Hello {{firstName|there}}"`,
    ],
    ["outreachd actions schedule visitProfile https://network.example/in/ada --dry-run", "when it would be sent"],
  ],
  "actions update": [[`outreachd actions update ${id} --message "Hello Ada" --not-before 2030-01-31T10:00:00Z`]],
  "actions cancel": [[`outreachd actions cancel ${id} 019b2c4e-8a20-7000-8000-0242ac120002`]],
  "actions approve": [[`outreachd actions approve ${id}`]],
  "actions resolve": [[`outreachd actions resolve ${id} completed --note "The invitation is pending"`]],
  "actions record": [
    ["outreachd actions record sendConnectionRequest https://network.example/in/ada --relation pending"],
  ],
  "actions tasks": [["outreachd actions tasks"]],
  "actions done": [
    [`outreachd actions done ${id}`],
    [`outreachd actions done ${id} --outcome skipped --note "Left the company"`],
  ],
  "voices list": [["outreachd voices list --status ready"]],
  "voices show": [[`outreachd voices show ${id}`]],
  "voices check": [["outreachd voices check one.m4a two.wav", "exit code 1: not enough speech"]],
  "voices create": [
    ["outreachd voices create Ada one.m4a two.wav"],
    ['outreachd voices create Ada one.m4a --speaker "Ada Lovelace" --label language=en --stability 0.4'],
  ],
  "voices add-recordings": [[`outreachd voices add-recordings ${id} three.flac`]],
  "voices train": [[`outreachd voices train ${id}`, "with the engine that the server has now"]],
  "voices update": [[`outreachd voices update ${id} --name "Ada, warm" --clarity 0.8`]],
  "voices speak": [[`outreachd voices speak ${id} "Hello Grace, this is Ada." --output hello.m4a`]],
  "voices delete": [[`outreachd voices delete ${id}`]],
  "webhooks list": [["outreachd webhooks list"]],
  "webhooks show": [[`outreachd webhooks show ${id}`]],
  "webhooks create": [
    ['outreachd webhooks create https://crm.example.com/hooks --event "lead.*" --event message.replied'],
  ],
  "webhooks update": [
    [`outreachd webhooks update ${id} --post-to https://crm.example.com/v2/hooks`],
    [`outreachd webhooks update ${id} --disable`],
  ],
  "webhooks delete": [[`outreachd webhooks delete ${id}`]],
  "webhooks rotate": [[`outreachd webhooks rotate ${id} --overlap-hours 48`]],
  "webhooks test": [[`outreachd webhooks test ${id}`, "exit code 1: the endpoint did not accept it"]],
  "webhooks deliveries": [[`outreachd webhooks deliveries ${id} --state failed`]],
  "webhooks delivery": [[`outreachd webhooks delivery ${id} 4711`]],
  "webhooks redeliver": [
    [`outreachd webhooks redeliver ${id} 4711 4712`],
    [`outreachd webhooks redeliver ${id} --from 2030-01-31T10:00:00Z`, "all that was not delivered since then"],
  ],
  "jobs list": [["outreachd jobs list --status failed"], ["outreachd jobs list --type lead_import --json"]],
  "jobs show": [[`outreachd jobs show ${id}`]],
  "jobs watch": [[`outreachd jobs watch ${id}`]],
  "jobs cancel": [[`outreachd jobs cancel ${id}`]],
  "jobs retry": [[`outreachd jobs retry ${id}`]],
  "notifications list": [
    ["outreachd notifications list --unread"],
    ["outreachd notifications list --limit 100 --json"],
  ],
  "notifications read": [["outreachd notifications read --all"], ["outreachd notifications read 41 42"]],
  "inbox list": [
    ["outreachd inbox list --unread"],
    ['outreachd inbox list --mine --search "pricing"'],
    ["outreachd inbox list --assigned none --label interested --account Main"],
  ],
  "inbox show": [[`outreachd inbox show ${id} --keep-unread`]],
  "inbox reply": [
    [`outreachd inbox reply ${id} "Thanks! Does Tuesday at 10 work?"`],
    [`outreachd inbox reply ${id} --snippet Meeting --voice ${id}`],
  ],
  "inbox label": [[`outreachd inbox label ${id} interested`]],
  "inbox assign": [[`outreachd inbox assign ${id} bob@example.com`], [`outreachd inbox assign ${id} none`]],
  "inbox snooze": [[`outreachd inbox snooze ${id} 2030-06-03T09:00:00Z`]],
  "inbox unsnooze": [[`outreachd inbox unsnooze ${id}`]],
  "inbox read": [[`outreachd inbox read ${id}`]],
  "inbox unread": [[`outreachd inbox unread ${id}`]],
  "inbox record": [
    ['outreachd inbox record https://www.linkedin.com/in/ada-lovelace "Could you show me how it works?"'],
    ["outreachd inbox record https://www.linkedin.com/in/ada-lovelace --accepted --account Main"],
  ],
  "inbox snippets list": [["outreachd inbox snippets list"]],
  "inbox snippets create": [
    ['outreachd inbox snippets create Meeting "Hi {{firstName|there}}, does Tuesday at 10 work for you?"'],
  ],
  "inbox snippets update": [['outreachd inbox snippets update Meeting --text "Does Wednesday work for you?"']],
  "inbox snippets delete": [["outreachd inbox snippets delete Meeting"]],
  search: [
    ['outreachd search --title "VP Sales" --size 51-200 --location Germany --dry-run', "the count and the cost"],
    ["outreachd search --seniority vp --industry software --limit 10"],
  ],
  backup: [
    ["outreachd backup", "goes to backups in the data directory"],
    ["outreachd backup --output /mnt/usb/monday.tar.zst"],
  ],
  restore: [
    ["outreachd restore /mnt/usb/monday.tar.zst --check", "changes nothing"],
    ["outreachd restore /mnt/usb/monday.tar.zst --data ./restored", "to look at it beside the running server"],
    ["outreachd restore /mnt/usb/monday.tar.zst --replace", "stop the server first"],
    ["outreachd restore monday.tar.zst --database postgres://… --files s3://BUCKET/PREFIX", "to an empty database"],
  ],
  copy: [
    ["outreachd copy --from ./outreachd-data --database postgres://outreachd@db.example.com/outreachd"],
    ["outreachd copy --database postgres://outreachd@db.example.com/outreachd --to ./outreachd-data", "and back"],
  ],
  "maintenance on": [['outreachd maintenance on --message "Back at noon."']],
  "maintenance off": [["outreachd maintenance off"]],
  "maintenance status": [["outreachd maintenance status"]],
  nodes: [["outreachd nodes"], ["outreachd nodes --json"]],
  "clock accept": [["outreachd clock accept", "stop the server first"]],
  doctor: [
    ["outreachd doctor"],
    ["outreachd doctor --data /var/lib/outreachd --full --offline", "all of the database, and no other host"],
  ],
  api: [
    ["outreachd api --list", "every operation"],
    ["outreachd api listLeads --param tag=spring --param limit=5"],
    ["outreachd api createCampaign --body @campaign.json"],
    ["outreachd api importLeads --file people.csv --content-type text/csv"],
    ["outreachd api GET /webhooks"],
  ],
  mcp: [["outreachd mcp"], ["OUTREACHD_URL=https://outreach.example.com OUTREACHD_API_KEY=oak_… outreachd mcp"]],
  config: [
    ["outreachd config", "every option, its value, and where it was set"],
    ["outreachd config --config /etc/outreachd.toml --json"],
  ],
  health: [
    ["outreachd health --data /var/lib/outreachd", "the server of a data directory"],
    ["outreachd health --url https://outreach.example.com"],
  ],
  "service install": [
    ["outreachd service install --print", "only shows the unit"],
    ["sudo outreachd service install --config /etc/outreachd.toml --start"],
  ],
  upgrade: [
    ["./new/outreachd upgrade --check --data /var/lib/outreachd", "what the first start of the new version would do"],
    ["outreachd upgrade --check --from https://downloads.example.com/outreachd"],
  ],
  completion: [
    ["outreachd completion bash > ~/.local/share/bash-completion/completions/outreachd"],
    ["outreachd completion zsh > ~/.outreachd.zsh && echo 'source ~/.outreachd.zsh' >> ~/.zshrc"],
    ["outreachd completion fish > ~/.config/fish/completions/outreachd.fish"],
  ],
  man: [
    ["outreachd man | man -l -", "reads it"],
    ["outreachd man > /usr/local/share/man/man1/outreachd.1", "installs it"],
  ],
  version: [["outreachd version"], ["outreachd version --json"]],
  licenses: [["outreachd licenses | less"]],
};

/** Adds examples to the help of `command` and of all commands below it. */
export function addExamples(command: Command, path = ""): void {
  for (const each of command.commands) {
    const own = `${path} ${each.name()}`.trim();
    const shown = examplesOf(each, own);
    if (shown.length > 0)
      each.addHelpText("after", `\nExamples:\n${shown.map((example) => `  ${textOf(example)}`).join("\n")}`);
    addExamples(each, own);
  }
}

/** The examples of a command; of a group, the first one of each of its commands. */
export function examplesOf(command: Command, path: string): readonly Example[] {
  if (command.commands.length === 0) return examples[path] ?? [];
  return command.commands.flatMap((each) => examplesOf(each, `${path} ${each.name()}`).slice(0, 1));
}

function textOf([line, meaning]: Example): string {
  return meaning === undefined ? line : `${line}   # ${meaning}`;
}
