/** contract.md 10: of a page after unpacking. */
export const maxPageBytes = 5_242_880

/** spec.md, Limits: from the first request to the last field, parsing included. */
export const withinMs = 10_000

/** contract.md 10: how many are followed. */
export const maxRedirects = 5

/** Of an answer as Lambda counts it: it may have 6 MB (6,291,556 bytes), headers and frame included. */
export const maxAnswerBytes = 6_000_000
