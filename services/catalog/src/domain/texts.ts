/** A text by language (`fr`, `de-CH`): at least one. */
export type Texts = Readonly<Record<string, string>>;
