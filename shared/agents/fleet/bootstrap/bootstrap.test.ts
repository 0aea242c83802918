import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { setCredential } from '#shared/agents/record/credentials/set.ts'
import { randomToken } from '#shared/platform/crypto.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { deleteAgent } from '../delete.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { stopAgent } from '../lifecycle/stop.ts'
import { bootstrapToken } from './token.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

interface Question {
  token?: string | undefined
  agentId?: string
  generation?: number
  nonce?: string
}

const key = () => String(fleet.consumer.config.WALLET_ENCRYPTION_KEY)
const tokenOf = ({ id, generation }: Agent) => bootstrapToken(key(), { agentId: id, generation })

/** Sends the request of the current generation's container, with the given changes. */
async function ask(agent: Agent, question: Question = {}) {
  const { token, agentId = agent.id, generation = agent.generation } = question
  const { nonce = randomToken() } = question
  const answer = await fetch(`${fleet.consumer.config.BACKEND_URL}/bootstrap`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token ?? (await tokenOf(agent))}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ agentId, generation, nonce }),
  })
  const body = (await answer.json()) as {
    variables?: Record<string, string>
    credentials?: Record<string, string>
    error?: string
  }
  return { status: answer.status, headers: answer.headers, body }
}

/** Creates an agent after its RunTask whose container never sends its request. */
async function offered(config: Record<string, unknown> = {}): Promise<Agent> {
  const agent = await fleet.started(config)
  const run = async () => {
    throw new Error('killed')
  }
  const { body } = fleet.sent.splice(0)[0]!
  const dying = { ...fleet.consumer, containers: { ...fleet.containers, run } }
  await expect(fleet.consume(body, dying)).rejects.toThrow('killed')
  return fleet.row(agent)
}

const refusal = { status: 401, body: { error: 'Unauthorized' } }

describe('the token of a start', () => {
  it('returns the container’s settings, once', async () => {
    const agent = await offered({ systemPrompt: 'Be brief.', discordBotToken: 'a-channel-token-1' })
    const { status, body, headers } = await ask(agent)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.variables).toMatchObject({
      SYSTEM_PROMPT: 'Be brief.',
      DISCORD_BOT_TOKEN: 'a-channel-token-1',
      GATEWAY_TOKEN: expect.stringMatching(/^[\w-]{43}$/),
      AI_API_KEY: expect.stringMatching(/^ak_/),
    })
    expect(await ask(agent)).toMatchObject(refusal)
  })

  it('includes the setting that a hang is only reported, if repair is disabled', async () => {
    expect((await ask(await offered())).body.variables).not.toHaveProperty('AGENT_ON_HANG')
    const { config } = fleet.consumer
    Object.assign(config, { WATCHDOG_AUTO_REPAIR: false })
    const { body } = await ask(await offered())
    Object.assign(config, { WATCHDOG_AUTO_REPAIR: true })
    expect(body.variables).toMatchObject({ AGENT_ON_HANG: 'report' })
  })

  it('includes the bus and the platform’s tools only if the config allows them', async () => {
    const allowed = await ask(await offered({ bus: true, mcp: true }))
    expect(allowed.body.variables).toMatchObject({ AGENT_BUS: '1', AGENT_MCP: '1' })
    const { body } = await ask(await offered({ mcp: false }))
    expect(body.variables).not.toHaveProperty('AGENT_MCP')
    expect(body.variables).not.toHaveProperty('AGENT_BUS')
  })

  it('returns the same response again, for a short time and only to the same container', async () => {
    const agent = await offered()
    const nonce = randomToken()
    const first = await ask(agent, { nonce })
    expect(await ask(agent, { nonce })).toMatchObject({ status: 200, body: first.body })
    expect(await ask(agent, { nonce: `${nonce}x` })).toMatchObject(refusal)
    await changeAgent(fleet, {
      agent: await fleet.row(agent),
      decide: (row) => ({
        ...row,
        bootstrap: { ...row.bootstrap!, until: Date.now() - 1 },
      }),
    })
    expect(await ask(agent, { nonce })).toMatchObject(refusal)
  })

  it('is accepted from one of many concurrent requests', async () => {
    const agent = await offered()
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(agent)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 401),
    ])
  })

  it('is rejected for another agent, for another start, and if invented', async () => {
    const [ada, eve] = [await offered(), await offered()]
    for (const question of [
      { token: await tokenOf(eve) },
      { agentId: eve.id },
      { generation: 2 },
      { generation: 2, token: await tokenOf({ ...ada, generation: 2 }) },
      { token: 'x' },
      { token: `${await tokenOf(ada)}x` },
      { agentId: `agt_${'0'.repeat(26)}` },
    ])
      expect([question, await ask(ada, question)]).toMatchObject([question, refusal])
    // The token is still valid after these requests.
    expect((await ask(ada)).status).toBe(200)
  })

  it('expires with its start, with a stop, with the agent, and with its time', async () => {
    const restarted = await offered()
    const old = await tokenOf(restarted)
    await restartAgent(fleet.services, { agent: restarted, reason: 'restart' })
    expect(await ask(restarted, { token: old })).toMatchObject(refusal)

    const stopped = await offered()
    await stopAgent(fleet.services, { agent: stopped })
    expect(await ask(stopped)).toMatchObject(refusal)

    const deleted = await offered()
    await deleteAgent(fleet.services, { agentId: deleted.id, owner: undefined })
    expect(await ask(deleted)).toMatchObject(refusal)
    await fleet.deliver()
    expect(await ask(deleted)).toMatchObject(refusal)

    const late = await offered()
    const { bootstrap } = late
    expect(bootstrap?.until).toBeGreaterThan(Date.now())
    await changeAgent(fleet, {
      agent: late,
      decide: (row) => ({
        ...row,
        bootstrap: { ...bootstrap!, until: Date.now() - 1 },
      }),
    })
    expect(await ask(late)).toMatchObject(refusal)
    // A late RunTask with the same token renews the time limit.
    const { id: agentId, userId, generation } = late
    await fleet.consume({ kind: 'start', agentId, userId, generation, reason: 'start' })
    expect((await fleet.untilRunning(late)).generation).toBe(1)
  })

  it('requires a valid request', async () => {
    const agent = await offered()
    for (const wrong of [{ nonce: 'short' }, { generation: 1.5 }, { nonce: 'a b'.repeat(20) }])
      expect((await ask(agent, wrong)).status).toBe(400)
    expect((await ask(agent)).status).toBe(200)
  })

  it('the token of a start that an attacker used first ends the container, and the agent is started again', async () => {
    const agent = await offered()
    expect((await ask(agent)).status).toBe(200)
    const { id: agentId, userId, generation } = agent
    await fleet.consume({ kind: 'start', agentId, userId, generation, reason: 'start' })
    const row = await fleet.until(agent, ({ taskStatus }) => taskStatus === 'STOPPED')
    expect(row.stopReason).toMatchObject({ code: 'EssentialContainerExited', exitCode: 1 })
    await restartAgent(fleet.services, { agent: row, reason: 'restart' })
    expect((await fleet.untilRunning(agent)).generation).toBe(2)
  })
})

