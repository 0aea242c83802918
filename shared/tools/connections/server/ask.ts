import { type Dialects, keptDialects } from './dialects.ts'
import { type Budget, exchange, type ReachesServers, type ServerAddress } from './exchange.ts'
import { ServerFailure } from './failure.ts'
import { failedWith, inDialect, negotiate } from './negotiate.ts'

export interface ServerRequest {
  method: string
  params: Record<string, unknown>
  /** The headers that repeat parameters of a tool. */
  mirrored?: Readonly<Record<string, string>> | undefined
  budget: Budget
  /** The store of the server's dialect for later requests; absent for a single request. */
  kept?: { dialects: Dialects; key: string } | undefined
  /** Called once, just before the request itself is sent, which is then sent over a new connection. */
  sending?: (() => Promise<void>) | undefined
}

/**
 * Sends a request to an MCP server, after its handshake if it needs one, and returns the result. The platform declares
 * no capabilities, so a server cannot ask for input, samples or roots.
 * @throws ServerFailure
 */
export async function askServer(
  ctx: ReachesServers,
  server: ServerAddress,
  { method, params, mirrored, budget, kept, sending }: ServerRequest,
): Promise<Record<string, unknown>> {
  const { dialects, key } = kept ?? { dialects: keptDialects(), key: '' }
  for (let attempt = 1; ; attempt++) {
    const known = dialects.get(key)
    const dialect = known ?? (await negotiate(ctx, server, budget))
    dialects.set(key, dialect)
    const { headers, params: sent } = inDialect(dialect, method, params, mirrored)
    if (attempt === 1) await sending?.()
    const message = { id: 1, method, params: sent }
    const pooled = sending === undefined
    const exchanged = await exchange(ctx, server, { message, headers, budget, pooled })
    const { status, answer } = exchanged
    if (answer !== undefined && 'result' in answer) return complete(answer.result)
    if (status >= 400) dialects.forget(key)
    // The session of the handshake has ended, so the server has not executed the request.
    const ended = status === 404 && dialect.era === 'handshake' && dialect.session !== undefined
    if (!ended || known === undefined || attempt > 1) throw failedWith(exchanged)
  }
}

function complete(result: Record<string, unknown>): Record<string, unknown> {
  if (result['resultType'] === 'input_required')
    throw new ServerFailure('invalid', 'The server asks a person for input, which is not supported')
  return result
}
