import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Environment, Setting } from './settings.ts';
import { explain } from './start-fault.ts';

interface Kind<Value> {
  /** The form of a valid value, after "expected". */
  readonly expected: string;
  parse(text: string): Value | undefined;
  /** Not shown in messages; may come from the file that NAME_FILE names. */
  readonly secret?: boolean;
}

interface Presence<Value> {
  readonly default?: Value;
  readonly optional?: boolean;
}

const formatValue = (text: string, secret: boolean): string =>
  secret ? 'another value (not shown)' : JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

const readFile = (name: string, file: string): string => {
  try {
    // Editors and `kubectl create secret` add a line end.
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`${name}_FILE names ${file}, which cannot be read: ${explain(error)}`);
  }
};

const textOf = (env: Environment, name: string, secret: boolean): string | undefined => {
  const direct = env[name] || undefined;
  const file = secret ? env[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return direct;
  if (direct !== undefined) throw new Error(`is set twice, directly and through ${name}_FILE`);
  const content = readFile(name, file);
  if (content.includes('\n')) throw new Error(`${name}_FILE names ${file}, which holds several lines; a secret is one`);
  return content || undefined;
};

const setting = <Value>(name: string, kind: Kind<Value>, presence: Presence<Value>): Setting<Value> => ({
  name,
  read(env) {
    const { secret = false } = kind;
    const text = textOf(env, name, secret);
    if (text === undefined) {
      if (presence.default !== undefined || presence.optional) return presence.default as Value;
      throw new Error(
        `is not set; expected ${kind.expected}${secret ? `, or ${name}_FILE naming a file with it` : ''}`,
      );
    }
    const value = kind.parse(secret ? text : text.trim());
    if (value === undefined) throw new Error(`expected ${kind.expected}, got ${formatValue(text, secret)}`);
    return value;
  },
});

/** Creates a kind of setting: required, with a default, or optional (then undefined when unset). */
interface Declare<Value, More> {
  (name: string, options: Presence<Value> & More & { readonly optional: true }): Setting<Value | undefined>;
  (name: string, options?: Presence<Value> & More): Setting<Value>;
}

const declare =
  <Value, More>(kind: (options: More) => Kind<Value>): Declare<Value, More> =>
  (name: string, options?: Presence<Value> & More) =>
    setting(name, kind(options ?? ({} as More)), options ?? {}) as Setting<Value>;

interface TextOptions {
  readonly pattern?: RegExp;
  readonly expected?: string;
}

const textKind = ({ pattern, expected }: TextOptions, secret: boolean): Kind<string> => ({
  expected: expected ?? (pattern ? `text like ${pattern}` : 'some text'),
  secret,
  parse: (text) => (pattern === undefined || pattern.test(text) ? text : undefined),
});

export const text = declare((options: TextOptions) => textKind(options, false));

export const secret = declare((options: TextOptions) => textKind(options, true));

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const range = ({ min, max }: Range): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
};

const numberKind = (options: Range, form: RegExp, noun: string): Kind<number> => ({
  expected: `${noun}${range(options)}`,
  parse(text) {
    const value = form.test(text) ? Number(text) : Number.NaN;
    const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
    return value >= min && value <= max ? value : undefined;
  },
});

export const integer = declare((options: Range) => numberKind(options, /^-?\d+$/, 'a whole number'));

export const number = declare((options: Range) => numberKind(options, /^-?\d+(\.\d+)?$/, 'a number'));

export const port = declare((_options: object) => numberKind({ min: 0, max: 65_535 }, /^\d+$/, 'a port'));

const on = ['on', 'true', 'yes', '1'];
const off = ['off', 'false', 'no', '0'];

/** A switch: on, true, yes, 1 or off, false, no, 0. */
export const flag = declare(
  (_options: object): Kind<boolean> => ({
    expected: 'on or off',
    parse(text) {
      const value = text.toLowerCase();
      return on.includes(value) ? true : off.includes(value) ? false : undefined;
    },
  }),
);

interface UrlOptions {
  /** Accepted schemes without the colon; default http and https. */
  readonly schemes?: readonly string[];
  /** Scheme, host and port only. */
  readonly origin?: boolean;
  readonly secret?: boolean;
}

/** An address without a slash at its end. */
export const url = declare(
  ({ schemes = ['http', 'https'], origin = false, secret = false }: UrlOptions): Kind<string> => ({
    expected: `${origin ? 'an origin' : 'an address'} like ${schemes[0]}://host${origin ? ':port without a path' : ''}`,
    secret,
    parse(text) {
      // MongoDB's addresses name several hosts with ports, which a URL cannot: the driver validates them.
      const scheme = /^([a-z0-9+]+):\/\/[^\s/]/.exec(text)?.[1];
      if (scheme === undefined || !schemes.includes(scheme)) return undefined;
      const trimmed = text.replace(/\/+$/, '');
      if (!['http', 'https'].includes(scheme)) return trimmed;
      if (!URL.canParse(trimmed)) return undefined;
      return origin && new URL(trimmed).origin !== trimmed.toLowerCase() ? undefined : trimmed;
    },
  }),
);

export function oneOf<const Value extends string>(
  name: string,
  values: readonly Value[],
  options: Presence<Value> = {},
): Setting<Value> {
  return setting(
    name,
    { expected: `one of ${values.join(', ')}`, parse: (text) => values.find((value) => value === text) },
    options,
  );
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Address ranges in CIDR notation, separated by commas; `1` is loopback, a bare address is itself. Unset: none. */
export function cidrs(name: string): Setting<readonly string[]> {
  return setting<readonly string[]>(
    name,
    {
      expected: 'address ranges like 10.0.0.0/8, separated by commas, or 1 for loopback',
      parse(text) {
        const ranges = text.split(',').map((entry) => range1(entry.trim()));
        return ranges.every((found) => found !== undefined) ? ranges.flat() : undefined;
      },
    },
    { default: [] },
  );
}

const range1 = (entry: string): readonly string[] | undefined => {
  if (entry === '1') return LOOPBACK;
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined;
  return Number(bits ?? longest) <= longest ? [`${address}/${bits ?? longest}`] : undefined;
};

/** A directory's absolute path; `ensureDirectory` checks that it is writable. */
export const directory = declare(
  (_options: object): Kind<string> => ({ expected: 'the path of a directory', parse: (text) => resolve(text) }),
);

export const file = declare(
  (_options: object): Kind<string> => ({ expected: 'the path of a file', parse: (text) => resolve(text) }),
);
