import type { Effect } from '#shared/permits/policy/effect.ts'
import { pathInWords } from '#shared/platform/http-client/forwarded.ts'
import type { BrokerTarget } from './target.ts'

type BrokerEffect = Extract<Effect, { action: 'broker.request' }>

/**
 * Headers and fields of a query that some hosts take the method from, with `-` for `_`: WordPress takes `_method` from
 * the query of any request.
 */
const methodNames = new Set([
  '-method',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
])

/** Characters that are the same in the names of headers and fields for some hosts: PHP and CGI take them for `_`. */
const alike = /[_ .[]/g

/** Returns a request with a broker credential as the effect that the agent's policy decides. */
export function brokerEffect({
  name,
  host,
  path,
  method,
  headers,
}: BrokerTarget & { method: string; headers: Headers }): BrokerEffect {
  const [bare = ''] = path.split('?', 1)
  const fields = new URLSearchParams(path.slice(bare.length + 1).replaceAll(';', '&'))
  const overrides = [...headers, ...fields]
    .filter(([key]) => methodNames.has(key.trim().toLowerCase().replaceAll(alike, '-')))
    .flatMap(([, text]) => text.split(','))
    .map((named) => named.trim())
    .filter((named) => named !== '')
  return {
    action: 'broker.request',
    target: { name, method, host, path: bare },
    ...(overrides.length > 0 && { overrides }),
  }
}

/** Returns one line for people about a request, with the methods that the host may use instead. @param path with its query */
export function brokerSummary({ target, overrides = [] }: BrokerEffect, path: string): string {
  const { name, method, host } = target
  const others = overrides.map((one) =>
    /^[a-z]{1,20}$/i.test(one) ? one.toUpperCase() : 'another method',
  )
  const methods = [method, ...new Set(others)].join(' as ')
  return `${methods} https://${host}${pathInWords(path)}, with the credential ${name}`
}
