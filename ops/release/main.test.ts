import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { Checkout } from '../stage/testing/checkout.ts'
import { PlayedAws } from './testing/played-aws.ts'

const named = (name: string) => `agent-platform-production-${name}`
const [signer, mails, gate, agents] = ['signer', 'mails', 'backend-gate', 'web-agents'] as const

const settings = 'AWS_REGION=eu-west-1\nAGENT_IMAGE=agent:1\n'

let aws: PlayedAws
let checkout: Checkout

beforeEach(async () => {
  aws = await PlayedAws.start()
  checkout = await Checkout.make()
  await checkout.settings(settings)
  for (const { name } of functions) aws.functions.set(named(name), { served: '1', versions: 1 })
})
afterEach(async () => {
  await aws[Symbol.asyncDispose]()
  await checkout[Symbol.asyncDispose]()
})

/** Simulates a deployment: each of these functions gets one more version, without calls so far. */
function deploy(...names: string[]) {
  for (const name of names) {
    const { served, versions } = aws.functions.get(named(name)) ?? { served: '1', versions: 1 }
    aws.functions.set(named(name), { served, versions: versions + 1 })
  }
}

const served = (...names: string[]) => names.map((name) => aws.functions.get(named(name))?.served)

const release = (...options: string[]) =>
  checkout.runOften(join(import.meta.dirname, 'main.ts'), aws.url, options, {
    RELEASE_POLL_MS: '1',
  })

it('moves the deployed versions, each wave after the one before it is healthy', async () => {
  deploy(agents, gate, mails, signer)
  expect(await release('--stage', 'production')).toMatchObject({ code: 0 })
  expect(served(signer, mails, gate, agents)).toEqual(['2', '2', '2', '2'])
  expect(aws.moves.slice(0, 2).toSorted()).toEqual(['mails 1→2', 'signer 1→2'])
  expect(aws.moves.slice(2)).toEqual(['backend-gate 1→2', 'web-agents 1→2'])
  expect(await release('--stage', 'production')).toEqual({
    code: 0,
    said: expect.stringMatching(/^nothing to move/),
  })
})

it('rolls back all functions after an alarm of one, and starts no later wave', async () => {
  deploy(signer, mails, gate, agents)
  aws.bad.add('backend-gate:2')
  const { code, said } = await release('--stage', 'production')
  expect(code).toBe(1)
  expect(said).toContain('backend-gate failed: all moves are rolled back')
  expect(served(signer, mails, gate, agents)).toEqual(['1', '1', '1', '1'])
  expect(aws.moves.filter((move) => move.startsWith('web-agents'))).toEqual([])
  // A release that was rolled back cannot be rolled back again.
  expect(await release('--stage', 'production', '--back')).toEqual({
    code: 0,
    said: expect.stringMatching(/^nothing to roll back/),
  })
})

it('rolls back all functions if AWS rejects a move, with the reason', async () => {
  deploy(signer, mails, gate)
  aws.closed.add('backend-gate')
  const { code, said } = await release('--stage', 'production')
  expect(code).toBe(1)
  expect(said).toContain('backend-gate: no backend-gate')
  expect(served(signer, mails, gate)).toEqual(['1', '1', '1'])
})

it('reverts the last release as a whole, once, and keeps the one before it', async () => {
  deploy(mails, agents)
  await release('--stage', 'production')
  deploy(gate, agents)
  await release('--stage', 'production')
  expect(served(mails, gate, agents)).toEqual(['2', '2', '3'])
  expect(await release('--stage', 'production', '--back')).toMatchObject({ code: 0 })
  expect(served(mails, gate, agents)).toEqual(['2', '1', '2'])
  expect(aws.moves.slice(-2)).toEqual(['web-agents 3→2!', 'backend-gate 2→1!'])
  expect(await release('--stage', 'production', '--back')).toEqual({
    code: 0,
    said: expect.stringMatching(/^nothing to roll back/),
  })
  expect(served(mails, gate, agents)).toEqual(['2', '1', '2'])
})

it('releases despite an alarm if it is called with --mend', async () => {
  deploy(agents)
  aws.bad.add('web-agents:2')
  expect(await release('--stage', 'production', '--mend')).toMatchObject({ code: 0 })
  expect(served(agents)).toEqual(['2'])
})

it('resumes an interrupted release', async () => {
  deploy(signer, agents)
  aws.functions.set(named(signer), { served: '2', versions: 2 })
  expect(await release('--stage', 'production')).toMatchObject({ code: 0 })
  expect(aws.moves).toEqual(['web-agents 1→2'])
})

it('skips functions that run as a service or at the edge, and rejects a missing stage', async () => {
  aws.functions.delete(named(gate))
  deploy(agents)
  expect(await release('--stage', 'production')).toMatchObject({ code: 0 })
  expect(served(agents)).toEqual(['2'])
  await checkout.settings(settings, 'production-tset')
  expect(await release('--stage', 'production-tset')).toEqual({
    code: 2,
    said: 'no function of a stage production-tset is in this account and region\n',
  })
})

it('names the missing AWS settings', async () => {
  await checkout.settings('AGENT_IMAGE=agent:1')
  expect(await release('--stage', 'production')).toEqual({
    code: 2,
    said: 'stages/production.env: AWS_REGION: is required\n',
  })
  expect(await release('--stage', 'other')).toMatchObject({ code: 2 })
})

it('refuses a throwaway stage, which serves each deployment at once', async () => {
  await checkout.settings(settings, 'test')
  for (const options of [[], ['--back'], ['--mend']]) {
    const { code, said } = await release('--stage', 'test', ...options)
    expect(code).toBe(2)
    expect(said).toContain('npm run deploy -- --stage test')
  }
  expect(aws.moves).toEqual([])
})

it('prints its usage', async () => {
  expect(await release('--help')).toEqual({ code: 0, said: expect.stringContaining('--back') })
  expect(await release()).toEqual({
    code: 2,
    said: '--stage is required, such as --stage production\n',
  })
})
