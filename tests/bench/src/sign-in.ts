import { openClient } from '@boxoffice/testkit';
import { applyBatch } from './client/load.ts';
import { authorizePath, codeIn, exchangeOf, openLogin, sessionOf } from './client/sign-in.ts';
import { cpuSeconds, type Running, startChild } from './measure/child.ts';
import { type Benchmark, exceeding, quantile, round } from './measure/report.ts';
import { signaturesPerSecond } from './measure/signatures.ts';
import type { AuthorizerAnnouncement } from './programs/announcement.ts';

const ROUNDS = 7;
/** Codes of one round: exchanged in about two seconds, and few enough that none expires before its turn. */
const CODES = 6_000;
/** As many as hide the time of durable writes, which are stored together. */
const CONNECTIONS = 64;
/** Fewer than an address may fail with, and than all addresses may fail with at one login. */
const LOGINS = 40;

const LOWEST = 0.3;
/** How far the medians of two kinds of login may lie apart. */
const APART = 0.1;
/** How far from 0.5 the probability may be that a time of one kind exceeds one of the other. */
const TELLING = 0.15;

/**
 * Codes per second, exchanges per second, and the CPU time per exchange in microseconds, of the authorizer and of this
 * process, which sends the requests: on two cores, both share them.
 */
const exchangeOnce = async (
  { announced, child }: Running<AuthorizerAnnouncement>,
  cookie: string,
  scope: string,
  amount: number,
) => {
  const { url } = announced;
  const codes: string[] = [];
  const given = await applyBatch(
    {
      url,
      connections: CONNECTIONS,
      method: 'GET',
      path: authorizePath(announced, scope),
      headers: { cookie },
      amount,
      received: ({ location }) => {
        const code = codeIn(location);
        if (code !== undefined) codes.push(code);
      },
    },
    [303],
  );
  if (codes.length !== amount) throw new Error(`${codes.length} codes of ${amount} requests`);
  const before = cpuSeconds(child.pid);
  const own = process.cpuUsage();
  const exchanged = await applyBatch(
    {
      url,
      connections: CONNECTIONS,
      method: 'POST',
      path: '/auth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      amount,
      nextBody: () => exchangeOf(announced, codes.shift() ?? ''),
    },
    [200],
  );
  const { user, system } = process.cpuUsage(own);
  const cpu = ((cpuSeconds(child.pid) - before) / amount) * 1e6;
  return { given, exchanged, cpu, clientCpu: (user + system) / amount };
};

/** Milliseconds of failing logins of each kind, in turn. */
const failingLogins = async (announced: AuthorizerAnnouncement) => {
  const { user, lockedLogin, url } = announced;
  const login = await openLogin(openClient({ baseUrl: url }), announced);
  const kinds = {
    'wrong password': user.login,
    'locked user': lockedLogin,
    'unknown login': 'nobody@bench.example',
  } as const;
  const times: Record<keyof typeof kinds, number[]> = { 'wrong password': [], 'locked user': [], 'unknown login': [] };
  for (let turn = 0; turn < LOGINS; turn += 1) {
    for (const [kind, name] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
      // The password of the first two, but for one letter.
      const password = `${user.password.slice(1)}x`;
      const { status, ms } = await login({ login: name, password, address: `192.0.2.${turn}` });
      if (status !== 403) throw new Error(`${kind}: ${status}`);
      times[kind].push(ms);
    }
  }
  return times;
};

/** Codes exchanged for tokens per second against bare signatures, and how long logins fail that must look alike. */
export const signInBenchmark: Benchmark = {
  about:
    'codes exchanged per second, against bare ES256 signatures of one core; the time of failing logins of each kind',
  async run(progress) {
    const authorizer = await startChild<AuthorizerAnnouncement>('authorizer');
    const { announced } = authorizer;
    const cookie = await sessionOf(announced);
    progress('warming up');
    await exchangeOnce(authorizer, cookie, 'contacts:read', CODES);
    const rows: (string | number)[][] = [];
    const ratios: number[] = [];
    for (let turn = 1; turn <= ROUNDS; turn += 1) {
      progress(`round ${turn} of ${ROUNDS}`);
      const bare = signaturesPerSecond();
      const { given, exchanged, cpu, clientCpu } = await exchangeOnce(authorizer, cookie, 'contacts:read', CODES);
      // Two signatures each, and the first of a chain of refresh tokens.
      const whole = await exchangeOnce(authorizer, cookie, 'openid offline_access contacts:read', CODES);
      ratios.push(exchanged / bare);
      rows.push([
        `round ${turn}`,
        bare,
        given,
        exchanged,
        exchanged / bare,
        cpu,
        clientCpu,
        whole.exchanged,
        whole.exchanged / bare,
      ]);
    }
    progress('logins that fail');
    const times = await failingLogins(announced);
    await authorizer.stop();
    const ratio = quantile(ratios, 0.5);
    const usual = quantile(times['wrong password'], 0.5);
    const alike = (['locked user', 'unknown login'] as const).flatMap((kind) => {
      const compared = quantile(times[kind], 0.5) / usual;
      const probability = exceeding(times[kind], times['wrong password']);
      return [
        {
          what: `${kind} against wrong password, median of ${LOGINS} (${round(usual)} ms)`,
          target: `1 ± ${APART} ×`,
          reached: `${round(compared)} ×`,
          met: Math.abs(compared - 1) <= APART,
        },
        {
          what: `${kind} takes longer than a wrong password, probability`,
          target: `0.5 ± ${TELLING}`,
          reached: `${round(probability)}`,
          met: Math.abs(probability - 0.5) <= TELLING,
        },
      ];
    });
    return {
      name: 'sign-in',
      about: this.about,
      columns: [
        ...['', 'signatures/s', 'codes/s', 'exchanges/s', 'ratio', 'CPU µs', 'client CPU µs'],
        ...['with ID and refresh token/s', 'ratio'],
      ],
      rows,
      targets: [
        {
          what: 'exchanges against signatures, median',
          target: `≥ ${LOWEST} ×`,
          reached: `${round(ratio)} ×`,
          met: ratio >= LOWEST,
        },
        ...alike,
      ],
    };
  },
};
