import { timeZoneRelease } from '@boxoffice/http/local-time';

interface ScreenOptions {
  readonly publicUrl: string;
  readonly httpUrl: string;
  /** Of the development certificate; undefined when a configured one is in use. */
  readonly caFile: string | undefined;
  /** Undefined in an installation without demo data. */
  readonly demoFile: string | undefined;
  /** Whether mails are shown instead of sent. */
  readonly keepsMails: boolean;
  readonly directory: string;
  readonly engines: string;
  readonly requestsAreLogged: boolean;
  readonly seconds: number;
}

export function listFirstCommands(publicUrl: string, demoFile: string, caFile: string | undefined): string[] {
  const curl = caFile === undefined ? 'curl -sS' : `curl -sS --cacert ${quote(caFile)}`;
  const pick = `c = require(${JSON.stringify(demoFile)}).clients[0], c.clientId + ":" + c.clientSecret`;
  const token = 'JSON.parse(require("fs").readFileSync(0)).access_token';
  return [
    `CLIENT=$(node -p ${quote(pick)})`,
    `TOKEN=$(${curl} -u "$CLIENT" -d grant_type=client_credentials ${quote(`${publicUrl}/auth/token`)} | node -p ${quote(token)})`,
    `${curl} -H "Authorization: Bearer $TOKEN" ${quote(`${publicUrl}/svc/v3/catalog/products?type=show&limit=3`)}`,
  ];
}

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The screen, as lines; every address on it opens in a browser. */
export function renderScreen(options: ScreenOptions): string[] {
  const { publicUrl, httpUrl, caFile, demoFile, keepsMails, directory, engines, requestsAreLogged, seconds } = options;
  const row = (name: string, value: string): string => `  ${name.padEnd(20)}${value}`;
  const facts = [
    row('documentation', `${publicUrl}/docs`),
    row('API descriptions', `${publicUrl}/openapi.json, …/tnwr/v1/openapi.json`),
    row('health', `${httpUrl}/health/ready`),
    row('engines', engines),
    row('time zones', `IANA database ${timeZoneRelease}`),
    row('data', directory),
    row(
      'log',
      requestsAreLogged ? 'every request, below' : 'warnings only; LOG_LEVEL=info logs requests and audit lines',
    ),
  ];
  const start = `boxoffice is ready after ${seconds.toFixed(1)} s; Ctrl-C stops it.`;
  const notices =
    caFile === undefined ? [] : [`A browser warns of the development certificate; ${caFile} is its authority.`, ''];
  const mails = keepsMails ? [row('mails, not sent', `${publicUrl}/shop/outbox`)] : [];
  if (demoFile === undefined) {
    const begin = `No demo data here. From nothing to the first seat that is sold: ${publicUrl}/docs/cards`;
    return ['', start, '', row('shops', `${publicUrl}/shop/`), ...mails, ...facts, '', ...notices, begin, ''];
  }
  const commands = listFirstCommands(publicUrl, demoFile, caFile).map((command) => `  ${command}`);
  const first = 'Get a token, then list shows (in another terminal):';
  const demo = [
    row('start here', `${publicUrl}/docs/demo`),
    row('demo shop', `${publicUrl}/shop/`),
    ...mails,
    row('demo credentials', `${demoFile} (clients, keys, users and their passwords)`),
  ];
  return ['', start, '', ...demo, ...facts, '', ...notices, first, '', ...commands, ''];
}

/** One progress line, rewritten in a terminal; a few plain lines elsewhere. */
export interface ProgressLine {
  tell(what: string): void;
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The interval between lines in a file or a pipe. */
const PAUSE_MS = 1_000;

export function createProgressLine(output: Output, now: () => number = () => performance.now()): ProgressLine {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writtenStep = '';
  let open = false;
  return {
    tell(what) {
      const line = `Demo data: ${what}`;
      // A count of the same step can be left out, a step cannot.
      const step = what.replaceAll(/\d+/g, '');
      if (output.isTTY) {
        output.write(`\r\x1b[2K${line.slice(0, (output.columns ?? 80) - 1)}`);
        open = true;
      } else if (step !== writtenStep || now() - writtenAt >= PAUSE_MS) {
        output.write(`${line}\n`);
        writtenAt = now();
        writtenStep = step;
      }
    },
    end() {
      if (open) output.write('\n');
      open = false;
    },
  };
}
