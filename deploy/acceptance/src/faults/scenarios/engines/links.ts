import { setTimeout as pause } from 'node:timers/promises';
import { type DamageKind, damageOf } from '../../deployment/links/damage.ts';
import type { Links } from '../../deployment/links/index.ts';
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

const suffer = async (
  links: Links,
  { link, kind }: LinkFault,
  { random }: Context,
  used: () => Promise<string | undefined>,
): Promise<Suffered> => {
  const carried = async () => (await links.carried()).get(link) ?? 0;
  const before = kind === 'halved' ? await carried() : 0;
  if (kind === 'halved') await pause(MEASURED_MS);
  const bytesPerSecond = kind === 'halved' ? ((await carried()) - before) / (MEASURED_MS / 1_000) : 0;
  const damage = damageOf(kind, bytesPerSecond, random);
  await links.damage(link, damage);
  await pause(random.between(SHORTEST, LONGEST));
  await links.mend(link);
  return { words: `${link} ${damage.words}`, unseen: await used() };
};

/** Damages links during traffic, one after the other. */
export const playLinkFaults = async (context: Context, faults: readonly LinkFault[]): Promise<Round> => {
  const { links } = context.deployment;
  if (!links) throw new Error('this deployment was started without links');
  const begin = await links.carried();
  return sufferDuringTraffic(context, 'links', faults, (fault) =>
    suffer(links, fault, context, async () => {
      const bytes = ((await links.carried()).get(fault.link) ?? 0) - (begin.get(fault.link) ?? 0);
      return bytes > 0 ? undefined : 'nothing went over this link in the round';
    }),
  );
};
