/**
 * Control characters, and characters that change the direction of text or are not displayed: a text could otherwise look
 * like another one, or hide an instruction from its reader. Two of them are left out, because emojis need them.
 */
const unseen =
  /[^\P{Cc}\t\n\r]|\p{Bidi_Control}|(?!\u200D|\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** Replaces the invisible characters of a text by escapes. */
export function visible(text: string): string {
  return text.replace(unseen, (one) => {
    const hex = (one.codePointAt(0) ?? 0).toString(16)
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
  })
}
