import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Returns the start time of a process in a form that identifies it together with its pid, because pids are reused. On
 * Linux: boot id and clock tick; elsewhere the second from `ps`. Returns undefined if there is no such process, or it is a
 * zombie.
 */
export function processStart(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxStart(pid) : psStart(pid)
}

function linuxStart(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${bootId()}/${fields[19]}`
}

function psStart(pid: number): string | undefined {
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] },
    })
      .trim()
      .split(/\s+/)
    return state === undefined || state.startsWith('Z') ? undefined : start.join(' ')
  } catch (error) {
    // ps exits with 1 if there is no such process.
    if (error instanceof Error && 'status' in error && error.status === 1) return undefined
    throw error
  }
}

let boot: string | undefined
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return boot
}

/** Reads a file in /proc; undefined if its process has ended or belongs to another user. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
