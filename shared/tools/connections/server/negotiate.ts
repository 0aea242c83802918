import * as z from 'zod'
import type { Dialect } from './dialects.ts'
import {
  type Budget,
  exchange,
  type Exchanged,
  type ReachesServers,
  type ServerAddress,
} from './exchange.ts'
import { ServerFailure } from './failure.ts'
import { headerValue } from './header-value.ts'

/** The MCP version whose requests do not depend on each other. */
const stateless = '2026-07-28'

/** The latest version with a handshake. */
const latestHandshake = '2025-11-25'

/** The versions with a handshake over streamable HTTP. */
const handshakes = new Set([latestHandshake, '2025-06-18', '2025-03-26'])

const clientInfo = { name: 'agent-platform', version: '1.0.0' }

/**
 * Returns the headers and the parameters of a request in a server's dialect.
 * @param mirrored the headers that repeat parameters of a tool, which only the latest dialect has
 */
export function inDialect(
  dialect: Dialect,
  method: string,
  params: Record<string, unknown>,
  mirrored: Readonly<Record<string, string>> = {},
): { headers: Record<string, string>; params: Record<string, unknown> } {
  if (dialect.era === 'handshake')
    return {
      headers: {
        'mcp-protocol-version': dialect.version,
        ...(dialect.session !== undefined && { 'mcp-session-id': dialect.session }),
      },
      params,
    }
  const { name } = params
  return {
    headers: {
      ...mirrored,
      'mcp-protocol-version': stateless,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
    },
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': stateless,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
}

/**
 * Finds out the dialect of a server. A server that does not know `server/discover` gets the handshake.
 * @throws ServerFailure
 */
export async function negotiate(
  ctx: ReachesServers,
  server: ServerAddress,
  budget: Budget,
): Promise<Dialect> {
  const { headers, params } = inDialect({ era: 'stateless' }, 'server/discover', {})
  const message = { id: 0, method: 'server/discover', params }
  const probed = await exchange(ctx, server, { message, headers, budget, pooled: true }).catch(
    (error: unknown) => {
      if (error instanceof ServerFailure && error.kind === 'invalid') return undefined
      throw error
    },
  )
  if (probed !== undefined && probed.status >= 500) throw failedWith(probed)
  return probed !== undefined && isStateless(probed)
    ? { era: 'stateless' }
    : handshake(ctx, server, budget)
}

const discovered = z.object({ supportedVersions: z.array(z.string()) })

function isStateless({ answer }: Exchanged): boolean {
  if (answer === undefined || 'error' in answer) return false
  return discovered.safeParse(answer.result).data?.supportedVersions.includes(stateless) === true
}

const initialized = z.object({ protocolVersion: z.string() })

async function handshake(
  ctx: ReachesServers,
  server: ServerAddress,
  budget: Budget,
): Promise<Dialect> {
  const begun = await exchange(ctx, server, {
    message: {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: latestHandshake, capabilities: {}, clientInfo },
    },
    headers: {},
    budget,
    pooled: true,
  })
  const { answer, session } = begun
  if (answer === undefined || 'error' in answer) throw failedWith(begun)
  const version = initialized.safeParse(answer.result).data?.protocolVersion
  if (version === undefined || !handshakes.has(version))
    throw new ServerFailure('invalid', 'The server supports no MCP version of the platform')
  const dialect: Dialect = { era: 'handshake', version, session }
  const { headers } = inDialect(dialect, '', {})
  await exchange(ctx, server, {
    message: { method: 'notifications/initialized' },
    headers,
    budget,
    pooled: true,
  })
  return dialect
}

/** Returns the failure for a response without a result. */
export function failedWith({ status, answer }: Exchanged): ServerFailure {
  if (answer !== undefined && 'error' in answer)
    return new ServerFailure('rpc', answer.error.message, { status, code: answer.error.code })
  return new ServerFailure('status', `The server responded with status ${status}`, { status })
}
