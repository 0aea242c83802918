import { createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A log larger than this is rotated at the next start. */
const maxBytes = 20 * 1024 * 1024

/** Lines within this time are written together: a write costs more than everything else about a line. */
const gatheringMs = 10

export interface FunctionLog {
  path: string
  /** Receives a line that a function wrote. */
  write(name: string, line: string): void
  close(): Promise<void>
}

export interface FunctionLogOptions {
  dir: string
  /** Receives lines for the terminal: warnings, errors and text that is not a log line; every line with `verbose`. */
  show(text: string): void
  verbose: boolean
}

/** Appends the output of functions to one file of JSON lines, and shows the relevant lines. */
export function openFunctionLog({ dir, show, verbose }: FunctionLogOptions): FunctionLog {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'functions.log')
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes)
    renameSync(path, `${path}.1`)
  const file = createWriteStream(path, { flags: 'a', mode: 0o600 })
  let gathered = ''
  const flush = () => {
    if (gathered !== '') file.write(gathered)
    gathered = ''
  }
  const gather = (line: string) => {
    if (gathered === '') setTimeout(flush, gatheringMs)
    gathered += `${line}\n`
  }
  return {
    path,
    write(name, line) {
      // The last line of a function that was just ended may arrive late.
      if (file.writableEnded) return
      const entry = parse(line)
      gather(entry === undefined ? JSON.stringify({ function: name, text: line }) : line)
      const say = (text: string) => show(`${name}  ${printable(text)}`)
      if (verbose || entry === undefined) say(line)
      else if (entry.level !== 'info') say(`${entry.level}  ${summary(entry)}`)
    },
    close() {
      flush()
      return new Promise((resolve) => file.end(resolve))
    },
  }
}

/** Lines contain text from agents, models and callers, which must not move the terminal's cursor or forge a line. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

interface Entry {
  level?: unknown
  message?: unknown
  error?: { message?: unknown }
  /** Present in the log line of a request. */
  method?: unknown
  path?: unknown
  status?: unknown
  /** Why it was refused or failed. */
  failed?: unknown
}

function parse(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Entry
  } catch {
    return undefined
  }
}

function summary({ message, error, method, path, status, failed }: Entry): string {
  const what = status === undefined ? message : `${method} ${path} ${status}`
  const why = error?.message ?? failed
  return why === undefined ? String(what) : `${what}: ${why}`
}
