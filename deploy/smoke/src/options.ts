import { parseArgs } from 'node:util';

/** The options of the smoke test. */
export interface Options {
  /** Uses base images built on this machine, where none can be pulled. */
  readonly localBases: boolean;
  /** The git revision of the other version of orders; undefined: before its last change. */
  readonly from: string | undefined;
  /** The git revision under test. */
  readonly revision: string;
  /** The only act to play; undefined: both. */
  readonly act: string | undefined;
  /** Whether the composition keeps running. */
  readonly keep: boolean;
  /** Seconds of each sale, in addition to the actions during it. */
  readonly seconds: number;
  readonly buyers: number;
  /** `docker compose` or `docker-compose`; undefined: the installed one. */
  readonly compose: string | undefined;
}

export const USAGE = `npm run smoke -- [--local-bases] [--revision REF] [--from REF] [--seconds N] [--buyers N] [--act NAME] [--compose COMMAND] [--keep]

Builds the images of a git revision (HEAD), brings the composition up on the Docker engine of this machine, buys and cancels through the
gateway, scales orders to three, kills one of them while others buy, replaces all of them by another version and back while others buy,
holds what the buyers remember against what the installation says, and prints a table. Exit status 1: something of it failed.

  --local-bases      no image can be pulled: the bases are made by mmdebstrap from Debian, with this machine's Node, npm and CA bundle, and
                     in the place of MongoDB stands the server of the same protocol that MONGO_SERVER names (run as: MONGO_SERVER PORT);
                     it has neither users nor a replica set
  --revision REF     what is tested; default HEAD
  --from REF         the other version of orders; default: the commit before the last change of services/orders
  --seconds N        of each sale, beside what is done in it; default 10
  --buyers N         in each sale; default 8
  --act NAME         only demo (one command, a purchase, a cancellation) or only sale (scaling, killing, replacing)
  --compose COMMAND  "docker compose" or "docker-compose"; default: the first that is there
  --keep             leaves the composition running and says how to remove it`;

/** Reads the arguments; undefined on a request for help. @throws {Error} that names the wrong argument */
export const readOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'local-bases': { type: 'boolean', default: false },
      revision: { type: 'string', default: 'HEAD' },
      from: { type: 'string' },
      seconds: { type: 'string', default: '10' },
      buyers: { type: 'string', default: '8' },
      act: { type: 'string' },
      compose: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const positive = (name: 'seconds' | 'buyers'): number => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} is a number above 0, not ${values[name]}`);
    return value;
  };
  const { revision, from, keep, compose, act } = values;
  if (act !== undefined && act !== 'demo' && act !== 'sale') throw new Error(`--act is demo or sale, not ${act}`);
  return {
    localBases: values['local-bases'],
    revision,
    from,
    keep,
    act,
    compose,
    seconds: positive('seconds'),
    buyers: positive('buyers'),
  };
};
