// The feed: events as partners see them, cursors, pages, long polls and streams.

import type { EventDocument } from '../store.ts';
import { eventTypes, isEventType } from '../types/types.ts';

/** An event as the feed shows it and webhooks deliver it; `publicUrl` is the address of the installation. */
export const eventView = (
  { id, type, sequence, occurredAt, institution, resource, data }: EventDocument,
  publicUrl: string,
) => {
  const path = isEventType(type) ? eventTypes[type].path(resource.id, data) : '/';
  const url = new URL(path, publicUrl).href;
  const { version } = resource;
  return {
    id,
    type,
    sequence,
    occurredAt,
    institution,
    resource: { type: resource.type, id: resource.id, version, url },
    data,
  };
};
