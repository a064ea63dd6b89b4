import { Fault } from '@boxoffice/envelope';
import { createInsufficientScopeFault } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import type { New } from '@boxoffice/store';
import type { Static } from 'typebox';
import { rotateSecrets, type StoredSecret } from '../signing.ts';
import type { Redelivery, WebhookDocument } from '../store.ts';
import { eventTypes, expandTypes, listVisibleTypes } from '../types/types.ts';
import type { WebhookChanges } from './schemas.ts';

/** Counts webhooks of an institution without those of clients with bounds. */
const MOST_WEBHOOKS = 20;

/** Counts webhooks of a client with bounds. */
const MOST_WEBHOOKS_WITHIN_BOUNDS = 3;

export function createTooManyWebhooksFault({ bounds }: Pick<Caller, 'bounds'>): Fault {
  return new Fault(
    'webhook_too_many',
    bounds === null
      ? `The institution has ${MOST_WEBHOOKS} webhooks already.`
      : `A client with bounds has at most ${MOST_WEBHOOKS_WITHIN_BOUNDS} webhooks.`,
  );
}

type Slotted = Pick<WebhookDocument, 'client' | 'slot' | 'clientSlot'>;

/** A slot in the form of the unique indexes; undefined: none is free. */
export function findFreeSlot({ client, bounds }: Pick<Caller, 'client' | 'bounds'>, present: readonly Slotted[]) {
  const firstFree = (most: number, isTaken: (index: number) => boolean) =>
    Array.from({ length: most }, (_, index) => index).find((index) => !isTaken(index));
  if (bounds === null) {
    const slot = firstFree(MOST_WEBHOOKS, (index) => present.some((one) => one.slot === index));
    return slot === undefined ? undefined : { slot };
  }
  const nameSlot = (index: number): string => `${client}/${index}`;
  const isTaken = (index: number) => present.some(({ clientSlot }) => clientSlot === nameSlot(index));
  const index = firstFree(MOST_WEBHOOKS_WITHIN_BOUNDS, isTaken);
  // Those that it made before they had slots of their own count as well.
  const isFull = present.filter((one) => one.client === client).length >= MOST_WEBHOOKS_WITHIN_BOUNDS;
  return index === undefined || isFull ? undefined : { slot: null, clientSlot: nameSlot(index) };
}

export type WebhookChange = Static<typeof WebhookChanges>;

/** The caller must not subscribe to what its token may not read, also for others. @throws {Fault} `forbidden` */
export function requireVisible({ scopes }: Pick<Caller, 'scopes'>, wanted: readonly string[]): void {
  const visible = new Set<string>(listVisibleTypes(scopes));
  const hidden = expandTypes(wanted).filter((type) => !visible.has(type));
  if (hidden.length === 0) return;
  const missing = [...new Set(hidden.map((type) => eventTypes[type].scope))];
  const types = `types of events that the token may not see (${hidden.join(', ')})`;
  throw createInsufficientScopeFault(`The webhook has ${types}: it lacks ${missing.join(' and ')}.`, missing);
}

export function createAddressRefusedFault(reason: string): Fault {
  return new Fault('webhook_address_refused', `$.url cannot be delivered to: ${reason}.`);
}

/** The schema has checked the form. @throws {Fault} `webhook_address_refused` */
export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && url.username === '' && url.password === '') return url;
  throw createAddressRefusedFault('it names no valid host');
}

interface ChangeContext {
  readonly client: string;
  readonly now: Date;
  readonly head: number;
}

/** @throws {Fault} `semantically_invalid` for a state that no client can set */
export function applyWebhookChange(
  current: WebhookDocument,
  change: WebhookChange,
  its: ChangeContext,
): New<WebhookDocument> {
  const { url, types, description, state = current.state } = change;
  if (state === 'disabled' && current.state !== 'disabled')
    throw new Fault('semantically_invalid', '$.state can be set to active or paused; the service alone disables.');
  const ends = current.state === 'disabled' && state !== 'disabled';
  const isSet = url !== undefined || types !== undefined;
  return {
    ...current,
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types }),
    ...(description === undefined ? {} : { description }),
    ...(isSet ? { client: its.client } : {}),
    ...(ends ? { disabledReason: null, since: its.head } : {}),
    ...(state === 'active' && current.state !== 'active' ? { activatedAt: its.now.toISOString() } : {}),
    state,
    ...buildChangeMembers(current, its.now),
  };
}

const buildChangeMembers = ({ revision }: WebhookDocument, now: Date) => ({
  revision: revision + 1,
  updatedAt: now.toISOString(),
});

export function addSecret(current: WebhookDocument, secret: StoredSecret, now: Date): New<WebhookDocument> {
  return { ...current, secrets: rotateSecrets(current.secrets, secret), ...buildChangeMembers(current, now) };
}

/** Only what is asked for again is delivered to it. */
export function markDisabled(current: WebhookDocument, reason: string, now: Date): New<WebhookDocument> {
  return { ...current, state: 'disabled', disabledReason: reason, ...buildChangeMembers(current, now) };
}

/** Keeps only what removes its deliveries. */
export function markDeleted(current: WebhookDocument, now: Date): New<WebhookDocument> {
  return {
    ...current,
    secrets: [],
    slot: null,
    clientSlot: null,
    deletedAt: now.toISOString(),
    ...buildChangeMembers(current, now),
  };
}

// Bounds of what one webhook can be asked to do hold in the write that remembers the request.

/** Tests within {@link TEST_WINDOW_MS}. */
const MOST_TESTS = 10;
const TEST_WINDOW_MS = 60_000;

/** Waiting deliveries of a webhook beyond which no single event can be asked for. */
const MOST_WAITING = 1_000;
/** Requests of a webhook that wait to be planned. */
const MOST_UNPLANNED = 100;

/** `now` is in epoch milliseconds. @throws {Fault} `too_many_requests` */
export function addTest(webhook: WebhookDocument, now: number): New<WebhookDocument> {
  const recent = (webhook.testedAt ?? []).filter((at) => at > now - TEST_WINDOW_MS);
  const [first = now] = recent;
  if (recent.length < MOST_TESTS) return { ...webhook, testedAt: [...recent, now] };
  const seconds = Math.ceil((first + TEST_WINDOW_MS - now) / 1_000);
  throw new Fault('too_many_requests', `A webhook is tested at most ${MOST_TESTS} times a minute.`, {
    'Retry-After': String(seconds),
  });
}

/**
 * @throws {Fault} `webhook_redelivery_running` while an earlier stretch is delivered; for a single event while too many
 * of `waiting` wait
 */
export function addRedelivery(webhook: WebhookDocument, wanted: Redelivery, waiting: number): New<WebhookDocument> {
  const others = webhook.redeliveries ?? [];
  const isFull = wanted.isSingle
    ? waiting >= MOST_WAITING || others.length >= MOST_UNPLANNED
    : others.some(({ isSingle }) => !isSingle);
  if (!isFull) return { ...webhook, redeliveries: [...others, wanted] };
  const details = 'Events are being delivered again to this webhook; wait until their deliveries are made.';
  throw new Fault('webhook_redelivery_running', details);
}
