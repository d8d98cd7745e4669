#!/usr/bin/env bash
# Imports a CSV file, enriches the leads, and starts a campaign with them. Needs curl and jq.
set -euo pipefail

url="${OUTREACHD_URL:-http://127.0.0.1:8080}/api/v2"
tag="example-$(date +%s%N)"

# call METHOD PATH [curl options]: the response; fails with its message if it is not a success.
call() {
  local method=$1 path=$2 response
  shift 2
  response=$(curl -sS --retry 2 -X "$method" -H "x-api-key: $OUTREACHD_API_KEY" "$@" "$url$path")
  if [ "$(jq -r '.success // false' <<<"$response")" != true ]; then
    echo "$method $path: $(jq -r .message <<<"$response")" >&2
    exit 1
  fi
  echo "$response"
}
send() { call POST "$1" -H 'content-type: application/json' -H "idempotency-key: $tag$1" --data-binary @-; }

job=$(call POST "/leads/import?tags=$tag&onDuplicate=update" -H 'content-type: text/csv' \
  --data-binary "@${1:-people.csv}" | jq -r .data.id)
until status=$(call GET "/users/jobs/$job" | jq -r .data.status) && [[ $status =~ ^(completed|failed|canceled)$ ]]; do
  sleep 0.3
done
echo "Import: $status"

leads=$(call GET "/leads?tag=$tag&limit=100" | jq -c '[.data.leads[].id]')
jq -c '{leads: map({leadId: .}), writeBack: true}' <<<"$leads" | send /enrich >/dev/null
echo "Enriched."

campaign=$(jq -nc --arg name "Hello $tag" '{name: $name, steps: [
  {type: "action", actionType: "visitProfile"},
  {type: "wait", days: 1},
  {type: "action", actionType: "sendConnectionRequest", message: "Hello {{firstName|there}}"}]}' | send /campaigns | jq -r .data.id)
jq -c '{leadIds: .}' <<<"$leads" | send "/campaigns/$campaign/enroll" >/dev/null
state=$(call POST "/campaigns/$campaign/start" | jq -r .data.state)
echo "Campaign $campaign is $state, with $(jq length <<<"$leads") leads."
