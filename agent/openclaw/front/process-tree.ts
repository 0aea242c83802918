import { readdirSync, readFileSync } from 'node:fs'
import type { Consumption } from '../../gateway/stats.ts'

/** Linux reports CPU time in hundredths of a second on every machine. */
const msPerTick = 10

/** Indexes of the fields in /proc/<pid>/stat after the name (proc(5)). The first is the third field of the line. */
const field = { ppid: 1, utime: 11, stime: 12, cutime: 13, cstime: 14 }

interface Process {
  pid: number
  ppid: number
  cpuMs: number
}

/**
 * Returns the resources that a process and its descendants use. Shared memory counts for each process, as in the sum of
 * `ps`. Returns undefined without /proc.
 */
export function consumptionOf(root: number): Consumption | undefined {
  const all = listProcesses()
  if (all === undefined) return undefined
  const children = Map.groupBy(all, ({ ppid }) => ppid)
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? []))
  return {
    cpuMs: tree.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryBytes: tree.reduce((sum, { pid }) => sum + residentBytes(pid), 0),
    pids: tree.length,
  }
}

function listProcesses(): Process[] | undefined {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? [])
  } catch {
    // Other systems do not have /proc.
    return undefined
  }
}

function readProcess(pid: number): Process | undefined {
  const text = readText(`/proc/${pid}/stat`)
  // The name is in parentheses and may contain anything, including parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const value = (name: keyof typeof field): number => Number(fields[field[name]])
  if (text === '') return undefined
  // The time of ended children counts for their parent, so the sum never decreases when a process ends.
  const ticks = value('utime') + value('stime') + value('cutime') + value('cstime')
  return { pid, ppid: value('ppid'), cpuMs: ticks * msPerTick }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

/** Returns an empty text if the process has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
