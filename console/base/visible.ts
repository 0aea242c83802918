/**
 * Returns a text with its control characters written out. Otherwise characters that change the direction of text could
 * make a name look like another one.
 */
export function visible(text: string): string {
  return text.replace(
    /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
