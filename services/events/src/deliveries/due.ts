import type { DueChange, Store } from '@boxoffice/store';
import { type WebhookDocument, webhooksCollection } from '../store.ts';

/**
 * What makes a webhook due: nothing where it is due already, or where somebody works on it, who looks again before the
 * claim ends. So a claim is not ended by others, and no two processes deliver to one webhook.
 */
export function deliverNow({ due }: Pick<WebhookDocument, 'due'>, now: number): DueChange {
  const { at = Number.POSITIVE_INFINITY, claim } = due?.deliver ?? {};
  return claim !== undefined || at <= now ? {} : { deliver: now };
}

/** Makes the webhooks of an institution due that hear of its events. */
export type MakeDue = (institution: string) => Promise<void>;

/** Creates what is called after events were appended: it writes only where a webhook is idle. */
export function createMakeDue(store: Pick<Store, 'collection'>, now: () => number): MakeDue {
  const webhooks = store.collection(webhooksCollection);
  return async (institution) => {
    const of = webhooks.of(institution);
    const found = await of.find({ where: { deletedAt: null } });
    const isIdle = (webhook: WebhookDocument): boolean =>
      webhook.state === 'active' && Object.keys(deliverNow(webhook, now())).length > 0;
    const makeDue = ({ id }: WebhookDocument) =>
      of.update(id, (current) => (isIdle(current) ? { next: current, due: deliverNow(current, now()) } : undefined));
    await Promise.all(found.filter(isIdle).map(makeDue));
  };
}
