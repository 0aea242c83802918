import { readdirSync, readFileSync } from 'node:fs'
import type { Consumption } from '../../gateway/stats.ts'

/** Linux counts a process's time in hundredths of a second, on every machine. */
const msPerTick = 10

/** From proc(5): fields of /proc/<pid>/stat after the name, the first of which is the third of the line. */
const field = { ppid: 1, utime: 11, stime: 12, cutime: 13, cstime: 14 }

interface Process {
  pid: number
  ppid: number
  cpuMs: number
}

/**
 * What a process and everything that it started take of the machine. Memory that several share counts for each, as it
 * does in the sum of what `ps` says. Undefined where there is no /proc.
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
    // Other systems have no such folder.
    return undefined
  }
}

function readProcess(pid: number): Process | undefined {
  const text = readText(`/proc/${pid}/stat`)
  // The name stands in brackets and may hold anything, brackets and spaces included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const value = (name: keyof typeof field): number => Number(fields[field[name]])
  if (text === '') return undefined
  // The time of ended children is their parent's, so that a sum never shrinks by an end.
  const ticks = value('utime') + value('stime') + value('cutime') + value('cstime')
  return { pid, ppid: value('ppid'), cpuMs: ticks * msPerTick }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/status`))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

/** Empty for a process that has ended meanwhile. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
