// rule 5: 4: scope matching is explicit, without longest prefix | authorizer/src/domain/scopes.ts
// rule 5: 5: `<domain>:read`, `<domain>:write`, and `.sensitive` for sensitive sub-resources; neither implies the other | authorizer/src/domain/scopes.ts
// rule 7: 403 `forbidden`: valid token, insufficient permission | authorizer/src/decisions/decide.ts

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { holds, lacking, readScopes, remaining, SCOPES, writeScopes } from '../../src/domain/scopes.ts';
import { type Installation, startInstallation } from '../installation.ts';

const scope = fc.constantFrom(...SCOPES);
const scopes = fc.uniqueArray(scope);

describe('a scope is held if it is a member of the set, and only then', () => {
  test('for every set and every scope', () => {
    fc.assert(fc.property(scopes, scope, (held, wanted) => holds(held, wanted) === new Set<string>(held).has(wanted)));
  });

  test('no part, extension or other spelling of a held scope is held', () => {
    const near = scope.chain((one) =>
      fc.constantFrom(
        one.slice(0, -1),
        `${one}:x`,
        `${one} `,
        one.toUpperCase(),
        one.split(':')[0],
        one.replace('.sensitive', ''),
        one.replace(':', '.sensitive:'),
        '*',
        '',
        `${one.split(':')[0]}:*`,
      ),
    );
    fc.assert(
      fc.property(
        scopes,
        near,
        (held, wanted) => holds(held, String(wanted)) === (held as string[]).includes(String(wanted)),
      ),
    );
  });

  test('write does not imply read, nor a sensitive scope a plain one, nor a plain one a sensitive one', () => {
    for (const one of SCOPES) expect(SCOPES.filter((other) => holds([one], other))).toEqual([one]);
  });

  test('the remaining scopes of a token are those that both hold; the others are lacking', () => {
    fc.assert(
      fc.property(scopes, scopes, (granted, held) => {
        const rest = remaining(granted, held);
        expect(rest.every((one) => granted.includes(one as never) && held.includes(one as never))).toBe(true);
        expect([...rest, ...lacking(granted, held)].sort()).toEqual([...granted].sort());
      }),
    );
  });

  test('a list of scopes is unchanged by formatting and parsing', () => {
    fc.assert(fc.property(scopes, (some) => expect(readScopes(writeScopes(some))).toEqual(some)));
  });
});

describe('the authorizer decides by it', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation.close());

  test('for every scope, a client with all others is refused and a client with it alone is allowed', async () => {
    for (const one of SCOPES) {
      const with1 = await installation.tokenOf(await installation.newClient([one]));
      const without = await installation.tokenOf(await installation.newClient(SCOPES.filter((other) => other !== one)));
      expect((await installation.decide(with1, one)).status).toBe(200);
      const refused = await installation.decide(without, one);
      expect({ status: refused.status, body: refused.body }).toEqual({
        status: 403,
        body: { status: 'forbidden', details: expect.stringContaining(one), data: null },
      });
      expect(refused.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${one}"`);
    }
  });
});
