import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepInstant, keepLocalTime, listMovedLocalTimes } from '@boxoffice/catalog';
import { computeOffset, timeZoneNames, timeZoneRelease } from '@boxoffice/http/local-time';
import { explain } from '@boxoffice/runtime';
import { requireInstitution } from './accounts/institutions.ts';
import { type Command, type Given, Misuse, type Report } from './command.ts';
import { type Installation, Refused } from './installation.ts';

const DAY_MS = 86_400_000;
/** How far ahead tickets are sold. */
const YEARS = 2;

/** The offsets of each zone at these instants, in minutes, as Python reads them from the package `tzdata`. */
const PYTHON = `
import datetime, json, sys, zoneinfo
directory, first, days = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
zoneinfo.reset_tzpath([directory + '/tzdata/zoneinfo'])
utc = datetime.timezone.utc
times = [datetime.datetime.fromtimestamp(first + 43200 * half, utc) for half in range(2 * days)]
names = [line.strip() for line in open(directory + '/tzdata/zones') if line.strip()]
offset = lambda time, zone: round(time.astimezone(zone).utcoffset().total_seconds() / 60)
read = lambda name: [offset(time, zoneinfo.ZoneInfo(name)) for time in times]
with open(directory + '/tzdata/zoneinfo/tzdata.zi') as file: release = file.readline().split()[-1]
print(json.dumps({'release': release, 'offsets': {name: read(name) for name in names}}))
`;

interface Newest {
  readonly release: string;
  readonly offsets: Readonly<Record<string, readonly number[]>>;
}

/** The zone data of the newest `tzdata` of PyPI. @throws {Refused} without Python, pip, or the network */
const newest = async (from: number, days: number): Promise<Newest> => {
  const directory = mkdtempSync(join(tmpdir(), 'boxoffice-tzdata-'));
  const run = (...words: string[]) => promisify(execFile)('python3', words, { maxBuffer: 100_000_000 });
  try {
    await run('-m', 'pip', 'install', '--quiet', '--no-deps', '--target', directory, 'tzdata');
    const { stdout } = await run('-c', PYTHON, directory, String(from / 1_000), String(days));
    return JSON.parse(stdout) as Newest;
  } catch (error) {
    throw new Refused(`the newest tzdata could not be read, which takes python3 with pip and PyPI: ${explain(error)}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

const compare = async (): Promise<Report> => {
  const from = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const { release, offsets } = await newest(from, Math.ceil(YEARS * 365.25));
  const known = new Set(timeZoneNames);
  // A placeholder of systems without a zone.
  const zones = Object.entries(offsets).filter(([name]) => name !== 'Factory');
  const differing = zones
    .filter(([name, all]) => all.some((minutes, half) => computeOffset(from + half * (DAY_MS / 2), name) !== minutes))
    .map(([name]) => name);
  const missing = zones.filter(([name]) => !known.has(name)).map(([name]) => name);
  const differs = differing.length > 0 || missing.length > 0;
  const verdict = differs
    ? `differ within ${YEARS} years: ${differing.join(', ')}; update the package moment-timezone`
    : `all ${zones.length} zones agree for ${YEARS} years`;
  return {
    kind: 'report',
    wrong: differs,
    text: `in use: ${timeZoneRelease}; newest: ${release}; ${verdict}`,
    json: { release: timeZoneRelease, newest: release, differing, missing },
  };
};

const movedOf = async (installation: Installation, { words: [institution], options: { performance } }: Given) => {
  if (institution !== undefined) await requireInstitution(installation, institution);
  if (performance === '') throw new Misuse('--performance is empty');
  const moved = await listMovedLocalTimes(await installation.store('catalog'), { institution });
  return moved.filter((one) => performance === undefined || one.performance === performance);
};

export const timeZones: readonly Command[] = [
  {
    name: 'time-zones compare',
    usage: '',
    about:
      'compares the zone data in use with the newest tzdata of PyPI, for the next two years; exit status 1 when ' +
      'zones differ; needs python3 with pip',
    data: 'unneeded',
    run: compare,
  },
  {
    name: 'performances moved',
    usage: '[INSTITUTION]',
    about:
      'lists the performances to come at whose start clocks show another time than was meant, since the rules of ' +
      'the time zone have changed',
    run: movedOf,
  },
  {
    name: 'performances keep-local-time',
    usage: '[INSTITUTION] [--performance ID]',
    about:
      'moves them to the instants at which clocks show what was meant; each is a change that partners and buyers ' +
      'hear of',
    async run(installation, given) {
      const store = await installation.store('catalog');
      const kept: object[] = [];
      for (const one of await movedOf(installation, given)) {
        const startDate = await keepLocalTime(store, one);
        if (startDate !== undefined)
          kept.push({
            ...{ institution: one.institution, performance: one.performance, from: one.startDate, to: startDate },
            shows: one.meant,
          });
      }
      return kept;
    },
  },
  {
    name: 'performances keep-instant',
    usage: '[INSTITUTION] [--performance ID]',
    about: 'leaves them where they are: what clocks show at their start now is what is meant from now on',
    async run(installation, given) {
      const store = await installation.store('catalog');
      const moved = await movedOf(installation, given);
      for (const one of moved) await keepInstant(store, one);
      return moved.map(({ institution, performance, startDate, shown }) => ({
        institution,
        performance,
        startDate,
        shows: shown,
      }));
    },
  },
];
