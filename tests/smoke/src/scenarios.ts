import type { Composition } from './composition.ts';
import { readDocumentation } from './documentation.ts';
import type { Options, ScenarioName } from './options.ts';
import { killOne, replaceAll, scaleUp } from './orders.ts';
import type { Images } from './prepare-images.ts';
import { type Demo, purchaseA, purchaseB } from './purchases.ts';
import type { Steps } from './steps.ts';

/** The composition of a scenario, with data of its own. */
export interface Context {
  readonly composition: Composition;
  readonly baseUrl: string;
  readonly options: Options;
  readonly images: Images;
  readonly steps: Steps;
  /** Unique to this run. */
  readonly run: string;
}

/** Starts everything with the demo data by one command; a partner and a visitor buy and cancel. */
const demo = async ({ composition, steps }: Context): Promise<void> => {
  await steps.step('one command', async () => {
    await composition.up();
    await composition.finished('demo');
    return 'every container healthy, demo data present';
  });
  const credentials: Demo = JSON.parse(await composition.file('demo', '/data/demo.json'));
  const address = { baseUrl: credentials.baseUrl, ca: await composition.file('demo', credentials.caFile) };
  await steps.step('purchase and cancellation, family A', () => purchaseA(address, credentials));
  await steps.step('purchase and cancellation, family B', () => purchaseB(address, credentials));
  await steps.step('documentation', () => readDocumentation(address));
};

/** Sells while orders is scaled, loses an instance, and is replaced by another version and back. */
const sale = async (context: Context): Promise<void> => {
  const { composition, steps, images, baseUrl, options, run } = context;
  const created: { clientId?: string; clientSecret?: string } = {};
  await steps.step('without demo data', async () => {
    await composition.up('demo');
    await composition.healthy('gateway', 1);
    const institution = ['--name', 'Opera', '--currency', 'CHF', '--languages', 'en'];
    await composition.operator('institutions', 'create', 'opera', ...institution);
    const client = ['--name', 'smoke', '--scopes', 'all', '--json'];
    Object.assign(created, JSON.parse(await composition.operator('clients', 'create', 'opera', ...client)));
    return 'the operator has created an institution and a client';
  });
  const { clientId = '', clientSecret = '' } = created;
  const ca = await composition.file('gateway', '/data/development-certificate.pem');
  const partner = { institution: 'opera', clientId, clientSecret };
  const selling = { composition, address: { baseUrl, ca }, partner, options, run };
  await steps.attempt('orders scaled to 3', () => scaleUp(selling));
  await steps.attempt('one of 3 killed', () => killOne(selling));
  await steps.attempt('3 replaced by the other version', () =>
    replaceAll(selling, { name: 'back', image: images.other, mustNotFail: false }),
  );
  await steps.attempt('3 replaced by this version, no request failed', () =>
    replaceAll(selling, { name: 'forth', image: images.current.orders, mustNotFail: true }),
  );
  await steps.attempt('dead letters', async () => {
    const letters = JSON.parse(await composition.operator('dead-letters', 'list', '--json'));
    if (letters.length > 0) throw new Error(`${letters.length} dead letters`);
    return 'none';
  });
  if (steps.failed) throw new Error('a step failed');
};

/** The scenarios by name; each rejects if one of its steps fails. */
export const scenarios: Readonly<Record<ScenarioName, (context: Context) => Promise<void>>> = { demo, sale };
