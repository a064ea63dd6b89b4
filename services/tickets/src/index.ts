export { tickets } from './app.ts';
export { rotateBarcodeKey } from './barcode/keys.ts';
export type { Status } from './domain/ticket.ts';
export { examples, schemas } from './events.ts';
export { type TicketDocument, ticketsCollection } from './store.ts';
