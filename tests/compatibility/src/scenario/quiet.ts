import type { Logger } from '@boxoffice/runtime';

const nothing = (): void => undefined;

/** A silent logger for scenarios whose documents alone matter. */
export const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
