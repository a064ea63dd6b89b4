import fc from 'fast-check';

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

const nasty = fc.constantFrom(
  ...['', ' ', '0', '-1', '1e309', 'null', 'undefined', 'NaN', 'true', '__proto__', 'constructor', 'toString'],
  ...['../../etc/passwd', '..%2f..%2f', "' OR 1=1 --", '{"$gt":""}', '$where', '<script>alert(1)</script>', '%00'],
  ...['\u0000', '\ud83d\ude00', '\ud800', '\u202e', 'é'.repeat(200), 'A'.repeat(3_000), '9'.repeat(400)],
  'fr\r\nSet-Cookie: a=b',
);

const field = fc.constantFrom(
  ...['performanceId', 'seatCategoryId', 'tariffId', 'quantity', 'placeIds', 'contactNumber', 'contact', 'firstName'],
  ...['lastName', 'email', 'paymentMethod', 'paymentToken', 'returnUrl', 'login', 'password', 'beneficiaryFirstName'],
  ...['beneficiaryLastName', '__proto__', 'constructor', 'prototype', 'junk'],
);

const parameter = fc.constantFrom(
  ...['type', 'offset', 'limit', 'lang', 'contactNumber', 'status', 'seatCategoryId', 'junk', '__proto__', ''],
);

const method = fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'HEAD', 'PUT', 'OPTIONS', 'TRACE');

const percent = <First, Second>(share: number, first: fc.Arbitrary<First>, second: fc.Arbitrary<Second>) =>
  fc.oneof({ weight: share, arbitrary: first }, { weight: 100 - share, arbitrary: second });

/** Random requests; some are nearly valid. */
export function generateRequests({ hosts, tokens, items, words, operations }: Known): fc.Arbitrary<FuzzRequest> {
  const word = percent(60, fc.constantFrom(...words), nasty);
  const values = [word, fc.constantFrom(0, 1, -1, 2, 51, 1.5, 1e20, -0, Number.MAX_SAFE_INTEGER), fc.boolean()];
  const value = fc.anything({ key: field, values: [...values, fc.constant(null)], maxDepth: 3, maxKeys: 5 });
  const plausible = fc.oneof(
    fc.constantFrom(...items),
    fc.record({ performanceId: word, seatCategoryId: word, tariffId: word, quantity: fc.integer({ min: 1, max: 4 }) }),
    fc.record({
      contact: fc.record({ firstName: word, lastName: fc.constant('B'), email: fc.constant('a@b.example') }),
      paymentMethod: fc.constantFrom('external', 'simulated', 'on_account', 'stripe'),
    }),
    fc.record({ login: word, password: word }),
    fc.record({ beneficiaryFirstName: value, beneficiaryLastName: word }),
    fc.record({ contactNumber: word, paymentMethod: fc.constant('simulated'), paymentToken: fc.constant('ok') }),
  );
  const body = fc.oneof(
    { weight: 5, arbitrary: plausible.map((sent) => JSON.stringify(sent)) },
    { weight: 4, arbitrary: value.map((sent) => JSON.stringify(sent)) },
    fc.constantFrom('{', '[]', '"', 'null', '{"a":1,"a":2}', '\u0000', '{"a":1}}', undefined),
    fc.constantFrom(
      'x'.repeat(300_000),
      `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
      '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"quantity":1}',
    ),
    fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  );
  const header = (share: number, text: fc.Arbitrary<string>) =>
    // Without characters that a header may not contain.
    percent(
      share,
      text.map((given) => given.replaceAll(/[^\x20-\x7e]/g, '')),
      fc.constant(undefined),
    );
  const headers = fc
    .record({
      'x-service-host': header(95, percent(95, fc.constantFrom(...hosts), nasty)),
      'x-auth-token': header(70, percent(90, fc.constantFrom(...tokens), nasty)),
      'content-type': header(
        90,
        percent(80, fc.constant('application/json'), fc.constantFrom('text/plain', 'application/json;charset=x')),
      ),
      'accept-language': header(20, percent(15, fc.constantFrom('en;q=0.5', '*;q=0', ';;,,q='), nasty)),
      'idempotency-key': header(20, percent(15, fc.constantFrom('a', 'b', 'k'.repeat(300)), nasty)),
      origin: header(10, percent(10, fc.constantFrom('https://evil.example', 'null'), nasty)),
      'x-request-id': header(10, nasty),
      'x-forwarded-for': header(10, percent(10, fc.constantFrom('::1', '10.0.0.1, 10.0.0.2'), nasty)),
      'accept-encoding': header(10, percent(20, fc.constantFrom('gzip', 'br;q=x', '*'), nasty)),
      'if-none-match': header(5, percent(10, fc.constantFrom('*', '"x"'), nasty)),
    })
    .map((given) => Object.fromEntries(Object.entries(given).flatMap(([name, text]) => (text ? [[name, text]] : []))));
  const query = fc.array(
    percent(
      90,
      fc
        .tuple(parameter, fc.oneof(fc.nat(600).map(String), word))
        .map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')),
      parameter.map((name) => `${name}=%zz`),
    ),
    { maxLength: 3 },
  );
  const base = fc.constantFrom(
    ...Array(20).fill(['/tnwr/v1', '/tnwr/vexp']).flat(),
    '/tnwr/v2',
    '/tnwr',
    '',
    '/tnwr/v1//',
  );
  const path = (template: string) =>
    fc.tuple(base, fc.array(word, { minLength: 3, maxLength: 3 }), query).map(([prefix, [...ids], parameters]) => {
      const id = () => encodeURIComponent((ids.pop() ?? '').toWellFormed()) || 'x';
      const search = parameters.length > 0 ? `?${parameters.join('&')}` : '';
      return `${prefix}${template.replaceAll(/\{[^}]*\}/g, id)}${search}`;
    });
  const hasBody = (name: string): boolean => ['POST', 'PUT', 'PATCH'].includes(name);
  return fc.constantFrom(...operations).chain(([declared, template]) =>
    percent(85, fc.constant(declared), method).chain((chosen) =>
      fc.record({
        method: fc.constant(chosen),
        path: path(template),
        headers,
        body: hasBody(chosen) ? body : percent(5, body, fc.constant(undefined)),
      }),
    ),
  );
}
