import { routes } from '../../functions/web/keys.ts'
import { createApp } from '../../shared/http/app.ts'
import { keyHashes } from '../../shared/keys/hashes.ts'
import { userIdentities } from '../../shared/keys/identity.ts'
import type { Table } from '../../shared/platform/table/port.ts'
import { startAccounts } from './accounts.ts'

export interface KeyCall {
  body?: unknown
  /** A session cookie's value. */
  session?: string
  /** An API key as bearer. */
  key?: string
  headers?: Record<string, string>
}

export interface CreatedKey {
  id: string
  name: string
  key: string
  createdAt: string
  scopes: string[]
  expiresAt: string | null
}

/** The keys function's routes beside the accounts' ones, over a database of their own. */
export async function startKeys({ adminEmails = [] as string[] } = {}) {
  const accounts = await startAccounts()

  /** The function as another process would have it. */
  function startProcess(table: Table = accounts.table, capacity?: number) {
    const app = createApp({
      surface: 'web',
      name: 'web-keys',
      routes,
      services: { table, hashes: keyHashes(capacity), adminEmails },
      settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
      identity: userIdentities(table, adminEmails),
      table,
    })
    return async (method: string, path: string, { body, session, key, headers }: KeyCall = {}) =>
      app.request(path, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(session !== undefined && { cookie: `service-session=${session}` }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
  }

  const call = startProcess()
  return {
    ...accounts,
    /** The accounts' routes. */
    accounts: accounts.call,
    startProcess,
    call,
    async newKey(session: string, name = 'laptop', terms = {}): Promise<CreatedKey> {
      const answer = await call('POST', '/api/keys', { session, body: { name, ...terms } })
      return (await answer.json()) as CreatedKey
    },
    /** @returns status and body */
    async validate(apiKey: unknown, process = call): Promise<[number, unknown]> {
      const answer = await process('POST', '/api/keys/validate', { body: { apiKey } })
      return [answer.status, await answer.json()]
    },
  }
}

export type Keys = Awaited<ReturnType<typeof startKeys>>
