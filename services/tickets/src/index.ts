export { tickets } from './app.ts';
export {
  examples,
  type TicketControlled,
  type TicketControlReverted,
  type TicketReplaced,
  type TicketsCancelled,
} from './events.ts';
