import { deleteWebhook, listDeliveries, listWebhooks, pauseWebhook } from '@boxoffice/events';
import type { Command } from '../command.ts';
import { knownInstitution } from './institutions.ts';

/** Attempts that `webhooks deliveries` prints. */
const MOST_SHOWN = 50;

export const webhooks: readonly Command[] = [
  {
    name: 'webhooks list',
    usage: 'INSTITUTION',
    about: 'lists the webhooks of an institution with their state, their last delivery and how many wait',
    run: async (installation, { words: [institution = ''] }) => {
      await knownInstitution(installation, institution);
      return listWebhooks(await installation.store('events'), institution);
    },
  },
  {
    name: 'webhooks deliveries',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: `lists the newest ${MOST_SHOWN} attempts of a webhook, with what failed`,
    run: async (installation, { words: [institution = '', webhookId = ''] }) =>
      listDeliveries(await installation.store('events'), institution, webhookId, MOST_SHOWN),
  },
  {
    name: 'webhooks pause',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: 'pauses a webhook: its events are kept, and delivered once its institution activates it',
    async run(installation, { words: [institution = '', webhookId = ''] }) {
      await pauseWebhook(await installation.store('events'), institution, webhookId);
      return `${webhookId} is paused`;
    },
  },
  {
    name: 'webhooks delete',
    usage: 'INSTITUTION WEBHOOK_ID',
    about: 'deletes a webhook; attempts that have begun are finished',
    async run(installation, { words: [institution = '', webhookId = ''] }) {
      await deleteWebhook(await installation.store('events'), institution, webhookId);
      return `${webhookId} is deleted`;
    },
  },
];
