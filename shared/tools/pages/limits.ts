/** The size of a page after decompression: contract.md 10. */
export const maxPageBytes = 5_242_880

/** The time limit from the first request to the last field, including parsing: spec.md, Limits. */
export const withinMs = 10_000

/** The maximum number of redirects: contract.md 10. */
export const maxRedirects = 5

/** The size of a response as Lambda counts it. The limit is 6 MB (6,291,556 bytes), including headers and framing. */
export const maxAnswerBytes = 6_000_000
