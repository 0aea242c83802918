/** What belongs to one connection: RFC 9110, 7.6.1, and RFC 9112, 6. In lower case. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The same without how a body is framed, for who passes bodies on as they come: the next connection frames them by that. */
export const hopHeaders: ReadonlySet<string> = new Set(
  [...connectionHeaders].filter((name) => name !== 'transfer-encoding'),
)
