import type { Retries } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { applyAttempt, MAIL_RETRIES } from '../../src/mail/outbox.ts';
import type { MailDocument } from '../../src/store.ts';

const HOUR = 3_600_000;

const mail: MailDocument = {
  id: 'mail_1',
  version: 1,
  institution: 'opera',
  kind: 'confirmation',
  orderId: 'ord_1',
  pointOfSale: 'tickets.example',
  contactNumber: 'C1',
  bulk: false,
  state: 'waiting',
  attempts: 0,
  sealedLink: 'sealed',
  reason: null,
  createdAt: 0,
  endedAt: null,
};

/** The attempts for a mail that is never taken, and the hours until it has failed. */
const lifeOf = (retries: Retries, random: number) => {
  let own = mail;
  for (let now = 0, tries = 1; ; tries += 1) {
    const after = applyAttempt(own, { outcome: 'later', reason: '452' }, { now, random, retries });
    own = after.mail;
    if (after.dueAt === null) return { tries, hours: now / HOUR, mail: own };
    now = after.dueAt;
  }
};

test.each([0, 0.5, 0.999_999])(
  'a mail that no server takes is tried for two days, the last time after 20 hours (%d)',
  (random) => {
    const { tries, hours, mail: ended } = lifeOf(MAIL_RETRIES, random);
    expect(tries).toBeLessThanOrEqual(12);
    expect(hours).toBeGreaterThan(38);
    expect(hours).toBeLessThan(58);
    expect(ended).toMatchObject({ state: 'failed', attempts: tries, sealedLink: null, reason: '452' });
  },
);

test('the check notices a mail that is tried again after its last try', () => {
  const { tries, hours } = lifeOf({ ...MAIL_RETRIES, isEnding: false }, 0.5);
  expect(tries).toBeGreaterThan(12);
  expect(hours).toBeGreaterThan(58);
});
