import { deriveSealingKey, type Logger, type Metrics, seal, unseal } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { findSoldPerformance } from '../domain/offer.ts';
import { readCurrentProducts } from '../products/offers.ts';
import type { PosContext } from '../request/context.ts';
import { findExistingPointOfSale } from '../request/visit.ts';
import { kinds, type MailDocument } from '../store.ts';
import { drawOrderDocument } from '../tickets/documents.ts';
import { type ComposeDependencies, createCompose, type LinkOf } from './compose.ts';
import { createDemoFiles, type DemoFiles } from './demo.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { type Attempted, createAttempt, createSender, type Sender } from './sender.ts';
import type { MailSettings } from './server.ts';
import { createSmtp } from './server.ts';
import { readTemplates } from './templates.ts';

export interface Mail {
  readonly outbox: Outbox;
  readonly sender: Sender;
  readonly demoFiles: DemoFiles;
  /** Mails of a point of sale for which this is false are not written. */
  readonly isOn: (pointOfSale?: { readonly demo: boolean }) => boolean;
}

export interface WritingContext extends Pick<PosContext, 'pointOfSaleOf'> {
  readonly mail: Mail;
}

/** A point of sale that is gone has no mails. */
export async function isWritten(context: WritingContext, serviceHost: string): Promise<boolean> {
  const pointOfSale = await findExistingPointOfSale(context, serviceHost);
  return pointOfSale !== undefined && context.mail.isOn(pointOfSale);
}

export interface MailOptions {
  readonly store: Store;
  readonly settings: MailSettings;
  readonly serviceSecret: string;
  readonly context: Pick<PosContext, 'pointOfSaleOf' | 'orders' | 'tickets' | 'contacts' | 'offers' | 'now' | 'log'>;
  readonly createLink: (...order: Parameters<LinkOf>) => Promise<string>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics?: Metrics | undefined;
}

/** A mail goes to MAIL_URL; without it those of the demo data, or of an installation to try, are kept. */
export function openMail({ store, settings, serviceSecret, context, createLink, logger, metrics }: MailOptions): Mail {
  const { now } = context;
  const outbox = createOutbox(store, now);
  const demoFiles = createDemoFiles(() => settings.demoMails?.folder, now);
  const smtp = settings.mailServer && createSmtp(settings.mailServer);
  const isOn: Mail['isOn'] = ({ demo } = { demo: true }) =>
    smtp !== undefined || (demoFiles.isOn() && (demo || settings.demoMails?.ofAll === true));
  const key = deriveSealingKey(serviceSecret, 'order links in mails');

  const linkOf: LinkOf = async (mail, ...order) => {
    const known = mail.sealedLink === null ? undefined : unseal(key, mail.id, mail.sealedLink)?.toString();
    if (known !== undefined) return known;
    const link = await createLink(mail, ...order);
    // Before it is used, so that the next attempt has the same.
    if (!(await outbox.link(mail, seal(key, mail.id, Buffer.from(link)))))
      throw new Error('the mail is no longer there');
    return link;
  };

  const findTemplate = readTemplates(settings.mailTemplates, (part, reason) =>
    logger.warn('a template of mails is not used', { part, reason }),
  );
  const performancesOf: ComposeDependencies['performancesOf'] = async (institution) => {
    const products = await readCurrentProducts(context, institution);
    return (performanceId) => {
      const sold = findSoldPerformance(products, performanceId);
      const { image = null, details = null } = products.find(({ id }) => id === sold?.productId) ?? {};
      return sold && { ...sold, image, details };
    };
  };
  const compose = createCompose({
    ...context,
    documentOf: (sold) => drawOrderDocument(context, sold),
    findTemplate,
    linkOf,
    performancesOf,
    from: settings.mailFrom,
  });
  const transportOf = (pointOfSale: { readonly demo: boolean }) =>
    smtp ?? (isOn(pointOfSale) ? demoFiles.keep : undefined);
  const sender = createSender({
    outbox,
    attempt: createAttempt({ compose, transportOf, logger }),
    isOn,
    ended: watchMails(metrics, outbox, { isOn, now }),
    logger,
    now,
  });
  watchSenders(metrics, sender, now);
  if (!isOn()) logger.info('no mails are sent to shoppers: MAIL_URL is not set');
  return { outbox, sender, demoFiles, isOn };
}

/** The last three outcomes are followed by another attempt. */
const OUTCOMES = ['sent', 'failed', 'dropped', 'later', 'sender_refused', 'unreachable'] as const;

const watchMails = (
  metrics: Metrics | undefined,
  outbox: Pick<Outbox, 'oldest'>,
  { isOn, now }: { readonly isOn: () => boolean; readonly now: () => number },
): ((mail: MailDocument, attempted: Attempted) => void) => {
  if (!metrics) return () => undefined;
  const attempts = metrics.counter({
    name: 'pos_mail_attempts_total',
    help: 'Attempts to send mails to shoppers, by how they ended; failed and dropped ones are not tried again',
    labels: ['kind', 'outcome'],
  });
  for (const kind of kinds) for (const outcome of OUTCOMES) attempts({ kind, outcome }, 0);
  metrics.watch(
    { name: 'pos_mail_waiting_seconds', help: 'For how long the mail has waited that waits the longest' },
    async () => {
      const oldest = isOn() ? await outbox.oldest() : undefined;
      return [{ value: oldest === undefined ? 0 : Math.max(0, now() - oldest) / 1_000 }];
    },
  );
  return ({ kind }, { outcome }) => {
    if (outcome !== 'erased') attempts({ kind, outcome });
  };
};

const watchSenders = (metrics: Metrics | undefined, sender: Pick<Sender, 'refusedSenders'>, now: () => number): void =>
  metrics?.watch(
    {
      name: 'pos_mail_sender_refused_seconds',
      help: 'For how long the mail server has refused the sender of a point of sale, whose mails wait',
      labels: ['institution', 'point_of_sale'],
    },
    () =>
      sender.refusedSenders().map(({ institution, pointOfSale, since }) => ({
        value: Math.max(0, now() - since) / 1_000,
        labels: { institution, point_of_sale: pointOfSale },
      })),
  );
