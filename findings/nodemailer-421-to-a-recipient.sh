#!/usr/bin/env bash
# nodemailer 10.6.1 and smtp-server 3.21.6 (npm), Node 20 or newer. A server answers RCPT TO with 421 (RFC 5321, 3.8: it
# closes the channel), after it took HELO and MAIL FROM. nodemailer reports no command and no stage of the conversation:
# code ECONNECTION, command CONN, as for a server that cannot be reached. Of 450 it reports EENVELOPE, RCPT TO.
# Who judges failures of mail by `command` takes one recipient's trouble for that of the whole server.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-fund --no-audit --prefix . nodemailer@10.6.1 smtp-server@3.21.6
cat >run.mjs <<'JS'
import nodemailer from 'nodemailer';
import { SMTPServer } from 'smtp-server';
const failure = async (responseCode) => {
  const server = new SMTPServer({
    authOptional: true, disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('later'), { responseCode })),
  });
  server.on('error', () => {});
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mailer = nodemailer.createTransport({ host: '127.0.0.1', port: server.server.address().port, secure: false });
  const error = await mailer.sendMail({ from: 'a@example.org', to: 'b@example.org', text: 'x' }).catch((one) => one);
  await new Promise((resolve) => server.close(resolve));
  return `${responseCode}: ${error.code} ${error.command}`;
};
console.log(await failure(450));
console.log(await failure(421));
JS
node run.mjs | tee seen
diff seen - <<'SEEN'
450: EENVELOPE RCPT TO
421: ECONNECTION CONN
SEEN
