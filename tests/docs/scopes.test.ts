import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defaultScopes } from '#shared/accounts/users/api-key.ts'
import { scopesOf } from '#shared/http/guards/scope.ts'
import { securityOf } from '#shared/http/openapi/security.ts'
import { keyScopes } from '#shared/platform/identity/actor.ts'
import { scopeWords } from '../../console/screens/connect/scope-words.ts'
import { allRoutes, type SurfaceRoute } from '../support/http/routes.ts'

/** Every route that takes users' API keys and access tokens. */
const keyed = (await allRoutes()).filter(({ route }) =>
  securityOf[route.guard].some((one) => 'key' in one),
)

/** The audit actions that move money or start a payment. */
const audited = /^(split|clone|booking|credits|subscription|storage)\./

/** The queues with jobs that pay, and the settings that payments need. */
const pays = /^(splits|videos|paid-turns)$/
const paid = /^(X402_GATEWAY_URL|VIDEO_API_KEY|PAYMENTS_SECRET_KEY|CLONE_PAY_TO|CDP_WALLET_SECRET)$/

/** Fields that limit or start spending. */
const brakes = /cap|credits|mandate|budget|usd$|usdPer/i

/** The reason why a route that looks like a payment needs no scope `money`. */
const harmless: Record<string, string> = {
  'backend POST /v1/chat/completions': 'its budget is a number of tokens; caps limit its cost',
  'backend POST /v1/messages': 'its budget is a number of tokens; caps limit its cost',
  'backend POST /v1/messages/count_tokens': 'counts tokens and costs nothing',
  'web POST /api/auth/verify-email':
    'grants the credits of a paid referral, which the caller cannot direct or spend with it',
  'web POST /api/agents/provision': 'a new agent has no cap that could be raised',
  'web POST /api/wallet/cdp': 'creates a wallet and pays nothing',
  'web POST /api/test-usage': 'a test row, in the function that shows the state of the gateway',
  'web POST /api/agents/:id/verify': 'a proof, in the function that takes payments for clones',
  'web DELETE /api/agents/:id/verify': 'a proof, in the function that takes payments for clones',
}

function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsOf)]
}

function looksLikeMoney({ of, route }: SurfaceRoute): boolean {
  if ((route.audits ?? []).some((action) => audited.test(action))) return true
  const body = route.documentedBody?.() ?? route.body
  const fields = body && fieldsOf(z.toJSONSchema(body, { io: 'input' }))
  if (fields?.some((field) => brakes.test(field))) return true
  const queues = of.grants.map((grant) => ('send' in grant ? grant.send : ''))
  const settings = [...of.settings, ...of.secrets]
  return queues.some((queue) => pays.test(queue)) || settings.some((name) => paid.test(name))
}

describe('operations that move money or raise a spending limit', () => {
  const suspects = keyed.filter((one) => one.route.method !== 'GET' && looksLikeMoney(one))

  it('are found', () => {
    expect(suspects.length).toBeGreaterThan(8)
  })

  it.each(suspects.filter(({ name }) => !(name in harmless)))(
    '$name requires the scope money or admin',
    ({ route }) => {
      expect(scopesOf(route).some((scope) => !defaultScopes.includes(scope))).toBe(true)
    },
  )

  it('have no unnecessary exception', () => {
    const names = new Set(suspects.map(({ name }) => name))
    expect(Object.keys(harmless).filter((name) => !names.has(name))).toEqual([])
  })
})

describe('the descriptions of scopes', () => {
  /** The words of the consent page for each group of routes. */
  const words: Record<string, Partial<Record<string, string>>> = {
    read: {
      accounts: 'your account',
      agent: 'agents',
      agents: 'agents',
      audit: 'the audit log',
      billing: 'costs',
      broker: 'agents',
      files: 'files',
      heartbeat: 'your account',
      instances: 'agents',
      keys: 'the names of your keys',
      logs: 'logs',
      memory: 'memory',
      metrics: 'usage',
      'mission control': 'agents',
      'restore points': 'agents',
      runs: 'agents',
      'scheduled tasks': 'agents',
      skills: 'agents',
      swarms: 'agents',
      usage: 'usage and costs',
      videos: 'your account',
      wallets: 'wallets',
      webhooks: 'webhooks',
    },
    chat: { agent: 'Chat', ai: 'call models', chat: 'Chat', runs: 'cancel runs' },
    write: {
      accounts: 'notifications and lower spend caps',
      agent: 'credentials',
      agents: 'run any image with their credentials',
      broker: 'credentials for other services',
      files: 'files',
      heartbeat: 'notifications',
      instances: 'run any image with their credentials',
      memory: 'memory',
      'restore points': 'restore points',
      'scheduled tasks': 'schedules',
      skills: 'skills',
      swarms: 'swarms',
      usage: 'agents',
      wallets: 'wallets',
      webhooks: 'webhooks',
      x402: 'agents',
    },
    money: {
      accounts: 'raise or clear spend caps, and allow the use of credits',
      agents: 'raise or clear spend caps',
      skills: 'Spend from your agents’ wallets: splits, settlements',
      videos: 'order videos',
      x402: 'x402 payments',
    },
    admin: { accounts: 'traces to a collector', billing: 'pay for plans', keys: 'keys' },
  }

  it.each(keyScopes)('%s describe the routes of the scope', (scope) => {
    const tags = keyed
      .filter(({ route }) => scopesOf(route).includes(scope))
      .map(({ route }) => route.tag)
    expect(new Set(Object.keys(words[scope] ?? {}))).toEqual(new Set(tags))
    for (const word of Object.values(words[scope] ?? {})) expect(scopeWords[scope]).toContain(word)
  })

  it('name running any image and spending from wallets', () => {
    expect(scopeWords.write).toContain('run any image with their credentials')
    expect(scopeWords.money).toContain('Spend from your agents’ wallets')
  })
})
