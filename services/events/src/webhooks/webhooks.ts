import { Fault } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import { createId, createRandomId } from '@boxoffice/runtime';
import {
  type Documents,
  type IdempotencyRecord,
  type Query,
  restrictDocuments,
  type Store,
  UniqueViolation,
} from '@boxoffice/store';
import type { Static } from 'typebox';
import type { AddressPolicy } from '../addresses.ts';
import { type Attempt, buildAttemptRecord } from '../deliveries/attempt.ts';
import { deliverNow } from '../deliveries/due.ts';
import { disableIfDue } from '../deliveries/ends.ts';
import { createPlannedAttempt, filterVisibleDeliveries, findLatestAttempt } from '../deliveries/plan.ts';
import type { Feed } from '../feed/read.ts';
import { type EventCursors, START } from '../feed/read.ts';
import { toEventBounds } from '../feed/visible.ts';
import { makeSecret, type SecretBox } from '../signing.ts';
import { type DeliveryDocument, deliveriesCollection, type WebhookDocument, webhooksCollection } from '../store.ts';
import { createTestEvent } from '../types/schemas.ts';
import { expandTypes, TEST_TYPE } from '../types/types.ts';
import type { DeliveredEvents } from './client-rights.ts';
import * as rules from './rules.ts';
import { addRedelivery, addTest } from './rules.ts';
import type { NewWebhook } from './schemas.ts';

export interface ShownWebhook {
  readonly webhook: WebhookDocument;
  readonly last: DeliveryDocument | undefined;
}

type Remembered<T> = IdempotencyRecord<T> | undefined;

interface WebhookRequest {
  readonly caller: Caller;
  readonly webhookId: string;
  /** Throws to refuse the change. */
  readonly allow: (current: WebhookDocument) => void;
  readonly idempotencyRecord?: Remembered<WebhookDocument>;
}

interface WebhooksDependencies {
  readonly store: Store;
  readonly feed: Feed;
  readonly cursors: EventCursors;
  readonly policy: Pick<AddressPolicy, 'findRefusalToRegister'>;
  readonly box: SecretBox;
  readonly attempt: Attempt;
  readonly delivered: DeliveredEvents;
  /** Called after each change. */
  readonly changed: (institution: string) => void;
  readonly publicUrl: string;
  readonly now: () => number;
}

