import { expect } from 'vitest'
import { routes } from '#functions/web/x402.ts'
import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { createApp } from '#shared/http/app.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { onCarrier } from '../http/carrier.ts'
import { settingsOf } from '../platform/table.ts'
import { startX402Upstream } from './upstream.ts'

/** The listed service if the gateway lists none. */
export const builtIn = {
  success: true,
  endpoints: [
    { slug: 'gateway/colony/join', description: expect.any(String), price: 'free' },
    { slug: 'gateway/fitness/:agentId', description: expect.any(String), price: 'free' },
    { slug: 'gateway/pricing/:agentId', description: expect.any(String), price: 'free' },
    { slug: 'gateway/pay', description: expect.any(String), price: 'variable' },
  ],
}

interface Options {
  session?: string
  headers?: Record<string, string>
}

/** Starts the function's routes over a table and a gateway. */
export function x402Routes(
  table: Table,
  { gatewayUrl, limits = 'off' }: { gatewayUrl?: string | undefined; limits?: 'on' | 'off' },
) {
  const webUrl = 'http://localhost:3000'
  return onCarrier(
    'web-x402',
    () => ({
      ...settingsOf(table),
      X402_GATEWAY_URL: gatewayUrl,
      RATE_LIMITS: limits,
      WEB_URL: webUrl,
    }),
    () =>
      createApp({
        surface: 'web',
        name: 'web-x402',
        routes,
        services: { table, gatewayUrl },
        settings: { WEB_URL: webUrl, RATE_LIMITS: limits },
        identity: userIdentities(table, []),
        table,
      }),
  )
}

export type X402Caller = Awaited<ReturnType<typeof startX402Caller>>

/** Starts /api/x402 over a fake gateway, with two callers: Ada, who has an agent, and Eve. */
export async function startX402Caller() {
  const [accounts, upstream] = await Promise.all([startAccounts(), startX402Upstream()])
  const [ada, eve] = await Promise.all([accounts.signUp('ada@b.co'), accounts.signUp('eve@b.co')])
  const agent = await putAgent(accounts.table, ada.id, {})

  /** Returns a caller of the routes over a gateway, or without one. */
  function callerOf(gatewayUrl: string | undefined) {
    const app = x402Routes(accounts.table, { gatewayUrl })
    return async (body?: object, { session, headers }: Options = {}) => {
      const answer = await app.request('/api/x402', {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(session !== undefined && { cookie: `service-session=${session}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
  }

  const call = callerOf(upstream.url)
  return {
    upstream,
    ada,
    eve,
    agent,
    callerOf,
    /** Sends a request over the fake gateway. */
    call,
    /** Sends a request as Ada. */
    post: (body: object, headers = {}) => call(body, { session: ada.session, headers }),
    close: () => Promise.all([accounts.close(), upstream.close()]),
  }
}
