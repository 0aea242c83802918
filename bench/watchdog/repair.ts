import { setTimeout as wait } from 'node:timers/promises'
import { processesOf } from '#tests/support/stack/processes.ts'
import { launchStack } from '../stack/launch.ts'
import { provisionOnce, signUp } from '../stack/provision.ts'

interface Seen {
  status: string
  watchdog: { state: string; incidents: { at: string; resolvedAt: string | null }[] }
}

/** Returns the milliseconds of a repair with default waits: until it is noticed, and then until the agent runs and is verified. */
export async function measureRepair() {
  const stack = await launchStack()
  try {
    const session = await signUp(stack)
    await provisionOnce(stack, session, 'Repaired')
    const list = await fetch(`${stack.web}/api/agents`, { headers: session })
    const { agents } = (await list.json()) as { agents: { id: string }[] }
    const id = agents[0]?.id ?? ''
    const see = async () => {
      const answer = await fetch(`${stack.web}/api/agents/${id}`, { headers: session })
      return ((await answer.json()) as { agent: Seen }).agent
    }
    const [container] = processesOf(stack.dataDir, id)
    if (container === undefined) throw new Error('the agent has no process')
    const killed = Date.now()
    process.kill(container.pid, 'SIGKILL')

    let backAt = 0
    for (;;) {
      const { status, watchdog } = await see()
      const incident = watchdog.incidents.at(-1)
      if (incident !== undefined && status === 'running') backAt ||= Date.now()
      if (typeof incident?.resolvedAt === 'string') {
        const detected = Date.parse(incident.at)
        return {
          detectedMs: detected - killed,
          backMs: backAt - detected,
          verifiedMs: Date.parse(incident.resolvedAt) - detected,
        }
      }
      if (watchdog.state === 'crash_loop') throw new Error('the agent was given up')
      await wait(100)
    }
  } finally {
    await stack.stop()
  }
}
