import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { PlayedAws } from './testing/played-aws.ts'

const named = (name: string) => `agent-platform-test-${name}`
const [signer, mails, gate, agents] = ['signer', 'mails', 'backend-gate', 'web-agents'] as const

let aws: PlayedAws

beforeEach(async () => {
  aws = await PlayedAws.start()
  for (const { name } of functions) aws.functions.set(named(name), { served: '1', versions: 1 })
})
afterEach(() => aws[Symbol.asyncDispose]())

/** Simulates a deployment: each of these functions gets one more version, without calls so far. */
function deploy(...names: string[]) {
  for (const name of names) {
    const { served, versions } = aws.functions.get(named(name)) ?? { served: '1', versions: 1 }
    aws.functions.set(named(name), { served, versions: versions + 1 })
  }
}

const served = (...names: string[]) => names.map((name) => aws.functions.get(named(name))?.served)

const release = (...options: string[]) => releaseWith({}, ...options)

async function releaseWith(
  environment: NodeJS.ProcessEnv,
  ...options: string[]
): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...options], {
    env: {
      PATH: process.env['PATH'],
      AWS_ENDPOINT_URL: aws.url,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      RELEASE_POLL_MS: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, wrong, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ])
  return { code, said: said + wrong }
}

it('moves what was deployed, each wave when the one before it has held', async () => {
  deploy(agents, gate, mails, signer)
  expect(await release('--stage', 'test')).toMatchObject({ code: 0 })
  expect(served(signer, mails, gate, agents)).toEqual(['2', '2', '2', '2'])
  expect(aws.moves.slice(0, 2).toSorted()).toEqual(['mails 1→2', 'signer 1→2'])
  expect(aws.moves.slice(2)).toEqual(['backend-gate 1→2', 'web-agents 1→2'])
  expect(await release('--stage', 'test')).toEqual({ code: 0, said: 'nothing to move\n' })
})

it('goes back as a whole when an alarm takes one function back, and asks nothing of the waves after it', async () => {
  deploy(signer, mails, gate, agents)
  aws.bad.add('backend-gate:2')
  const { code, said } = await release('--stage', 'test')
  expect(code).toBe(1)
  expect(said).toContain('backend-gate did not hold: everything goes back')
  expect(served(signer, mails, gate, agents)).toEqual(['1', '1', '1', '1'])
  expect(aws.moves.filter((move) => move.startsWith('web-agents'))).toEqual([])
  // A release that was taken back already cannot be taken back again.
  expect(await release('--stage', 'test', '--back')).toEqual({ code: 0, said: 'nothing to move\n' })
})

it('goes back as a whole when AWS refuses a move, and says why', async () => {
  deploy(signer, mails, gate)
  aws.closed.add('backend-gate')
  const { code, said } = await release('--stage', 'test')
  expect(code).toBe(1)
  expect(said).toContain('backend-gate: no backend-gate')
  expect(served(signer, mails, gate)).toEqual(['1', '1', '1'])
})

it('takes the last release back, whole, once, and leaves the one before it', async () => {
  deploy(mails, agents)
  await release('--stage', 'test')
  deploy(gate, agents)
  await release('--stage', 'test')
  expect(served(mails, gate, agents)).toEqual(['2', '2', '3'])
  expect(await release('--stage', 'test', '--back')).toMatchObject({ code: 0 })
  expect(served(mails, gate, agents)).toEqual(['2', '1', '2'])
  expect(aws.moves.slice(-2)).toEqual(['web-agents 3→2!', 'backend-gate 2→1!'])
  expect(await release('--stage', 'test', '--back')).toEqual({ code: 0, said: 'nothing to move\n' })
  expect(served(mails, gate, agents)).toEqual(['2', '1', '2'])
})

it('mends what an alarm would not let it mend', async () => {
  deploy(agents)
  aws.bad.add('web-agents:2')
  expect(await release('--stage', 'test', '--mend')).toMatchObject({ code: 0 })
  expect(served(agents)).toEqual(['2'])
})

it('goes on where an earlier one was cut off', async () => {
  deploy(signer, agents)
  aws.functions.set(named(signer), { served: '2', versions: 2 })
  expect(await release('--stage', 'test')).toMatchObject({ code: 0 })
  expect(aws.moves).toEqual(['web-agents 1→2'])
})

it('leaves out what runs as a service or at the edge, and refuses a stage that is not there', async () => {
  aws.functions.delete(named(gate))
  deploy(agents)
  expect(await release('--stage', 'test')).toMatchObject({ code: 0 })
  expect(served(agents)).toEqual(['2'])
  expect(await release('--stage', 'tset')).toEqual({
    code: 2,
    said: 'no function of a stage tset is in this account and region\n',
  })
})

it('says what it lacks of AWS’s settings', async () => {
  const none = { AWS_REGION: undefined, AWS_CONFIG_FILE: '/nowhere' }
  expect(await releaseWith(none, '--stage', 'test')).toEqual({
    code: 2,
    said: 'no region is set: set AWS_REGION\n',
  })
})

it('says how it is asked', async () => {
  expect(await release('--help')).toEqual({ code: 0, said: expect.stringContaining('--back') })
  expect(await release()).toEqual({
    code: 2,
    said: '--stage is required: npm run release -- --stage production\n',
  })
})
