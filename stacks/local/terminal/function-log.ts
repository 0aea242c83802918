import { createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A log larger than this is set aside at the next start. */
const maxBytes = 20 * 1024 * 1024

/** Lines that come within this time are written together: writing takes longer than what else is done with a line. */
const gatheringMs = 10

export interface FunctionLog {
  path: string
  /** Takes a line that a function wrote. */
  write(name: string, line: string): void
  close(): Promise<void>
}

export interface FunctionLogOptions {
  dir: string
  /** Gets what a person should see: warnings, errors and text that is no log line; with `verbose` every line. */
  show(text: string): void
  verbose: boolean
}

/** Keeps what functions write in one file of JSON lines, and shows what matters of it. */
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
      // The last words of a function that was just ended may come late.
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

/** Agents, models and callers have their words in it: none may move the cursor of who reads them, or forge a line. */
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
  /** Of a request. */
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
