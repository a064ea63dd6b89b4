// Deadlines, intervals and attempts that are repeated. An entry of its own, so that store and messaging load nothing
// else of this package.
export { within } from './deadline.ts';
export { type Interval, type IntervalOptions, repeat } from './interval.ts';