/** Each method is limited to the caller's institution. */
export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(its: WebhooksDependencies) {
  const { store, feed, box, now } = its;
  const openAll = (institution: string): Documents<WebhookDocument> =>
    store.collection(webhooksCollection).of(institution);
  /** Webhooks of others would show a client with bounds what is not its own. */
  const openVisible = (caller: Caller): Documents<WebhookDocument> =>
    restrictDocuments(openAll(caller.institution), toEventBounds(caller) ? { client: [caller.client] } : {});
  const openDeliveries = (institution: string): Documents<DeliveryDocument> =>
    store.collection(deliveriesCollection).of(institution);

  const showWithLastAttempt = async (webhook: WebhookDocument): Promise<ShownWebhook> => ({
    webhook,
    last: await findLatestAttempt(openDeliveries(webhook.institution), webhook.id),
  });

  const getCurrent = async (caller: Caller, webhookId: string): Promise<WebhookDocument> => {
    const webhook = await openVisible(caller).get(webhookId);
    if (!webhook || webhook.deletedAt !== null) throw createNotFoundFault();
    return webhook;
  };

  const update = async (
    { caller, webhookId, allow, idempotencyRecord }: WebhookRequest,
    step: (webhook: WebhookDocument) => ReturnType<typeof rules.applyWebhookChange>,
  ): Promise<WebhookDocument> => {
    const updated = await openVisible(caller).update(
      webhookId,
      (webhook) => {
        if (webhook.deletedAt !== null) throw createNotFoundFault();
        allow(webhook);
        return { next: step(webhook), due: deliverNow(webhook, now()) };
      },
      { idempotencyRecord },
    );
    if (!updated) throw createNotFoundFault();
    its.changed(caller.institution);
    return updated;
  };

  const findPosition = async (caller: Caller, cursor: string): Promise<number> => {
    const { institution } = caller;
    if (cursor === START) return feed.start(institution);
    const from = readCursor(its.cursors, caller, cursor);
    await feed.read(institution, from, {}, 1);
    return from;
  };

  const requireAddress = async (url: URL): Promise<void> => {
    const refusal = await its.policy.findRefusalToRegister(url);
    if (refusal !== undefined) throw rules.createAddressRefusedFault(refusal);
  };

  /** Takes a free slot: unique indexes hold the limit, however many are created at once. */
  const insert = async (
    caller: Caller,
    webhook: Omit<WebhookDocument, 'version' | 'institution' | 'due' | 'slot'>,
    idempotencyRecord: Remembered<WebhookDocument>,
  ): Promise<WebhookDocument> => {
    for (;;) {
      const slots = rules.findFreeSlot(caller, await openAll(caller.institution).find({ where: { deletedAt: null } }));
      if (!slots) throw rules.createTooManyWebhooksFault(caller);
      try {
        return await openAll(caller.institution).insert(
          { ...webhook, ...slots },
          { idempotencyRecord, due: { deliver: now() } },
        );
      } catch (error) {
        if (!(error instanceof UniqueViolation) || !error.index.endsWith('slot')) throw error;
      }
    }
  };

  return {
    listShown: (caller: Caller) => ({
      find: async (query: Query) => {
        const found = await openVisible(caller).find(query);
        const all = await Promise.all(found.map(showWithLastAttempt));
        return all.map((one) => ({ ...one, id: one.webhook.id, createdAt: one.webhook.createdAt }));
      },
    }),

    /** @throws {Fault} `not_found`, like all methods below */
    get: async (caller: Caller, webhookId: string): Promise<ShownWebhook> =>
      showWithLastAttempt(await getCurrent(caller, webhookId)),

    create: async (
      caller: Caller,
      change: Static<typeof NewWebhook>,
      idempotencyRecord?: Remembered<WebhookDocument>,
    ): Promise<{ readonly webhook: WebhookDocument; readonly secret: string }> => {
      const { institution, client } = caller;
      const { url, types, description = null, state = 'active' } = change;
      const address = rules.readUrl(url);
      rules.requireVisible(caller, types);
      await requireAddress(address);
      const at = new Date(now());
      const secret = makeSecret();
      const id = createRandomId('whk', 20);
      const draft = {
        id,
        url,
        types,
        description,
        state,
        disabledReason: null,
        secrets: [box.store(id, secret, at)],
        client: client ?? '',
        since: await feed.head(institution),
        activatedAt: at.toISOString(),
        revision: 1,
        createdAt: at.toISOString(),
        updatedAt: at.toISOString(),
        deletedAt: null,
      };
      const webhook = await insert(caller, draft, idempotencyRecord);
      return { webhook, secret };
    },

    change: async (request: WebhookRequest, change: rules.WebhookChange): Promise<ShownWebhook> => {
      const { caller, webhookId, allow } = request;
      const before = await getCurrent(caller, webhookId);
      allow(before);
      const url = change.url === undefined ? undefined : rules.readUrl(change.url);
      if (url && change.url !== before.url) await requireAddress(url);
      const head = await feed.head(caller.institution);
      const webhook = await update(request, (webhook) => {
        rules.requireVisible(caller, webhook.types);
        rules.requireVisible(caller, change.types ?? []);
        return rules.applyWebhookChange(webhook, change, { client: caller.client ?? '', now: new Date(now()), head });
      });
      return showWithLastAttempt(webhook);
    },

    remove: async (request: WebhookRequest): Promise<ShownWebhook> => {
      const { last } = await showWithLastAttempt(await getCurrent(request.caller, request.webhookId));
      return { webhook: await update(request, (webhook) => rules.markDeleted(webhook, new Date(now()))), last };
    },

    rotate: async (request: WebhookRequest): Promise<ShownWebhook & { readonly secret: string }> => {
      const secret = makeSecret();
      const at = new Date(now());
      const stored = box.store(request.webhookId, secret, at);
      const webhook = await update(request, (webhook) => {
        rules.requireVisible(request.caller, webhook.types);
        return rules.addSecret(webhook, stored, at);
      });
      return { ...(await showWithLastAttempt(webhook)), secret };
    },

    /** Sends at once, whatever the state of the webhook. */
    test: async (request: WebhookRequest): Promise<DeliveryDocument> => {
      const { institution } = request.caller;
      const { webhookId } = request;
      const webhook = await update(request, (before) => {
        rules.requireVisible(request.caller, before.types);
        return addTest(before, now());
      });
      const deliveries = openDeliveries(institution);
      const id = createId('evt', now());
      const event = { id, type: TEST_TYPE, sequence: 0, resource: { id: webhookId } };
      const plan = createPlannedAttempt(
        webhookId,
        event,
        { origin: 'test', round: 'test' },
        { dueAt: null, now: now() },
      );
      const body = JSON.stringify(createTestEvent(webhook, { id, institution, at: now(), publicUrl: its.publicUrl }));
      const attempted = await its.attempt(webhook, { id, body });
      const delivery = { ...plan, version: 1, institution };
      const written = await deliveries.insert(buildAttemptRecord(delivery, attempted));
      await disableIfDue({ webhooks: openAll(institution), deliveries }, webhook, attempted, now());
      return written;
    },

    deliveries: async (caller: Caller, webhookId: string): Promise<Pick<Documents<DeliveryDocument>, 'find'>> => {
      const { institution } = await getCurrent(caller, webhookId);
      return filterVisibleDeliveries(openDeliveries(institution), feed, institution, toEventBounds(caller));
    },

    /** Returns how many events are delivered again. */
    redeliver: async (
      request: WebhookRequest,
      wanted: { readonly eventId?: string | undefined; readonly after?: string | undefined },
    ): Promise<number> => {
      const { caller, webhookId, allow } = request;
      const { institution } = caller;
      const webhook = await getCurrent(caller, webhookId);
      allow(webhook);
      rules.requireVisible(caller, webhook.types);
      const bounds = toEventBounds(caller);
      // Where the authorizer does not answer, events that it refuses are left out at delivery.
      const delivered = await its.delivered(webhook).catch(() => ({ types: expandTypes(webhook.types), bounds }));
      const until = await feed.head(institution);
      const { eventId, after } = wanted;
      if (eventId === undefined && after === undefined) throw new Fault('bad_request', '$ must have eventId or after.');
      if (eventId !== undefined && after !== undefined)
        throw new Fault('semantically_invalid', '$ must have either eventId or after.');
      const [event] = eventId === undefined ? [] : await feed.getAll(institution, [eventId], bounds);
      if (eventId !== undefined && !expandTypes(webhook.types).some((type) => type === event?.type))
        throw createUnknownEventFault();
      const from = after === undefined ? until : await findPosition(caller, after);
      const stretch = event ? { after: event.sequence - 1, until: event.sequence } : { after: from, until };
      const count = await feed.count(institution, stretch.after, stretch.until, delivered);
      const redelivery = { ...stretch, round: createId('rdl', now()), isSingle: event !== undefined, count };
      const waiting = await openDeliveries(institution).count({ webhookId, outcome: 'waiting', origin: 'redelivery' });
      await update(request, (before) => addRedelivery(before, redelivery, waiting));
      return count;
    },
  };
}

const createNotFoundFault = (): Fault => new Fault('not_found', 'There is no webhook with this id.');

/** @throws {Fault} `validation_error` for a cursor that the institution's events did not give */
const readCursor = (cursors: EventCursors, caller: Caller, cursor: string): number => {
  try {
    return cursors.read(caller, cursor);
  } catch {
    throw new Fault('validation_error', '$.after is no cursor that the events of this institution gave.');
  }
};

const createUnknownEventFault = (): Fault =>
  new Fault('semantically_invalid', '$.eventId names no event of the types of this webhook that is still kept.');
