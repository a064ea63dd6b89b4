import type { Composition } from './composition.ts';
import type { Options } from './options.ts';
import { killOne, replaceAll, scaleUp } from './orders.ts';
import type { Images } from './prepare.ts';
import { type Demo, purchaseA, purchaseB } from './purchases.ts';
import type { Steps } from './steps.ts';

/** An act: a composition with data of its own, and its steps. */
export interface Act {
  readonly composition: Composition;
  readonly baseUrl: string;
  readonly options: Options;
  readonly images: Images;
  readonly steps: Steps;
  /** Unique to this run. */
  readonly run: string;
}

/** One command brings up everything with the demo data, and a partner and a visitor buy and cancel. */
export const demonstrate = async ({ composition, steps }: Act): Promise<void> => {
  await steps.step('one command', async () => {
    await composition.up();
    await composition.finished('demo');
    return 'every container healthy, demo data there';
  });
  const demo: Demo = JSON.parse(await composition.file('demo', '/data/demo.json'));
  const door = { demo, ca: await composition.file('demo', demo.caFile) };
  await steps.step('purchase and cancellation, family A', () => purchaseA(door, demo));
  await steps.step('purchase and cancellation, family B', () => purchaseB(door, demo));
};

/** An institution sells while its orders service is scaled, loses an instance, and is replaced by another version and back. */
export const sell = async (act: Act): Promise<void> => {
  const { composition, steps, images, baseUrl, options, run } = act;
  const made: { clientId?: string; clientSecret?: string } = {};
  await steps.step('without demo data', async () => {
    await composition.up('demo');
    await composition.healthy('gateway', 1);
    const institution = ['--name', 'Opera', '--currency', 'CHF', '--languages', 'en'];
    await composition.operator('institutions', 'create', 'opera', ...institution);
    const client = ['--name', 'smoke', '--scopes', 'all', '--json'];
    Object.assign(made, JSON.parse(await composition.operator('clients', 'create', 'opera', ...client)));
    return 'an institution and a client, made by the operator';
  });
  const { clientId = '', clientSecret = '' } = made;
  const ca = await composition.file('gateway', '/data/development-certificate.pem');
  const partner = { institution: 'opera', clientId, clientSecret };
  const stage = { composition, door: { demo: { baseUrl }, ca }, partner, options, run };
  await steps.attempt('orders scaled to 3', () => scaleUp(stage));
  await steps.attempt('one of 3 killed', () => killOne(stage));
  await steps.attempt('3 replaced by the other version', () =>
    replaceAll(stage, { name: 'back', image: images.other, flawless: false }),
  );
  await steps.attempt('3 replaced by this version, no request failed', () =>
    replaceAll(stage, { name: 'forth', image: images.current.orders, flawless: true }),
  );
  await steps.attempt('dead letters', async () => {
    const letters = JSON.parse(await composition.operator('dead-letters', 'list', '--json'));
    if (letters.length > 0) throw new Error(`${letters.length} dead letters`);
    return 'none';
  });
  if (steps.failed) throw new Error('a step failed');
};
