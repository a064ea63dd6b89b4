import { registerHooks } from 'node:module';

/** The engines' libraries, and what stands in for them. */
const doubles: Readonly<Record<string, string>> = {
  '@boxoffice/messaging': new URL('./messaging-double.ts', import.meta.url).href,
  '@boxoffice/store': new URL('./store-double.ts', import.meta.url).href,
};
const own = new Set(Object.values(doubles));

/** Lets the modules that are loaded from now on find the doubles in place of the engines; the doubles find the engines. */
export const replaceEngines = (): void => {
  registerHooks({
    resolve(specifier, context, next) {
      const double = doubles[specifier];
      if (double === undefined || own.has(context.parentURL ?? '')) return next(specifier, context);
      return next(double, context);
    },
  });
};
