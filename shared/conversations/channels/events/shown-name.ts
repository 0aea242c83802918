/** The longest name of a sender or a file in characters. */
const longestName = 200

/** Whitespace, control characters, line breaks, and marks for the direction of text, which can disguise its meaning. */
const unseen = /[\s\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** Returns a name that a stranger chose, as the agent and its owner see it: one short line. */
export function shownName(name: string): string {
  return name.replaceAll(unseen, ' ').trim().slice(0, longestName).toWellFormed()
}
