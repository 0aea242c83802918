import { createHash, randomBytes } from 'node:crypto'
import * as accountsGroup from '#functions/web/accounts.ts'
import * as oauthGroup from '#functions/web/oauth.ts'
import { bcryptPasswords } from '#shared/accounts/users/password.ts'
import { startSession } from '#shared/accounts/users/session.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { callerOf } from '../http/caller.ts'
import { platformOver } from '../http/platform-over.ts'
import { startKeys } from './keys.ts'

export const webUrl = 'http://localhost:3000'
export const callback = 'http://127.0.0.1:8765/callback'

export const backendUrl = 'http://localhost:3001'

/** Returns the parameters of a link to `/oauth/authorize`, with a valid challenge by default. */
export const authorization = (clientId: string, more: Record<string, string>) => ({
  response_type: 'code',
  client_id: clientId,
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
  ...more,
})

const signInWays = { providers: [], walletChainId: 8453 }

interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
}

/** Starts the routes of the authorization server, keys and accounts over one database. */
export async function startOAuth() {
  const on = await startKeys()

  const callerOver = (table: Table = on.table) =>
    callerOf(oauthGroup, { table, webUrl, backendUrl, signInWays })
  const call = callerOver()
  const accounts = callerOf(accountsGroup, {
    table: on.table,
    passwords: bcryptPasswords(4),
    webUrl,
    encryptionKey: undefined,
    lockouts: false,
  })

  async function post(path: string, fields: Record<string, string>, over = call) {
    const answer = await over('POST', path, {
      text: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const
  }

  async function register(body: object = {}): Promise<string> {
    const given = { client_name: 'Editor', redirect_uris: [callback], ...body }
    return (await platformOver(call).oauth.register(given)).client_id
  }

  /** Sends a request as the program's browser does. */
  async function authorize(session: string | undefined, query: Record<string, string>) {
    const answer = await call('GET', `/oauth/authorize?${new URLSearchParams(query).toString()}`, {
      ...(session !== undefined && { session }),
    })
    return { answer, location: answer.headers.get('location') ?? '' }
  }

  /** Returns an authorization code for a program that the user allows. */
  async function codeFor(session: string, more: Record<string, string> = {}) {
    const clientId = more.client_id ?? (await register())
    const verifier = randomBytes(32).toString('base64url')
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const { location } = await authorize(session, {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'the state',
      ...more,
    })
    const request = new URL(location).searchParams.get('request') ?? ''
    const { oauth } = platformOver(call, { session })
    const { redirectTo } = await oauth.decideRequest(request, { approve: true })
    const code = new URL(redirectTo).searchParams.get('code') ?? ''
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: callback,
    }
    return { clientId, redirectTo, form, request }
  }

  return {
    ...on,
    callerOver,
    oauth: call,
    sessions: accounts,
    post,
    register,
    authorize,
    codeFor,

    /** Returns the tokens of a program that the user has allowed. */
    async tokensFor(session: string, more: Record<string, string> = {}) {
      const { form, clientId } = await codeFor(session, more)
      const [status, body] = await post('/oauth/token', form)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return { ...(body as unknown as Tokens), clientId }
    },

    /** Returns whether a token can read. */
    async opens(token: string): Promise<boolean> {
      const answer = await on.call('GET', '/api/keys', { key: token })
      return answer.status === 200
    },

    newSession: (userId: string) => startSession({ table: on.table }, { userId }),
  }
}

export type OAuth = Awaited<ReturnType<typeof startOAuth>>
