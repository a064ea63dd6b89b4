import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The scenarios, in the order in which they run. */
export const scenarioNames = ['demo', 'sale'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

/** The options of the smoke test. */
export interface Options {
  /** The git revision under test. */
  readonly revision: string;
  /** The git revision of the other version of orders; undefined: before its last change. */
  readonly from: string | undefined;
  readonly scenarios: readonly ScenarioName[];
  /** Seconds of each sale, in addition to the actions during it. */
  readonly seconds: number;
  readonly buyers: number;
  /** Arguments of deploy/Dockerfile, each as NAME=VALUE. */
  readonly buildArgs: readonly string[];
  /** Absolute paths of files that change the composition. */
  readonly composeFiles: readonly string[];
  /** `docker compose` or `docker-compose`; undefined: the installed one. */
  readonly compose: string | undefined;
  /** Whether the composition keeps running. */
  readonly keep: boolean;
}

export const USAGE = `npm run smoke -- [options]

Builds the images of a git revision, starts them with docker-compose.yml on the Docker engine of this machine, and runs
two scenarios:

  demo  with demo data: a partner and a visitor of the web shop each buy two places through the gateway, and cancel
  sale  while others buy, orders is scaled to three instances, one of them is killed, and all three are replaced by
        another version and back; after each step the buyers' records are compared with the installation

Prints the steps and the sizes of the images as tables. Exit status 1: a step failed.

  --revision REF         the revision to test; default: HEAD
  --from REF             the revision of the other version of orders; default: before the last change of orders
  --scenario NAME        runs only demo or only sale
  --seconds N            seconds of each sale, in addition to what is done during it; default: 10
  --buyers N             buyers of each sale; default: 8
  --build-arg NAME=VALUE an argument of deploy/Dockerfile, such as BUILD_BASE and BASE for base images of your own;
                         may be repeated
  --compose-file FILE    a file that changes the composition, for example for a MongoDB of your own; may be repeated
  --compose COMMAND      "docker compose" or "docker-compose"; default: the first that is installed
  --keep                 leaves the composition running and prints the command that removes it

The variables that docker-compose.yml reads, such as MONGODB_IMAGE and RABBITMQ_IMAGE, are taken from the environment.`;

/** Reads the arguments; undefined on a request for help. @throws {Error} that names the wrong argument */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      revision: { type: 'string', default: 'HEAD' },
      from: { type: 'string' },
      scenario: { type: 'string' },
      seconds: { type: 'string', default: '10' },
      buyers: { type: 'string', default: '8' },
      'build-arg': { type: 'string', multiple: true, default: [] },
      'compose-file': { type: 'string', multiple: true, default: [] },
      compose: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const positive = (name: 'seconds' | 'buyers'): number => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0, not ${values[name]}`);
    return value;
  };
  const { revision, from, scenario, compose, keep } = values;
  const scenarios = scenarioNames.filter((name) => scenario === undefined || name === scenario);
  if (scenarios.length === 0) throw new Error(`--scenario must be ${scenarioNames.join(' or ')}, not ${scenario}`);
  const buildArgs = values['build-arg'];
  const wrong = buildArgs.find((one) => !/^[A-Z_]+=/.test(one));
  if (wrong !== undefined) throw new Error(`--build-arg must be NAME=VALUE, not ${wrong}`);
  return {
    revision,
    from,
    scenarios,
    seconds: positive('seconds'),
    buyers: positive('buyers'),
    buildArgs,
    composeFiles: values['compose-file'].map((file) => resolve(file)),
    compose,
    keep,
  };
};
