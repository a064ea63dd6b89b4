import { parseArgs } from 'node:util';
import { Fault } from '@boxoffice/envelope';
import { failStart, StartFault } from '@boxoffice/runtime';
import { StoreUnavailable, UniqueViolation } from '@boxoffice/store';
import { apiKeys, clients, usage } from './accounts/clients.ts';
import { institutions, pointsOfSale } from './accounts/institutions.ts';
import { keys, serviceSecrets } from './accounts/keys.ts';
import { apiUsers, users } from './accounts/users.ts';
import { backups } from './backup.ts';
import { canDeploy } from './can-deploy.ts';
import { check } from './check/commands.ts';
import { type Command, formatResult, type Given, isReport, Misuse, parseOptions, parseWords } from './command.ts';
import { demo } from './demo.ts';
import { openInstallation, Refused } from './installation.ts';
import { deadLetters, facts, topology, webhooks } from './messages.ts';
import { paymentProviders } from './payments.ts';
import { status } from './status.ts';
import { timeZones } from './time-zones.ts';
import { work } from './work.ts';

const commands: readonly Command[] = [
  ...institutions,
  ...pointsOfSale,
  ...users,
  ...clients,
  ...apiUsers,
  ...apiKeys,
  ...usage,
  ...webhooks,
  ...paymentProviders,
  ...work,
  ...keys,
  ...serviceSecrets,
  ...topology,
  ...deadLetters,
  ...facts,
  ...demo,
  ...status,
  ...canDeploy,
  ...check,
  ...backups,
  ...timeZones,
];

/** Runs the command, prints its result or fault, and returns the exit status, as `--help` documents it. */
export async function operate(words: readonly string[]): Promise<number> {
  try {
    return await run(words);
  } catch (error) {
    const text = explainError(error);
    if (text === undefined) failStart(error);
    process.stderr.write(`operator: ${text}\n`);
    return 1;
  }
}

const run = async (words: readonly string[]): Promise<number> => {
  const command = commands.find(({ name }) => name === words[0] || name === `${words[0]} ${words[1]}`);
  if (!command || words.includes('--help')) {
    const near = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
    const asked = words.length === 0 || words.includes('--help') || words[0] === 'help';
    const text = help(command ? [command] : near.length > 0 ? near : commands);
    (asked ? process.stdout : process.stderr).write(
      asked ? `${text}\n` : `no such command: ${words.join(' ')}\n\n${text}\n`,
    );
    return asked ? 0 : 2;
  }
  try {
    return await carryOut(command, givenTo(command, words.slice(command.name.split(' ').length)));
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    process.stderr.write(`operator: ${error.message}\n\n${help([command])}\n`);
    return 2;
  }
};

const help = (some: readonly Command[]): string =>
  [
    'npm run operator -- COMMAND [--json]',
    '',
    ...some.map(line),
    '',
    'Works on the installation that the settings name: BOXOFFICE_DATA_DIR (default ./data), or MONGODB_URL and ' +
      'AMQP_URL.',
    'Without demo data: BOXOFFICE_DEMO=off npm start, then institutions create, clients create.',
    'Exit status: 0 success; 1 failure, or a problem was found; 2 unknown command, missing argument or option, or ' +
      '(can-deploy) a process that could not be reached.',
  ].join('\n');

const line = ({ name, usage, about }: Command): string => `  ${`${name} ${usage}`.trimEnd()}\n      ${about}`;

const carryOut = async (command: Command, given: ReturnType<typeof givenTo>): Promise<number> => {
  const installation = openInstallation(command.data);
  try {
    const result = await command.run(installation, given);
    process.stdout.write(`${formatResult(result, given.json)}\n`);
    if (!isReport(result)) return 0;
    if (result.wrong) return 1;
    return result.undecided ? 2 : 0;
  } finally {
    await installation.close();
  }
};

/** The words and options after a command's name. @throws {Misuse} when they do not fit it */
const givenTo = (command: Command, words: readonly string[]): Given & { json: boolean } => {
  const options = { ...parseOptions(command.usage), json: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      allowNegative: true,
    });
    const { required, optional } = parseWords(command.usage);
    const missing = required.slice(positionals.length);
    if (missing.length > 0) throw new Misuse(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`);
    const extra = positionals.slice(required.length + optional.length);
    if (extra.length > 0) throw new Misuse(`${extra.join(' ')}: unexpected; quote a text of several words`);
    return { words: positionals, options: values as Given['options'], json: values.json === true };
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error));
  }
};

const explainError = (error: unknown): string | undefined => {
  if (error instanceof Refused || error instanceof StartFault || error instanceof RangeError) return error.message;
  if (error instanceof Fault) return error.details;
  if (error instanceof StoreUnavailable) return `${error.message}; try again when it responds`;
  if (error instanceof UniqueViolation) return `that exists already (${error.index})`;
  return undefined;
};
