import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defaultScopes } from '#shared/accounts/users/api-key.ts'
import { scopesOf } from '#shared/http/guards/scope.ts'
import { securityOf } from '#shared/http/openapi/security.ts'
import { keyScopes } from '#shared/platform/identity/actor.ts'
import { belongings, scopeWords } from '../../console/screens/connect/scope-words.ts'
import { allRoutes, type SurfaceRoute } from '../support/http/routes.ts'

const root = join(import.meta.dirname, '../..')

/** Every route that takes users' API keys and access tokens. */
const keyed = (await allRoutes()).filter(({ route }) =>
  securityOf[route.guard].some((one) => 'key' in one),
)

/** The audit actions that move money or start a payment. */
const audited = /^(split|clone|booking|credits|subscription|storage)\./

/** The queues with jobs that pay, and the settings that payments need. */
const pays = /^(splits|videos|paid-turns)$/
const paid = /^(VIDEO_API_KEY|PAYMENTS_SECRET_KEY|CLONE_PAY_TO|CDP_WALLET_SECRET)$/

/** The module that pays through the x402 gateway. It needs no secret, only the gateway's address. */
const payingGateway = 'shared/network/x402-upstream/act.ts'

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
  'web PUT /api/agents/:id/policy':
    'checks the scope money itself if it loosens the rules for payments',
  'web POST /api/agents/:id/policy/test': 'decides past records and changes nothing',
  'web POST /api/wallet/cdp': 'creates a wallet and pays nothing',
  'web POST /api/agents/:id/verify': 'a proof, in the function that takes payments for clones',
  'web DELETE /api/agents/:id/verify': 'a proof, in the function that takes payments for clones',
}

function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(fieldsOf)]
}

/** Returns why a route looks like a payment; undefined if it does not. */
async function suspicionOf({ of, route }: SurfaceRoute): Promise<string | undefined> {
  const action = route.audits?.find((one) => audited.test(one))
  if (action !== undefined) return `it audits ${action}`
  const body = route.documentedBody?.() ?? route.body
  const fields = body && fieldsOf(z.toJSONSchema(body, { io: 'input' }))
  const brake = fields?.find((field) => brakes.test(field))
  if (brake !== undefined) return `its body has the field ${brake}`
  const queue = of.grants.map((grant) => ('send' in grant ? grant.send : '')).find(isPaying)
  if (queue !== undefined) return `its function ${of.name} sends messages to the queue ${queue}`
  const setting = [...of.settings, ...of.secrets].find((name) => paid.test(name))
  if (setting !== undefined) return `its function ${of.name} reads the setting ${setting}`
  const modules = await importedBy(await groupOf({ of, route }))
  return modules.has(payingGateway) ? `its group imports ${payingGateway}` : undefined
}

const isPaying = (queue: string) => pays.test(queue)

/** Returns the module of a route's group: its function's entry, or the one that the entry lists the route from. */
async function groupOf({ of, route }: Pick<SurfaceRoute, 'of' | 'route'>): Promise<string> {
  for (const path of await importsOf(of.entry)) {
    if (!path.startsWith('functions/')) continue
    const { routes = [] } = (await import(join(root, path))) as { routes?: readonly unknown[] }
    if (routes.includes(route)) return path
  }
  return of.entry
}

/** Returns the paths of a module and of all modules that it imports. */
async function importedBy(path: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(path)) return found
  found.add(path)
  for (const each of await importsOf(path)) await importedBy(each, found)
  return found
}

async function importsOf(path: string): Promise<string[]> {
  const source = await readFile(join(root, path), 'utf8')
  const targets = source.matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(#|\.{1,2}\/)([^']+\.ts)'/gm,
  )
  return [...targets].map(([, start = '', rest = '']) =>
    start === '#' ? rest : join(dirname(path), start, rest),
  )
}

const suspects = (
  await Promise.all(
    keyed
      .filter(({ route }) => route.method !== 'GET')
      .map(async (one) => Object.assign({ why: await suspicionOf(one) }, one)),
  )
).filter(({ why }) => why !== undefined)

describe('operations that move money or raise a spending limit', () => {
  it('are found', () => {
    expect(suspects.length).toBeGreaterThan(8)
  })

  it.each(suspects.filter(({ name }) => !(name in harmless)))(
    '$name requires the scope money or admin',
    ({ name, route, why }) => {
      const isGuarded = scopesOf(route).some((scope) => !defaultScopes.includes(scope))
      expect(
        isGuarded,
        `${name} looks like a payment: ${why}. Give the route the scope money or admin. If it moves no money, add it with the reason to \`harmless\` in tests/docs/scopes.test.ts.`,
      ).toBe(true)
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
      ...Object.fromEntries(belongings.map((tag) => [tag, 'your account'])),
      accounts: 'your account',
      agent: 'agents',
      agents: 'agents',
      approvals: 'messages',
      audit: 'the audit log',
      billing: 'costs',
      broker: 'agents',
      channels: 'agents',
      connections: 'agents',
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
      ...Object.fromEntries(belongings.map((tag) => [tag, tag])),
      accounts: 'notifications and lower spend caps',
      agent: 'credentials',
      agents: 'run any image with their credentials',
      approvals: 'decide what your agents ask',
      broker: 'credentials for other services',
      channels: 'channels',
      connections: 'connections',
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
      x402: 'agents',
    },
    money: {
      accounts: 'raise or clear spend caps, and allow the use of credits',
      agents: 'raise or clear spend caps',
      approvals: 'approve their payments',
      skills: 'Spend from your agents’ wallets: splits, settlements',
      videos: 'order videos',
      wallets: 'set what your agents may pay',
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
