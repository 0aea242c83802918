import { availableParallelism, cpus, freemem, totalmem, uptime } from 'node:os'
import type * as z from 'zod'
import type { MachineHealth } from './schema.ts'

interface CpuTimes {
  busy: number
  total: number
}

function cpuTimes(): CpuTimes {
  const sum = { busy: 0, total: 0 }
  for (const { times } of cpus()) {
    const total = times.user + times.nice + times.sys + times.irq + times.idle
    sum.total += total
    sum.busy += total - times.idle
  }
  return sum
}

let last = cpuTimes()

/** Returns the busy percentage of all cores since the last call; since boot if the clock has not advanced. */
function cpuUsage(): number {
  const now = cpuTimes()
  const since = now.total > last.total ? last : { busy: 0, total: 0 }
  last = now
  return ((now.busy - since.busy) / (now.total - since.total)) * 100
}

/** spec.md, Web health: above 70 % in either value is degraded, above 85 % unhealthy. */
export function healthOf(cpu: number, memory: number): 'healthy' | 'degraded' | 'unhealthy' {
  const worst = Math.max(cpu, memory)
  if (worst > 85) return 'unhealthy'
  return worst > 70 ? 'degraded' : 'healthy'
}

/**
 * Returns the state of the machine that runs this function: usage in percent, memory in bytes, uptime in seconds.
 */
export function machineHealth(): z.input<typeof MachineHealth> {
  const total = totalmem()
  const free = freemem()
  const cpu = cpuUsage()
  const memory = ((total - free) / total) * 100
  return {
    status: 'ok',
    health: healthOf(cpu, memory),
    timestamp: new Date().toISOString(),
    cpu: { usage: round(cpu), cores: availableParallelism() },
    memory: { usage: round(memory), total, used: total - free, free },
    uptime: Math.round(uptime()),
  }
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100
}
