/** Repeatable randomness: the same seed gives the same requests (mulberry32). */
interface Random {
  /** In [0, 1). */
  next(): number;
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: (items) => items[below(items.length)] as never };
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** Existing hosts, tokens and ids, so that requests reach the handlers. */
export interface Known {
  readonly hosts: readonly string[];
  readonly tokens: readonly string[];
  /** Valid items of a cart. */
  readonly items: readonly object[];
  /** Existing ids, logins and contact numbers. */
  readonly words: readonly string[];
  /** Methods and paths below a version, with `{templates}`. */
  readonly operations: readonly (readonly [method: string, template: string])[];
}

const METHODS = ['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS', 'TRACE'];

const NASTY = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'null',
  'undefined',
  'NaN',
  'true',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  '..%2f..%2f',
  "' OR 1=1 --",
  '{"$gt":""}',
  '$where',
  '<script>alert(1)</script>',
  '%00',
  '\u0000',
  '\ud83d\ude00',
  '\u202e',
  'é'.repeat(200),
  'A'.repeat(3_000),
  'fr\r\nSet-Cookie: a=b',
  '9'.repeat(400),
];

const FIELDS = [
  'performanceId',
  'seatCategoryId',
  'tariffId',
  'quantity',
  'placeIds',
  'contactNumber',
  'contact',
  'firstName',
  'lastName',
  'email',
  'paymentMethod',
  'paymentToken',
  'login',
  'password',
  'beneficiaryFirstName',
  'beneficiaryLastName',
  '__proto__',
  'constructor',
  'prototype',
  'junk',
];

const QUERIES = [
  'type',
  'offset',
  'limit',
  'lang',
  'contactNumber',
  'status',
  'seatCategoryId',
  'junk',
  '__proto__',
  '',
];

/** A random request; some are nearly valid. */
export function createRandomRequest(random: Random, known: Known): FuzzRequest {
  const maybe = (chance: number, name: string, make: () => string): [string, string][] =>
    random.next() < chance ? [[name, headerSafe(make())]] : [];
  const [declared, template] = random.pick(known.operations);
  const method = random.next() < 0.85 ? declared : random.pick(METHODS);
  const content = ['POST', 'PUT', 'PATCH'].includes(method) || random.next() < 0.05 ? body(random, known) : undefined;
  const headers = Object.fromEntries([
    ...maybe(0.95, 'x-service-host', () => (random.next() < 0.95 ? random.pick(known.hosts) : random.pick(NASTY))),
    ...maybe(0.7, 'x-auth-token', () => (random.next() < 0.9 ? random.pick(known.tokens) : random.pick(NASTY))),
    ...maybe(0.9, 'content-type', () =>
      random.pick([
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
        'application/json;charset=x',
      ]),
    ),
    ...maybe(0.2, 'accept-language', () => random.pick(['en;q=0.5', '*;q=0', ';;,,q=', ...NASTY])),
    ...maybe(0.2, 'idempotency-key', () => random.pick(['a', 'b', 'k'.repeat(300), ...NASTY])),
    ...maybe(0.1, 'origin', () => random.pick(['https://evil.example', 'null', ...NASTY])),
    ...maybe(0.1, 'x-request-id', () => random.pick(NASTY)),
    ...maybe(0.1, 'x-forwarded-for', () => random.pick(['::1', '10.0.0.1, 10.0.0.2', ...NASTY])),
    ...maybe(0.1, 'accept-encoding', () => random.pick(['gzip', 'br;q=x', '*', ...NASTY])),
    ...maybe(0.05, 'if-none-match', () => random.pick(['*', '"x"', ...NASTY])),
  ]);
  return { method, path: path(random, known, template), headers, body: content };
}

/** The text without characters that a header may not contain. */
const headerSafe = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '');

const body = (random: Random, known: Known): string | Buffer | undefined => {
  const kind = random.below(14);
  if (kind < 5) return JSON.stringify(plausible(random, known));
  if (kind < 8) return JSON.stringify(record(random, known));
  if (kind === 8) return JSON.stringify(value(random, known));
  if (kind === 9) return `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
  if (kind === 10) return '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"quantity":1}';
  if (kind === 11) return random.pick(['{', '[]', '"', 'null', '{"a":1,"a":2}', '\u0000', '{"a":1}}']);
  if (kind === 12) return Buffer.from(Array.from({ length: 64 }, () => random.below(256)));
  return random.next() < 0.3 ? 'x'.repeat(300_000) : undefined;
};

/** Nearly valid bodies, so that requests reach the handlers. */
const plausible = (random: Random, known: Known): object =>
  random.pick<() => object>([
    () => random.pick(known.items),
    () => ({
      performanceId: word(random, known),
      seatCategoryId: word(random, known),
      tariffId: word(random, known),
      quantity: 1 + random.below(4),
    }),
    () => ({
      contact: { firstName: word(random, known), lastName: 'B', email: 'a@b.example' },
      paymentMethod: random.pick(['external', 'simulated', 'on_account']),
    }),
    () => ({ login: word(random, known), password: word(random, known) }),
    () => ({ beneficiaryFirstName: value(random, known), beneficiaryLastName: word(random, known) }),
    () => ({ contactNumber: word(random, known), paymentMethod: 'simulated', paymentToken: 'ok' }),
  ])();

const word = (random: Random, { words }: Known): string => random.pick(random.next() < 0.6 ? words : NASTY);

const value = (random: Random, known: Known, depth = 0): unknown => {
  const kind = random.below(depth > 3 ? 6 : 9);
  if (kind < 3) return word(random, known);
  if (kind === 3) return random.pick([0, 1, -1, 2, 51, 1.5, 1e20, -0, Number.MAX_SAFE_INTEGER]);
  if (kind === 4) return random.pick([true, false, null]);
  if (kind === 5) return random.pick(['on_account', 'external', 'simulated', 'ok', 'declined', 'a@b.example']);
  if (kind === 6) return Array.from({ length: random.below(4) }, () => value(random, known, depth + 1));
  return record(random, known, depth + 1);
};

const record = (random: Random, known: Known, depth = 0): object =>
  Object.fromEntries(
    Array.from({ length: random.below(6) }, () => [random.pick(FIELDS), value(random, known, depth + 1)]),
  );

const path = (random: Random, known: Known, template: string): string => {
  const base = random.next() < 0.95 ? random.pick(['/tnwr/v1', '/tnwr/vexp']) : random.pick(['/tnwr/v2', '/tnwr', '']);
  const below = template.replaceAll(/\{[^}]*\}/g, () => encodeURIComponent(word(random, known)) || 'x');
  const parameters = Array.from({ length: random.below(4) }, () => {
    const name = random.pick(QUERIES);
    const text = random.next() < 0.5 ? String(random.below(600)) : word(random, known);
    return random.next() < 0.1 ? `${name}=%zz` : `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
  });
  const query = parameters.length > 0 ? `?${parameters.join('&')}` : '';
  return `${base}${random.next() < 0.02 ? '//' : ''}${below}${query}`;
};
