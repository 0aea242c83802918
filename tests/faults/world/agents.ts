import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import { changeConfig } from '#shared/agents/fleet/config/change.ts'
import { createAgent } from '#shared/agents/fleet/create.ts'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { updateImage } from '#shared/agents/fleet/image/update.ts'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { startAgent } from '#shared/agents/fleet/lifecycle/start.ts'
import { stopAgent } from '#shared/agents/fleet/lifecycle/stop.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { findAgent, readAgent } from '#shared/agents/record/find.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { killProcessesOf } from '#tests/support/stack/processes.ts'
import { crashing, other } from './host.ts'
import { expected, type World } from './world.ts'

/** The actions and faults that an agent may meet. */
export const deeds = [
  'start',
  'start',
  'stop',
  'restart',
  'repair',
  'update',
  'configure',
  'wake',
  'kill',
  'kill',
  'delete',
] as const

export type Deed = (typeof deeds)[number]

/** One agent, and the results that its owner was given. */
export interface Subject {
  id: string
  userId: string
  /** The last action, and whether it got a response. */
  last: { deed: Deed | 'create'; answered: boolean }
  /** `asked`: the owner has requested the deletion. `answered`: the platform has confirmed it. */
  deletion?: 'asked' | 'answered'
  /** All actions on it, for the report of a failure. */
  story: string[]
}

/**
 * Creates an agent that does not run yet. It never sleeps unless its config says so, because hours without work pass in
 * this world.
 */
export async function makeSubject(world: World, given: Record<string, unknown>): Promise<Subject> {
  const config = { sleepAfterMinutes: null, ...given }
  const userId = newId('usr')
  const subscription = { id: null, status: 'active' as const, customerId: null }
  const account = { id: userId, email: `${userId}@b.co`, name: userId, referralCode: userId }
  const user = newUser({ ...account, plan: 'network', subscription })
  await userStore(world.table, userId).put(profileKey, { ...user })
  const seed = newSeed()
  const make = () => {
    const { services } = world.newProcess()
    return createAgent(trusted(services, undefined, seed), { name: 'Ada', config, userId })
  }
  for (;;) {
    // A caller without a response retries with the same key.
    const made = await make().catch(expected)
    if (made) return { id: made.id, userId, last: { deed: 'create', answered: true }, story: [] }
  }
}

/** Returns an agent's current row. */
export async function rowOf(world: World, { id, userId }: Subject): Promise<Agent | undefined> {
  return readAgent(world.table, { userId, agentId: id })
}

/** Runs one action on an agent, in a process that may die during it. */
export async function act(world: World, subject: Subject, deed: Deed): Promise<void> {
  const { id, userId } = subject
  subject.story.push(deed)
  if (deed === 'kill') {
    await killProcessesOf(world.dir, id)
    return
  }
  const { services } = world.newProcess()
  try {
    const agent = await findAgent(services, { agentId: id, owner: userId })
    // The owner has deleted it, so no action is possible.
    if (agent === undefined) return
    if (deed === 'delete') subject.deletion ??= 'asked'
    await perform(services, agent, deed, world)
    if (deed === 'delete') subject.deletion = 'answered'
    subject.last = { deed, answered: true }
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    subject.story.push('…killed')
    subject.last = { deed, answered: false }
  }
}

async function perform(
  services: AgentContext & Reads<AgentSetting>,
  agent: Agent,
  deed: Exclude<Deed, 'kill'>,
  { random }: World,
) {
  switch (deed) {
    case 'start':
      return startAgent(services, { agent })
    case 'stop':
      return stopAgent(services, { agent })
    case 'restart':
    case 'repair':
      return restartAgent(services, { agent, reason: deed })
    case 'update':
      return updateImage(trusted(services), {
        agent,
        image: random.pick([other, crashing, null]) ?? undefined,
      })
    case 'configure':
      return changeConfig(services, {
        agent,
        change: { systemPrompt: `Say ${random.below(3)}` },
        apply: random.percent(70),
      })
    case 'wake':
      return wakeAgent(services, { agent })
    case 'delete':
      return deleteAgent(services, { agentId: agent.id, owner: agent.userId ?? undefined })
  }
}
