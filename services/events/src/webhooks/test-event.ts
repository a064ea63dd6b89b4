import type { Static } from 'typebox';
import type { WebhookTestEvent } from '../types/schemas.ts';
import { TEST_TYPE } from '../types/types.ts';
import type { WebhookDocument } from './documents.ts';

/** Where and when a test is made. */
interface TestOptions {
  /** The id of its event. */
  readonly id: string;
  readonly institution: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly publicUrl: string;
}

/** What the test of a webhook delivers. */
export const testEvent = (
  webhook: Pick<WebhookDocument, 'id' | 'revision'>,
  { id, institution, at, publicUrl }: TestOptions,
): Static<typeof WebhookTestEvent> => ({
  id,
  type: TEST_TYPE,
  occurredAt: new Date(at).toISOString(),
  institution,
  resource: {
    type: 'webhook',
    id: webhook.id,
    version: webhook.revision,
    url: new URL(`/svc/v3/webhooks/${webhook.id}`, publicUrl).href,
  },
  data: {},
});
