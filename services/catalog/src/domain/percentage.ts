/** "7.70" is "7.7", "7.0" is "7". */
export function normalisePercentage(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
