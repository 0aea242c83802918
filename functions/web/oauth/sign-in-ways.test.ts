import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInWays } from '#shared/accounts/oauth/sign-in-ways.ts'
import { type OAuth, startOAuth, backendUrl, webUrl } from '#tests/support/accounts/oauth.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import * as oauthGroup from '../oauth.ts'

let on: OAuth

beforeAll(async () => {
  on = await startOAuth()
})
afterAll(() => on.close())

const settings = {
  IDP_ISSUER: 'https://accounts.example.com/realm',
  IDP_CLIENT_ID: ['app'],
  CODEHOST_CLIENT_ID: 'app',
  CODEHOST_BASE_URL: 'https://code.example.com',
  EVM_CHAIN_ID: 8453,
}
const idp = { name: 'idp', host: 'accounts.example.com', begin: '/api/auth/idp' }
const codehost = { name: 'codehost', host: 'code.example.com', begin: '/api/auth/github' }

it.each([
  [settings, [idp, codehost]],
  [{ ...settings, IDP_CLIENT_ID: [] }, [codehost]],
  [{ ...settings, CODEHOST_CLIENT_ID: undefined }, [idp]],
  [{ ...settings, CODEHOST_BASE_URL: undefined }, [idp, { ...codehost, host: 'github.com' }]],
])('lists the configured ways to sign in: %o', async (given, providers) => {
  const ways = signInWays(given)
  const call = callerOf(oauthGroup, { table: on.table, webUrl, backendUrl, signInWays: ways })
  const server = await call('GET', '/.well-known/oauth-authorization-server')
  expect(await server.json()).toMatchObject({
    sign_in_providers: providers,
    sign_in_wallet_chain_id: 8453,
    models_base_url: `${backendUrl}/v1`,
  })
})
