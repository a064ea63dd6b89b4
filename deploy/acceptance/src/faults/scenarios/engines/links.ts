import { setTimeout as pause } from 'node:timers/promises';
import { type DamageKind, damageOf } from '../../deployment/links/damage.ts';
import type { Links } from '../../deployment/links/index.ts';
import type { Random } from '../../round/random.ts';
import type { Context, Round } from '../../round/round.ts';
import { type Suffered, sufferDuringTraffic } from './index.ts';

/** A link and what happens to it. */
export interface LinkFault {
  readonly link: string;
  readonly kind: DamageKind;
}

/** Milliseconds over which the bandwidth is measured before it is halved. */
const MEASURED_MS = 1_000;

/** Milliseconds of a fault. */
const [SHORTEST, LONGEST] = [1_000, 8_000] as const;

const suffer = async (links: Links, { link, kind }: LinkFault, random: Random): Promise<Suffered> => {
  const before = links.carried(link);
  if (kind === 'halved') await pause(MEASURED_MS);
  const bytesPerSecond = (links.carried(link) - before) / (MEASURED_MS / 1_000);
  const damage = damageOf(kind, bytesPerSecond, random);
  await links.damage(link, damage);
  await pause(random.between(SHORTEST, LONGEST));
  await links.mend(link);
  // A link whose caller does not go through the proxy would suffer nothing.
  const unseen = () => (links.carried(link) > 0 ? undefined : 'nothing has ever gone over this link');
  return { words: `${link} ${damage.words}`, unseen };
};

/** Damages links during traffic, one after the other. */
export const playLinkFaults = (context: Context, faults: readonly LinkFault[]): Promise<Round> => {
  const { links } = context.deployment;
  if (!links) throw new Error('this deployment was started without links');
  return sufferDuringTraffic(context, 'links', faults, (fault) => suffer(links, fault, context.random));
};
