import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export interface AgentProcess {
  pid: number
  /** 0 for one that has ended since. */
  parent: number
  agentId: string
  generation: number
  taskArn: string
  environment: Record<string, string>
}

/**
 * Every agent process of this machine that belongs to a stack's data directory, read off the processes themselves. What
 * such a process starts is not one: between its fork and its exec, a child still shows its parent's environment.
 */
export function agentProcesses(dataDir: string): AgentProcess[] {
  const found = withEnvironmentOf(dataDir)
  const pids = new Set(found.map(({ pid }) => pid))
  return found.filter(({ parent }) => !pids.has(parent))
}

/** The same with all that agents' processes have started. */
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

/** The processes of one agent. */
export function processesOf(dataDir: string, agentId: string): AgentProcess[] {
  return agentProcesses(dataDir).filter((one) => one.agentId === agentId)
}

/**
 * Kills an agent's processes. One that ends by itself meanwhile is as dead.
 * @returns them once they have ended: on a busy machine a process lives on for a while after it was killed
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

/** A zombie has no environment any more, and a process that was given its number later has another. */
function isAlive({ pid, taskArn }: AgentProcess): boolean {
  return environmentOf(String(pid)).ECS_TASK_ARN === taskArn
}

/** 0 for a process that has ended. */
function parentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
  } catch {
    return 0
  }
}

/** Empty for a process that has ended or belongs to another user. */
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
