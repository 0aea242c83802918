import { setTimeout as wait } from 'node:timers/promises'
import { checkAgent } from '#shared/agents/fleet/watchdog/check.ts'
import { sweepMinutes } from '#shared/agents/fleet/watchdog/sweep.ts'
import { tick } from '#shared/agents/fleet/watchdog/tick.ts'
import { roundMs, tickMs } from '#shared/agents/fleet/watchdog/turns.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { readAgent, requireAgent } from '#shared/agents/record/find.ts'
import { hasOnlyRegularChecks } from '#shared/agents/record/watch/place.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { lostQueues } from '#tests/support/platform/context.ts'
import { seed } from '../../watchdog/agents.ts'
import { asked, newPerson, type Person, request } from './people.ts'
import type { MeteredStack, Units } from './platform.ts'

const lookEveryMs = 250

/** So many agents that the minimum cost of each index shard hardly shows. */
export const tickedAgents = 400

/** Measures the most frequent operations, by their names in docs/operate/costs.md. Takes the minimum of several repetitions, which background work did not disturb. */
export async function measureHot(
  metered: MeteredStack,
  table: Table,
): Promise<Record<string, Units>> {
  const { urls } = metered.stack
  const person = await newPerson(metered, 'meter-0002', 'collective')
  const { session } = person
  const made = await asked(`${urls.web}/api/agents/provision`, {
    headers: session,
    body: { name: 'Rhythm' },
  })
  const { id } = made['agent'] as { id: string }
  await untilRunning(table, person, id)

  const completion = {
    model: 'local/echo',
    stream: true,
    messages: [{ role: 'user', content: 'What is on tonight?' }],
  }
  const { INTERNAL_API_KEY, WALLET_ENCRYPTION_KEY } = metered.secrets
  const agent = await requireAgent({ table }, { agentId: id, owner: undefined })
  const agentKey = await agentAiKey(String(WALLET_ENCRYPTION_KEY), agent, agent.generation)
  const callModel = (key: string) => () =>
    ok(`${urls.backend}/v1/chat/completions`, {
      headers: { authorization: `Bearer ${key}` },
      body: completion,
    })
  const get = (path: string) => () => ok(urls.web + path, { headers: session })
  const say = (body: object) => () =>
    ok(`${urls.web}/api/chat`, {
      headers: session,
      body: { agentId: id, message: 'What is on tonight?', ...body },
    })

  const repeated: Record<string, () => Promise<unknown>> = {
    'read by session': get(`/api/agents/${id}`),
    'read by key': () =>
      ok(`${urls.web}/api/settings`, { headers: { authorization: `Bearer ${person.key}` } }),
    'sign-in': () =>
      ok(`${urls.web}/api/auth/login`, {
        body: { email: 'meter-0002@example.com', password: 'correct horse battery' },
      }),
    'model call by a user’s key': callModel(person.key),
    'model call by an agent’s key': callModel(agentKey),
    'chat turn': say({}),
    'chat turn, streamed': say({ stream: true }),
    'list of agents': get('/api/agents'),
    'history of a chat': get(`/api/chat?agentId=${id}`),
    'key checked by a trusted caller': () =>
      ok(`${urls.backend}/api/validate-key`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.key}` },
      }),
    'agent by a trusted caller': () =>
      ok(`${urls.backend}/api/agents/${id}`, {
        headers: { authorization: `Bearer ${INTERNAL_API_KEY}`, 'x-user-id': person.id },
      }),
  }
  const units: Record<string, Units> = {}
  for (const [name, work] of Object.entries(repeated)) units[name] = await least(metered, work)
  units['look at a healthy agent'] = await healthyLook(metered, table, person, id)
  const nowhere = { host: '127.0.0.1', port: 1 }
  await seed(table, tickedAgents, { well: nowhere, ill: nowhere })
  units[`tick over ${tickedAgents} agents`] = await meanTick(metered, table)
  return units
}

/** Returns the minimum of three runs, after a warm-up run for writes that happen once a minute or a day. */
async function least(metered: MeteredStack, work: () => Promise<unknown>): Promise<Units> {
  await metered.measure(work)
  const runs: Units[] = []
  for (let run = 0; run < 3; run++) runs.push(await metered.measure(work))
  return minOf(runs)
}

function minOf(runs: readonly Units[]): Units {
  return {
    reads: Math.min(...runs.map(({ reads }) => reads)),
    writes: Math.min(...runs.map(({ writes }) => writes)),
  }
}

async function ok(url: string, caller: Parameters<typeof request>[1]): Promise<void> {
  const { status, text } = await request(url, caller)
  if (status >= 300) throw new Error(`${url} answered ${status}: ${text}`)
}

/** Returns the mean tick over a full cycle: every regular check is due once, and all rows are swept once. */
async function meanTick(metered: MeteredStack, table: Table): Promise<Units> {
  const settings = loadConfig({})
  const ctx = { table, queues: lostQueues, log: createLog(), settings, waiting: async () => 0 }
  const cycleMs = sweepMinutes * tickMs
  const begin = Math.floor(Date.now() / cycleMs) * cycleMs
  const sum: Units = { reads: 0, writes: 0 }
  for (let minute = 0; minute < sweepMinutes; minute++) {
    const at = begin + minute * tickMs
    const { reads, writes } = await least(metered, () => tick(ctx, { now: at, at }))
    sum.reads += reads
    sum.writes += writes
  }
  return { reads: sum.reads / sweepMinutes, writes: sum.writes / sweepMinutes }
}

/** Measures the watchdog's regular check of a healthy agent, as the checks job runs it at its time. */
async function healthyLook(
  metered: MeteredStack,
  table: Table,
  { id: userId }: Person,
  agentId: string,
): Promise<Units> {
  const ctx = { table, queues: lostQueues, log: createLog(), settings: loadConfig({}) }
  const runs: Units[] = []
  for (let run = 0; run < 3; run++) {
    const agent = await readAgent(table, { userId, agentId })
    if (agent === undefined || !hasOnlyRegularChecks(agent))
      throw new Error('no look at the agent is due')
    const look = agent.watchdog.since + roundMs(ctx.settings)
    const check = { userId, agentId, dueAt: null, look }
    runs.push(await metered.measure(() => checkAgent(ctx, check, look)))
  }
  return minOf(runs)
}

async function untilRunning(table: Table, { id: userId }: Person, agentId: string): Promise<void> {
  for (;;) {
    const agent = await readAgent(table, { userId, agentId })
    // The agent has been checked once since it runs, so the next check is the check of a healthy agent.
    if (agent?.status === 'running' && agent.watchdog.state === 'running') return
    if (agent === undefined) throw new Error(`there is no agent ${agentId}`)
    if (agent.status === 'error') throw new Error(`the agent failed: ${agent.stopReason?.text}`)
    await wait(lookEveryMs)
  }
}
