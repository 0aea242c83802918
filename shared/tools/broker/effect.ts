import type { Effect } from '#shared/permits/policy/effect.ts'
import type { BrokerTarget } from './target.ts'

/** Headers that some hosts take the method from. */
const methodHeaders = ['x-http-method-override', 'x-http-method', 'x-method-override']

/** Returns a request with a broker credential as the effect that the agent's policy decides. */
export function brokerEffect({
  name,
  host,
  path,
  method,
  headers,
}: BrokerTarget & { method: string; headers: Headers }): Effect {
  const [bare = ''] = path.split('?', 1)
  const overrides = methodHeaders
    .flatMap((header) => headers.get(header)?.split(',') ?? [])
    .map((named) => named.trim())
    .filter((named) => named !== '')
  return {
    action: 'broker.request',
    target: { name, method, host, path: bare },
    ...(overrides.length > 0 && { overrides }),
  }
}