/** Returns the files below a folder that contain one of the texts. */
async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const found = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const bytes = await readFile(join(parentPath, name))
      return texts.some((text) => bytes.includes(text)) ? [join(parentPath, name)] : []
    }),
  )
  return found.flat()
}

it('no secret is in a message, a task, its events, the table or the engine’s files', async () => {
  const agent = await fleet.started({
    systemPrompt: 'a-private-instruction',
    discordBotToken: 'a-discord-token-1',
    whatsappToken: 'a-whatsapp-token-1',
  })
  const credential = { key: 'GITHUB_TOKEN', value: 'a-credential-of-hers' }
  await setCredential({ ...fleet.services, encryptionKey: key() }, { agent, ...credential })
  const reports: unknown[] = [...fleet.sent]
  const events: unknown[] = []
  const running = await fleet.until(agent, (row) => {
    reports.push(...fleet.sent)
    events.push(...fleet.events)
    return row.status === 'running'
  })
  const { GATEWAY_TOKEN = '', AI_API_KEY = '', SYSTEM_PROMPT } = await fleet.environmentOf(agent)
  expect(SYSTEM_PROMPT).toBe('a-private-instruction')
  const secrets = [
    GATEWAY_TOKEN,
    AI_API_KEY,
    'a-discord-token-1',
    'a-whatsapp-token-1',
    credential.value,
  ]
  expect(secrets).not.toContain('')
  const shown = JSON.stringify([reports, events, await fleet.shownOf(running), running])
  expect(shown).toContain('AGENT_BOOTSTRAP_TOKEN')
  for (const secret of secrets) expect(shown).not.toContain(secret)
  const everything = [...secrets, 'a-private-instruction']
  expect(await filesWith(fleet.dir, everything)).toEqual([])
  expect(await filesWith(fleet.dir, [agent.id])).not.toEqual([])

  await deleteAgent(fleet.services, { agentId: running.id, owner: undefined })
  await fleet.deliver()
  expect(await filesWith(fleet.dir, everything)).toEqual([])
  // The token in the task's environment is worthless to others.
  expect(await ask(running)).toMatchObject(refusal)
})

it('a valid token is accepted after many invented ones from its address, which are limited', async () => {
  const agent = await offered()
  // The limit is 300 per minute, and all requests are within two minutes.
  const invented = Array.from({ length: 602 }, () => ask(agent, { token: randomToken() }))
  const statuses = (await Promise.all(invented)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect((await ask(agent)).status).toBe(200)
})
