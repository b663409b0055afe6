#!/bin/sh
# Prints the NPS and the responses of each month: examples/monthly.sh START [END], such as 2025-01-01.
# Needs curl, jq, FEEDBACK_PROJECT, FEEDBACK_READ_KEY, and FEEDBACK_URL unless `feedback serve` runs here.
set -eu
if [ -z "${1:-}" ] || [ -z "${FEEDBACK_PROJECT:-}" ] || [ -z "${FEEDBACK_READ_KEY:-}" ]; then
    echo "usage: monthly.sh START [END], with FEEDBACK_PROJECT and FEEDBACK_READ_KEY" >&2
    exit 1
fi
api=${FEEDBACK_URL:-http://127.0.0.1:3000}
# Other users of the machine see a command's arguments, but not its input.
answer=$(printf 'AuthKey: %s\n' "$FEEDBACK_READ_KEY" |
    curl --silent --show-error --fail-with-body --max-time 60 --header @- --get \
        --data-urlencode "project=$FEEDBACK_PROJECT" --data interval=month \
        --data-urlencode "startDate=$1" ${2:+--data-urlencode "endDate=$2"} "${api%/}/api/v2/response-statistics") ||
    { echo "$answer" >&2; exit 1; }
# The score of a month without responses is null.
months=$(printf %s "$answer" | jq --raw-output '.data[].attributes | "\(.start[:7]) \(.nps // "-") \(.responses)"')
echo "$months" | awk '{ printf "%s %6s %5d\n", $1, $2 == "-" ? $2 : sprintf("%.1f", $2), $3 }'
