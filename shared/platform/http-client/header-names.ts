/** A header name: RFC 9110, 5.6.2. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Headers that apply to one connection only: RFC 9110, 7.6.1, and RFC 9112, 6. In lower case. */
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

/** `connectionHeaders` except `transfer-encoding`, which a forwarded body still needs. In lower case. */
export const hopHeaders: ReadonlySet<string> = new Set(
  [...connectionHeaders].filter((name) => name !== 'transfer-encoding'),
)

/** Headers that control how a request is sent, so that callers must not set them. In lower case. */
export const sendingHeaders: ReadonlySet<string> = new Set([
  ...connectionHeaders,
  'content-length',
  'host',
])
