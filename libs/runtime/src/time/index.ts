// Deadlines, intervals and retries. A separate entry point, so that store and messaging load nothing else of this
// package.
export { within } from './deadline.ts';
export { type Interval, repeat } from './interval.ts';
