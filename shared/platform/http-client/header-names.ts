/** A name: RFC 9110, 5.6.2. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What belongs to one connection: RFC 9110, 7.6.1, and RFC 9112, 6. In lower case. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The same without how a body is framed when it is passed on. */
export const hopHeaders: ReadonlySet<string> = new Set(
  [...connectionHeaders].filter((name) => name !== 'transfer-encoding'),
)

/** What says how a request itself is sent, so that nobody who gives headers may say it. In lower case. */
export const sendingHeaders: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'content-length',
  'host',
])
