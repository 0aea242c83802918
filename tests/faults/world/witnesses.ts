import { probe } from '#shared/agents/fleet/watchdog/probe.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readLast } from '#stacks/local/containers/logs/read.ts'
import { withEnvironmentOf } from '#tests/support/stack/processes.ts'
import type { Subject } from './agents.ts'
import type { World } from './world.ts'

/** Returns all known facts about an agent whose row and processes disagree, for the report of a failure. */
export async function witnessesOf(world: World, { id }: Subject, row: Agent | undefined) {
  const all = [...(await world.host.tasks()), ...(await world.host.tasks('STOPPED'))]
  const own = all.filter(({ startedBy }) => startedBy === id)
  const latest = own.find(({ taskArn }) => taskArn === row?.taskArn) ?? own.at(-1)
  const log = await readLast(world.dir, latest?.taskArn?.split('/').at(-1) ?? '', 20)
  return JSON.stringify(
    {
      row,
      tasks: own.map(({ overrides: _overrides, ...task }) => task),
      log: log?.lines ?? [],
      // Read again, with the descendants of the agent's process.
      processes: withEnvironmentOf(world.dir).map(({ pid, parent, agentId, taskArn }) => ({
        pid,
        parent,
        agentId,
        taskArn,
      })),
      // The container at its address may be another one by now.
      answering: row && (await probe(row.address, id)),
      mail: world.mail.waiting.filter(({ body }) => JSON.stringify(body).includes(id)),
    },
    undefined,
    1,
  )
}
