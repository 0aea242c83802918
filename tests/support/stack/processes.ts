import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export interface AgentProcess {
  pid: number
  /** 0 if the process has ended since. */
  parent: number
  agentId: string
  generation: number
  taskArn: string
  environment: Record<string, string>
}

/**
 * Returns every agent process of this machine that belongs to a stack's data directory, by the processes' environment.
 * Their child processes do not count: between fork and exec, a child still shows its parent's environment.
 */
export function agentProcesses(dataDir: string): AgentProcess[] {
  const found = withEnvironmentOf(dataDir)
  const pids = new Set(found.map(({ pid }) => pid))
  return found.filter(({ parent }) => !pids.has(parent))
}

/** Returns these processes with all their descendants. */
export function withEnvironmentOf(dataDir: string): AgentProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = environmentOf(pid)
      const volume = environment.WORKSPACE_DIR ?? environment.AGENT_DATA_DIR
      if (volume?.startsWith(`${dataDir}/`) !== true) return []
      const { AGENT_ID = '', AGENT_GENERATION, ECS_TASK_ARN = '' } = environment
      const generation = Number(AGENT_GENERATION)
      const parent = parentOf(Number(pid))
      return [
        {
          pid: Number(pid),
          parent,
          agentId: AGENT_ID,
          generation,
          taskArn: ECS_TASK_ARN,
          environment,
        },
      ]
    })
}

/** Returns the processes of one agent. */
export function processesOf(dataDir: string, agentId: string): AgentProcess[] {
  return agentProcesses(dataDir).filter((one) => one.agentId === agentId)
}

/**
 * Kills an agent's processes. A process that has already ended counts as killed.
 * @returns the processes, once they have ended: on a busy machine this takes a while after the signal
 */
export async function killProcessesOf(dataDir: string, agentId: string): Promise<AgentProcess[]> {
  const found = processesOf(dataDir, agentId)
  for (const { pid } of found)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  while (found.some(isAlive)) await wait(2)
  return found
}

/** A zombie has no environment, and a later process with the same id has another environment. */
function isAlive({ pid, taskArn }: AgentProcess): boolean {
  return environmentOf(String(pid)).ECS_TASK_ARN === taskArn
}

/** @returns 0 if the process has ended */
function parentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  } catch {
    return 0
  }
}

/** @returns an empty record if the process has ended or belongs to another user */
function environmentOf(pid: string): Record<string, string> {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return {}
  }
  const entries = text.split('\0').filter((entry) => entry.includes('='))
  return Object.fromEntries(
    entries.map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      entry.slice(entry.indexOf('=') + 1),
    ]),
  )
}
