import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { runRequest } from '#shared/agents/fleet/provisioning/request.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { gate } from '#stacks/local/containers/processes/start.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import { credentialsRows } from '../rows.ts'
import { readCredentials } from './row.ts'
import { setCredential } from './set.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

const ctx = () => ({
  ...fleet.services,
  encryptionKey: fleet.consumer.config.WALLET_ENCRYPTION_KEY,
})

async function keep(agent: Agent, key: string, value: string | null): Promise<void> {
  await setCredential(ctx(), { agent: await fleet.row(agent), key, value })
}

async function restarted(agent: Agent): Promise<Agent> {
  const { generation } = await restartAgent(fleet.services, {
    agent: await fleet.row(agent),
    reason: 'restart',
  })
  return fleet.until(agent, (row) => row.status === 'running' && row.generation === generation)
}

it('a credential is set from the next start on', async () => {
  const agent = await fleet.started()
  await keep(agent, 'GITHUB_TOKEN', 'ghp_ "quoted" \n é')
  await fleet.untilRunning(agent)
  expect(await fleet.credentialsOf(agent)).toMatchObject({ GITHUB_TOKEN: 'ghp_ "quoted" \n é' })
  await keep(agent, 'GITHUB_TOKEN', 'newer')
  await keep(agent, 'OTHER', 'value')
  expect(await fleet.credentialsOf(agent)).not.toHaveProperty('OTHER')
  await restarted(agent)
  const then = await fleet.credentialsOf(agent)
  expect(then).toMatchObject({ GITHUB_TOKEN: 'newer', OTHER: 'value' })
  await keep(agent, 'OTHER', null)
  await restarted(agent)
  expect(await fleet.credentialsOf(agent)).not.toHaveProperty('OTHER')
})

it('never overrides the platform’s own variables, even if a row names one', async () => {
  const agent = await fleet.started()
  await keep(agent, 'KEY', 'value')
  const { credentials, revision } = await readCredentials(fleet.table, agent)
  const stolen = { ...credentials, GATEWAY_TOKEN: credentials.KEY, NODE_OPTIONS: credentials.KEY }
  const store = userStore(fleet.table, String(agent.userId))
  await store.put(credentialsRows.sk({ agentId: agent.id }), { credentials: stolen, revision })
  await fleet.untilRunning(agent)
  expect(await fleet.credentialsOf(agent)).toEqual({ KEY: 'value' })
  const environment = await fleet.environmentOf(agent)
  expect(environment).not.toHaveProperty('NODE_OPTIONS')
  expect(environment.GATEWAY_TOKEN).not.toBe('value')
})

it('a credential cannot be decrypted for another agent, which then does not start', async () => {
  const [ada, eve] = [await fleet.started(), await fleet.started()]
  await keep(ada, 'KEY', 'value')
  const row = await readCredentials(fleet.table, ada)
  await userStore(fleet.table, String(eve.userId)).put(credentialsRows.sk({ agentId: eve.id }), {
    ...row,
  })
  const refused = await fleet.until(eve, ({ status }) => status === 'error')
  expect(refused.stopReason?.text).toBe('KEY can no longer be decrypted: set it again')
})

it('a credential is not stored for an agent that is deleted', async () => {
  const agent = await fleet.started()
  await changeAgent(fleet, { agent, decide: (current) => ({ ...current, deleting: true }) })
  await expect(keep(agent, 'KEY', 'value')).rejects.toMatchObject({ kind: 'not-found' })
  expect(await readCredentials(fleet.table, agent)).toEqual({ credentials: {}, revision: 0 })
})

it('runs no code if agents are processes, under any name, even if sh is bash', async () => {
  const agent = await fleet.started()
  const mark = join(fleet.dir, `ran-${agent.id}`)
  const attacks = {
    PS4: `$(touch ${mark})`,
    SHELLOPTS: 'xtrace',
    BASH_ENV: mark,
    'BASH_FUNC_read%%': `() { touch ${mark}; }`,
    BASH_FUNC_EXEC: `() { touch ${mark}; }`,
    ENV: mark,
    GCONV_PATH: fleet.dir,
    LD_PRELOAD: `${mark}.so`,
    LD_AUDIT: `${mark}.so`,
    DYLD_INSERT_LIBRARIES: `${mark}.so`,
    GLIBC_TUNABLES: 'glibc.malloc.check=3',
    NODE_OPTIONS: `--require ${mark}.cjs`,
    NODE_EXTRA_CA_CERTS: mark,
    PYTHONSTARTUP: mark,
    PERL5OPT: `-M${mark}`,
    GIT_SSH_COMMAND: `touch ${mark}`,
    PROMPT_COMMAND: `touch ${mark}`,
  }
  await keep(agent, 'KEY', 'value')
  // A row of an earlier release, which accepted more names. Each value is encrypted for its own name.
  for (const [name, value] of Object.entries(attacks)) await keep(agent, name, value)

  const { environment } = await runRequest(fleet.consumer, await fleet.row(agent))
  expect(Object.keys(environment).toSorted()).toEqual([
    'AGENT_BOOTSTRAP_TOKEN',
    'AGENT_BOOTSTRAP_URL',
    'AGENT_GENERATION',
    'AGENT_ID',
    'AI_BASE_URL',
  ])
  const shell = spawn('bash', ['-c', gate, 'sh', 'true'], {
    argv0: 'sh',
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  shell.stdin.end('go\n')
  expect(await once(shell, 'exit')).toEqual([0, null])
  expect(existsSync(mark)).toBe(false)

  await fleet.untilRunning(agent)
  expect(await fleet.credentialsOf(agent)).toEqual({ KEY: 'value' })
  const result = await fleet.environmentOf(agent)
  for (const [name, value] of Object.entries(attacks)) expect(result[name]).not.toBe(value)
  expect(existsSync(mark)).toBe(false)
})
