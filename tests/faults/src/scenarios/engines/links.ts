import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@boxoffice/testkit';
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

/** Milliseconds between two writes of users. */
const USER_EVERY_MS = 500;

/**
 * Writes users that refer to what does not exist while `act` runs: the only requests for which the authorizer calls
 * others. Any answer is right, also none.
 */
const whileUsersAreWritten = async <T>(api: Client, act: () => Promise<T>): Promise<T> => {
  const user = (more: object) => ({ login: `${randomUUID()}@example.org`, name: 'Ana', ...more });
  const bodies = [
    () => user({ role: 'customer', contactNumber: '0' }),
    () => user({ role: 'box_office', pointsOfSale: ['nowhere.example.org'] }),
  ];
  let over = false;
  const writing = (async () => {
    while (!over) {
      for (const body of bodies) await api('/svc/v3/users', { method: 'POST', body: body() }).catch(() => undefined);
      await pause(USER_EVERY_MS);
    }
  })();
  try {
    return await act();
  } finally {
    over = true;
    await writing;
  }
};

/** Damages links during traffic, one after the other. */
export const playLinkFaults = (context: Context, faults: readonly LinkFault[]): Promise<Round> => {
  const { api, deployment, random } = context;
  const { links } = deployment;
  if (!links) throw new Error('this deployment was started without links');
  return whileUsersAreWritten(api, () =>
    sufferDuringTraffic(context, 'links', faults, (fault) => suffer(links, fault, random)),
  );
};
