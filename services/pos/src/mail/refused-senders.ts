import type { MailDocument } from '../store.ts';

interface RefusedSender {
  readonly institution: string;
  readonly pointOfSale: string;
  readonly reason: string;
  /** Epoch milliseconds of its first refusal. */
  readonly since: number;
}

interface Known extends RefusedSender {
  readonly failures: number;
  /** Until then none of its mails is tried; then one, before the others. */
  readonly until: number;
  readonly isTried: boolean;
}

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const TRYING_MS = 10_000;
/** A sender that is not tried for so long after its pause has no mails here any more. */
const FORGOTTEN_MS = 5 * 60_000;

type OfMail = Pick<MailDocument, 'institution' | 'pointOfSale'>;

/** Mails wait while the server refuses their sender; those of all others go on. */
export function createRefusedSenders(now: () => number) {
  const known = new Map<string, Known>();
  return {
    /** Epoch milliseconds; undefined: the mail is to be tried. */
    waitsUntil({ pointOfSale }: OfMail): number | undefined {
      const sender = known.get(pointOfSale);
      if (!sender) return undefined;
      if (now() < sender.until) return sender.until;
      if (sender.isTried) return now() + TRYING_MS;
      known.set(pointOfSale, { ...sender, isTried: true });
      return undefined;
    },
    /** Returns when the next mail is tried. */
    recordRefusal({ institution, pointOfSale }: OfMail, reason: string): number {
      const { failures: before = 0, since = now() } = known.get(pointOfSale) ?? {};
      const failures = before + 1;
      const until = now() + pauseAfter(failures);
      known.set(pointOfSale, { institution, pointOfSale, reason, since, failures, until, isTried: false });
      return until;
    },
    recordAcceptance({ pointOfSale }: OfMail): void {
      known.delete(pointOfSale);
    },
    recordNoOutcome({ pointOfSale }: OfMail): void {
      const sender = known.get(pointOfSale);
      if (sender) known.set(pointOfSale, { ...sender, isTried: false });
    },
    list(): readonly RefusedSender[] {
      for (const [pointOfSale, { until, isTried }] of known)
        if (!isTried && until + FORGOTTEN_MS < now()) known.delete(pointOfSale);
      return [...known.values()];
    },
  };
}

const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
