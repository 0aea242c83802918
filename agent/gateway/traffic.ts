import { readFileSync } from 'node:fs'
import type { OutputBudget } from './output/budget.ts'
import type { Settings } from './settings.ts'

/** The bytes that a container has sent, received and printed since its start. */
export interface Traffic {
  /** Null if the container shares its network with other processes, as on one machine. */
  network: { rxBytes: number; txBytes: number } | null
  log: { lines: number; bytes: number; dropped: number }
}

/** The columns of /proc/net/dev after the interface's name: proc(5). */
const column = { received: 0, sent: 8 }

/** Returns a function that reads the traffic so far. The network counters are null if the container shares the network of the machine. */
export function trafficOf(
  { ownNetwork }: Pick<Settings, 'ownNetwork'>,
  budget: OutputBudget,
): () => Traffic {
  return () => ({ network: ownNetwork ? readNetwork() : null, log: budget.totals })
}

/** The headers of `/readyz` that the platform uses to count a container's traffic. */
export function trafficHeaders({ network, log }: Traffic): Record<string, string> {
  return {
    'agent-printed-bytes': String(log.bytes),
    ...(network && { 'agent-sent-bytes': String(network.txBytes) }),
  }
}

/** Returns the bytes of all interfaces except loopback; null if the system does not report them. */
function readNetwork(): Traffic['network'] {
  const text = read('/proc/net/dev')
  if (text === undefined) return null
  const interfaces = [...text.matchAll(/^\s*(\S+):\s*(.*)$/gm)].filter(([, name]) => name !== 'lo')
  const sum = (index: number) =>
    interfaces.reduce((total, [, , figures = '']) => {
      return total + Number(figures.split(/\s+/)[index])
    }, 0)
  return { rxBytes: sum(column.received), txBytes: sum(column.sent) }
}

/** Returns undefined on systems without /proc. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
