import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '@boxoffice/gateway';
import { createLogger, ensureDevelopmentCertificate } from '@boxoffice/runtime';
import { createAuthorizationRequest, openClient, requestAuthorization } from '@boxoffice/testkit';
import type { Page, Response } from 'playwright-core';
import type { Product } from '../../src/product.ts';

/** An address where no process listens (RFC 6335: reserved). */
const NOBODY = 'http://127.0.0.1:1';

const certificateOf = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-lonely-'));
  try {
    return await ensureDevelopmentCertificate(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
};

// Made while the suite is loaded: its maker is imported on demand, which Jest refuses to concurrent tests.
const tls = await certificateOf();

export const INSTITUTION = 'opera';

/** The languages of the pages, with the locales of browsers that get them. */
export const LOCALES = { fr: 'fr-CH', en: 'en-GB', de: 'de-AT' } as const;
export type Language = keyof typeof LOCALES;

export type People = ReturnType<typeof findPeople>;

/** Finds the client and the user of the demo data, who come back to the application. */
export function findPeople({ demo, address }: Product, applicationUrl: string) {
  const clientOf = (name: string) => {
    const found = demo.clients.find((one) => one.institution === INSTITUTION && one.name === name);
    if (!found) throw new Error(`the demo data has no client ${name} of ${INSTITUTION}`);
    return found;
  };
  const user = demo.apiUsers.find(({ institution, role }) => institution === INSTITUTION && role === 'manager');
  if (!user) throw new Error(`the demo data has no manager of ${INSTITUTION}`);
  const client = openClient(address);
  return {
    baseUrl: demo.baseUrl,
    clientId: clientOf('web').clientId,
    login: user.login,
    password: user.password,
    redirectUri: `${applicationUrl}/callback`,
    /** A client without a browser. */
    client,
    /** The link of a new user's invitation. */
    async invite(login = `${randomUUID()}@example.org`): Promise<string> {
      const headers = { authorization: await requestAuthorization(client, clientOf('full')) };
      const body = { login, name: 'Grace Hopper', role: 'manager' };
      const { body: answer } = await client('/svc/v3/users', { method: 'POST', headers, body });
      return answer.data.invitation.url;
    },
  };
}

/** The address of a sign-in at the application. */
export function buildSignInUrl(
  { baseUrl, clientId, redirectUri }: People,
  more: Readonly<Record<string, string>> = {},
): string {
  const { path } = createAuthorizationRequest(clientId, redirectUri);
  return `${baseUrl}${path}&${new URLSearchParams(more)}`;
}

/** The fields and the buttons of the pages, whatever the language. */
export function locateControls(page: Page) {
  return {
    login: page.locator('input[name=login]'),
    password: page.locator('input[name=password]'),
    repeat: page.locator('input[name=repeat]'),
    submit: page.locator('button[type=submit]').first(),
    alert: page.getByRole('alert'),
  };
}

/** Fills in the sign-in page and sends it, again where the product is too busy. */
export async function enter(page: Page, login: string, password: string): Promise<void> {
  const { login: field, password: secret, submit } = locateControls(page);
  await field.fill(login);
  await secret.fill(password);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await submit.click();
  let answer: Response | null = await answered;
  for (let tries = 1; answer && isBusy(answer) && tries < 10; tries += 1) answer = await page.reload();
}

/** Too busy to check a password, the product asks to send it again in a second; throttled, in minutes. */
const isBusy = (answer: Pick<Response, 'status' | 'headers'>): boolean =>
  answer.status() === 429 && answer.headers()['retry-after'] === '1';

/**
 * Walks through every page as a user meets it; `shown` is called on each, with its name and the status of its answer.
 * The browser is in none of the pages' sessions before and after.
 */
export async function walk(
  page: Page,
  people: People,
  shown: (name: string, status: number | undefined) => Promise<void>,
): Promise<void> {
  const { submit, password, repeat, alert } = locateControls(page);
  let status: number | undefined;
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) status = response.status();
  });
  const see = async (name: string) => shown(name, status);
  const open = async (name: string, address: string) => {
    await page.goto(address);
    await see(name);
  };

  await open('unknown client', buildSignInUrl({ ...people, clientId: 'cli_unknown' }));
  await open('no page', `${people.baseUrl}/auth/authorize/nothing`);
  await open('ended invitation', `${people.baseUrl}/auth/invitation?token=inv_${'x'.repeat(43)}`);

  await open('invitation', await people.invite());
  await password.fill('four swans on a cold lake');
  await repeat.fill('five swans on a cold lake');
  await submit.click();
  await alert.waitFor();
  await see('invitation with different passwords');
  await password.fill('four swans on a cold lake');
  await repeat.fill('four swans on a cold lake');
  await submit.click();
  await password.waitFor({ state: 'detached' });
  await see('saved password');

  await open('sign-in', buildSignInUrl(people));
  await enter(page, people.login, 'wrong');
  await alert.waitFor();
  await see('wrong password');

  const unknown = `${randomUUID()}@example.org`;
  await exhaust(page, unknown);
  await enter(page, unknown, 'wrong');
  await password.waitFor({ state: 'detached' });
  await see('throttled');

  await page.goto(buildSignInUrl(people, { prompt: 'login consent' }));
  await enter(page, people.login, people.password);
  await page.locator('button[name=decision]').first().waitFor();
  await see('consent');

  await sendAgain(page, people);
  await see('sent form');

  await refusals(page, people, see);

  await open('sign out', `${people.baseUrl}/auth/logout`);
  await submit.click();
  await submit.waitFor({ state: 'detached' });
  await see('signed out');
}

