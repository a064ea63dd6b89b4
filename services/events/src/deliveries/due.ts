import type { DueChange, Store } from '@boxoffice/store';
import { type WebhookDocument, webhooksCollection } from '../store.ts';

/**
 * Nothing where the webhook is due already, or somebody works on it, who looks again before the claim ends. So no two
 * processes deliver to one webhook.
 */
export function deliverNow({ due }: Pick<WebhookDocument, 'due'>, now: number): DueChange {
  const { at = Number.POSITIVE_INFINITY, claim } = due?.deliver ?? {};
  return claim !== undefined || at <= now ? {} : { deliver: now };
}

export type MakeDue = (institution: string) => Promise<void>;

/** Called after events were appended; writes only where a webhook is idle. */
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
