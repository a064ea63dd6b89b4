import type { Logger } from '@boxoffice/runtime';

const nothing = (): void => undefined;

/** A logger of scenarios of which only the documents matter. */
export const quiet: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
