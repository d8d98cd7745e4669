#!/usr/bin/env bash
# Usage: verify-webhook.sh SECRET ID TIMESTAMP SIGNATURES < body
# Succeeds if the body was signed with the secret within 5 minutes (Standard Webhooks). Needs openssl.
set -euo pipefail

secret=$1 id=$2 timestamp=$3 signatures=$4
age=$(($(date +%s) - timestamp))
[ "${age#-}" -le 300 ] || { echo "The webhook was sent too long ago." >&2; exit 1; }

key=$(printf %s "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected="v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)"
for signature in $signatures; do
  [ "$signature" = "$expected" ] && exit 0
done
echo "The signature of the webhook is wrong." >&2
exit 1
