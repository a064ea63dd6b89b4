import { rangeOf, readUsage, type UsageQuery } from '@boxoffice/authorizer';
import { type Command, type Given, Misuse, printed } from '../command.ts';
import { knownInstitution } from './institutions.ts';

/** Rows of the table; --json gives all. */
const MOST_ROWS = 50;

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

const iso = (at: number): string => new Date(at).toISOString().slice(0, 16);

export const usage: readonly Command[] = [
  {
    name: 'usage',
    usage: 'INSTITUTION [--from 2027-03-14] [--to 2027-03-15] [--granularity hour] [--group-by apiKey,status]',
    about:
      'prints the requests of an institution, by default of the last 24 hours, as a table; --granularity minute, hour or ' +
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
        printed(shown, false),
        ...(items.length > shown.length ? [`the last ${shown.length} of ${items.length} rows; --json prints all`] : []),
        '',
        printed(totals, false),
      ];
      return { kind: 'report', wrong: false, text: lines.join('\n'), json: { items, totals } };
    },
  },
];
