import { exampleOf } from '../types/examples.ts';

/** An event as the feed shows it. */
export const event = exampleOf('order.confirmed');

export const cursor = 'AAAAAAAAEmd0Qm1yV2V0bWFjT25l';

/** The beginning of a stream. */
export const stream = `: \nid: ${cursor}\n\nid: ${cursor}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
