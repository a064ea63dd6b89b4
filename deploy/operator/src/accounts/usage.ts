import { rangeOf, readUsage, type UsageItem, type UsageQuery } from '@boxoffice/authorizer';
import { type Command, type Given, Misuse, printed } from '../command.ts';
import { knownInstitution } from './institutions.ts';

/** Rows of the table; --json gives all. */
const MOST_ROWS = 50;

/** Columns of the plot. */
const MOST_COLUMNS = 60;

const LEVELS = '▁▂▃▄▅▆▇█';

const textOf = ({ options }: Given, name: string): string | undefined => {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
};

const instantOf = (given: Given, name: 'from' | 'to'): string | undefined => {
  const text = textOf(given, name);
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new Misuse(`--${name} is not a timestamp like 2027-03-14T19:00Z`);
  return at.toISOString();
};

const granularities = ['minute', 'hour', 'day'] as const;

const queryOf = (given: Given): UsageQuery => {
  const granularity = granularities.find((one) => one === (textOf(given, 'granularity') ?? 'hour'));
  if (!granularity) throw new Misuse(`--granularity is one of ${granularities.join(', ')}`);
  return {
    from: instantOf(given, 'from'),
    to: instantOf(given, 'to'),
    granularity,
    groupBy: textOf(given, 'group-by'),
  };
};

/** Requests over time as one line of bars; several intervals share a column where there are many. */
const plotOf = (counts: readonly number[]): string => {
  const perColumn = Math.ceil(counts.length / MOST_COLUMNS) || 1;
  const columns = Array.from({ length: Math.ceil(counts.length / perColumn) }, (_, index) =>
    counts.slice(index * perColumn, (index + 1) * perColumn).reduce((sum, count) => sum + count, 0),
  );
  const most = Math.max(...columns, 1);
  return columns
    .map((count) => (count === 0 ? ' ' : LEVELS[Math.ceil((count / most) * LEVELS.length) - 1]))
    .join('')
    .trimEnd();
};

const LENGTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The requests of every interval of a range, also of those without any. */
const countsOf = (items: readonly UsageItem[], { resolution, from, to }: ReturnType<typeof rangeOf>): number[] => {
  const length = LENGTHS[resolution];
  const counts = Array.from({ length: Math.round((to - from) / length) }, () => 0);
  for (const { start, requests } of items) {
    const index = Math.round((Date.parse(start) - from) / length);
    counts[index] = (counts[index] ?? 0) + requests;
  }
  return counts;
};

const iso = (at: number): string => new Date(at).toISOString().slice(0, 16);

export const usage: readonly Command[] = [
  {
    name: 'usage',
    usage: 'INSTITUTION [--from 2027-03-14] [--to 2027-03-15] [--granularity hour] [--group-by apiKey,status]',
    about:
      'prints the requests of an institution, by default of the last 24 hours, as a table and a plot; --granularity minute, hour or ' +
      'day; --group-by any of apiKey, client, user, operation, status',
    async run(installation, given) {
      const { id: institution } = await knownInstitution(installation, given.words[0] ?? '');
      const range = rangeOf(queryOf(given), Date.now());
      const whole = { after: undefined, limit: Number.POSITIVE_INFINITY };
      const { items, totals } = await readUsage(await installation.store('authorizer'), institution, range, whole);
      const shown = items.slice(-MOST_ROWS);
      const lines = [
        `${institution}, ${iso(range.from)} to ${iso(range.to)} UTC, per ${range.resolution}`,
        '',
        `|${plotOf(countsOf(items, range))}`,
        '',
        printed(shown, false),
        ...(items.length > shown.length ? [`the last ${shown.length} of ${items.length} rows; --json prints all`] : []),
        '',
        printed(totals, false),
      ];
      return { kind: 'report', wrong: false, text: lines.join('\n'), json: { items, totals } };
    },
  },
];