/** Fails to sign in until the next attempt is throttled; the page shows the sign-in. */
const exhaust = async (page: Page, login: string): Promise<void> => {
  const form = await page.locator('input[name=form]').inputValue();
  const address = new URL('/auth/authorize', page.url());
  for (let checked = 0; checked < 20; ) {
    const answer = await page.context().request.post(address.href, {
      form: { form, login, password: 'wrong' },
      headers: { origin: address.origin },
    });
    if (isBusy(answer)) continue;
    if (answer.status() === 429) return;
    checked += 1;
  }
  throw new Error('twenty wrong passwords are not throttled');
};

/** Signs in, and sends the same form once more, as the back button does. */
const sendAgain = async (page: Page, people: People): Promise<void> => {
  const { password } = locateControls(page);
  const form = page.locator('input[name=form]');
  await page.goto(buildSignInUrl(people, { prompt: 'login consent' }));
  const sent = await form.inputValue();
  await enter(page, people.login, people.password);
  await page.locator('button[name=decision]').first().waitFor();
  await page.goto(buildSignInUrl(people, { prompt: 'login consent' }));
  await form.evaluate((field, value) => field.setAttribute('value', value), sent);
  await enter(page, people.login, people.password);
  await password.waitFor({ state: 'detached' });
};

/** The pages by which the gateway refuses requests of pages itself. */
const refusals = async (page: Page, people: People, see: (name: string) => Promise<void>): Promise<void> => {
  await page.route(/authorize/, (route) => route.continue({ method: 'PUT' }), { times: 1 });
  await page.goto(buildSignInUrl(people));
  await see('wrong method');

  const gateway = await startLonelyGateway();
  try {
    for (const name of ['service away', 'too many requests']) {
      await page.goto(buildSignInUrl({ ...people, baseUrl: gateway.url }));
      await see(name);
    }
  } finally {
    await gateway.close();
  }
};

/** A gateway that reaches no service and takes one request a minute: it refuses pages with 503, then with 429. */
const startLonelyGateway = async () => {
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    httpPort: 0,
    tls,
    publicUrl: 'https://tickets.example.org',
    services: { authorizer: NOBODY },
    serviceSecret: 'of no process',
    limits: { client: 1, address: 1, session: 1 },
    logger: createLogger({ service: 'gateway', pretty: false, write: () => undefined }),
  });
  return {
    url: gateway.httpsUrl,
    close: () => gateway.close(),
  };
};
