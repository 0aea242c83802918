/** contract.md 10: of a page after unpacking. */
export const maxPageBytes = 5_242_880

/** spec.md, Limits: from the first request to the last field, parsing included. */
export const withinMs = 10_000

/** contract.md 10: how many are followed. */
export const maxRedirects = 5
